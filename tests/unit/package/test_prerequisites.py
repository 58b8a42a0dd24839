"""What `make` does about missing Java, Spin, compiler and Python: installs where it may, else names the one command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / ".ci" / "prerequisites.sh"
TOOLS = ("sh", "sed", "head", "env", "uname")
APT = 'for word; do case "$word" in install) echo 17 > "$JAVA_STATE";; esac; done; echo "apt-get $*"'
JAVA = 'test -s "$JAVA_STATE" || exit 127; echo "openjdk version \\"$(head -n 1 "$JAVA_STATE").0.1\\" 2025" >&2'
POLICY = 'case "$2" in openjdk-17*) echo "  Candidate: (none)";; *) echo "  Candidate: 21.0.1";; esac'


class Machine:
    """A PATH of made-up tools; a tool that is not there is missing."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.java = folder / "java-version"
        for name in TOOLS:
            found = shutil.which(name)
            assert found
            (self.bin / name).symlink_to(found)
        self.tool("c++", ":")
        self.tool("java", JAVA)
        self.tool("id", "echo 1000")

    def tool(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def debian(self) -> None:
        self.tool("apt-get", APT)
        self.tool("apt-cache", POLICY)

    def check(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"PATH": str(self.bin), "JAVA_STATE": str(self.java), **environment}
        command = [str(self.bin / "sh"), str(SCRIPT), *(arguments or (sys.executable, "java"))]
        return subprocess.run(command, env=given, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def refused(outcome: subprocess.CompletedProcess[str]) -> str:
    """The one sentence of a refusal."""
    assert outcome.returncode != 0
    lines = outcome.stderr.splitlines()
    assert len(lines) == 1, outcome.stderr
    assert lines[0].startswith("streambench: ")
    return lines[0]


def test_a_complete_machine_needs_nothing_and_hears_nothing(machine: Machine) -> None:
    machine.java.write_text("17")
    outcome = machine.check()
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")


@pytest.mark.parametrize("version", ["", "1.8", "11"])
def test_root_gets_java_installed_where_there_is_none_or_an_old_one(machine: Machine, version: str) -> None:
    machine.java.write_text(version)
    machine.debian()
    machine.tool("id", "echo 0")
    outcome = machine.check()
    assert outcome.returncode == 0, outcome.stderr
    update, install = outcome.stdout.splitlines()
    assert update == "apt-get update -q"
    assert install == "apt-get install -q -y --no-install-recommends openjdk-21-jre-headless"


def test_a_user_who_may_use_sudo_gets_it_installed_too(machine: Machine) -> None:
    machine.debian()
    machine.tool("sudo", 'shift; exec "$@"')
    machine.tool("true", ":")
    assert machine.check().returncode == 0


@pytest.mark.parametrize("sudo", [None, "exit 1"])
def test_a_user_who_may_not_install_is_told_the_one_command(machine: Machine, sudo: str | None) -> None:
    machine.debian()
    if sudo:
        machine.tool("sudo", sudo)
    sentence = refused(machine.check())
    command = "sudo apt-get update && sudo apt-get install -y --no-install-recommends openjdk-21-jre-headless"
    assert sentence.endswith(f"Java 17 or newer missing; type: {command}")
    assert not machine.java.exists()


def test_without_the_argument_java_is_not_asked_for(machine: Machine) -> None:
    assert machine.check(sys.executable).returncode == 0


def test_spin_and_a_c_compiler_are_asked_for_by_their_argument_alone(machine: Machine) -> None:
    machine.debian()
    command = "sudo apt-get update && sudo apt-get install -y --no-install-recommends spin gcc"
    sentence = refused(machine.check(sys.executable, "spin"))
    assert sentence.endswith(f"the model checker Spin, a C compiler missing; type: {command}")
    machine.tool("spin", ":")
    machine.tool("gcc", ":")
    outcome = machine.check(sys.executable, "spin")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")


def test_root_gets_spin_installed(machine: Machine) -> None:
    machine.debian()
    machine.tool("cc", ":")
    machine.tool("id", "echo 0")
    outcome = machine.check(sys.executable, "spin")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "apt-get update -q",
        "apt-get install -q -y --no-install-recommends spin",
    ]


def test_a_browser_is_asked_for_by_its_argument_alone_and_google_chrome_will_do(machine: Machine) -> None:
    machine.debian()
    command = "sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium"
    sentence = refused(machine.check(sys.executable, "chromium"))
    assert sentence.endswith(f"the browser Chromium missing; type: {command}")
    machine.tool("google-chrome", ":")
    assert machine.check(sys.executable, "chromium").returncode == 0


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_the_tests_ask_for_spin_and_go_on_where_it_may_not_be_installed(machine: Machine) -> None:
    machine.debian()
    make = shutil.which("make")
    command = [make, "-C", str(SCRIPT.parents[1]), "--no-print-directory", f"PYTHON={sys.executable}"]
    planned = subprocess.run([*command, "-n", "test"], capture_output=True, text=True, check=True)
    assert "/prerequisites.sh" in planned.stdout
    assert " spin ||" in planned.stdout
    given = {"PATH": str(machine.bin)}
    outcome = subprocess.run([*command, "spin-if-possible"], env=given, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0
    sentence, consequence = outcome.stderr.splitlines()
    assert "the model checker Spin" in sentence
    assert consequence == "streambench: so the models of the algorithms are not searched"


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_the_edit_loop_lints_builds_and_runs_fast_tests_without_java_or_spin() -> None:
    command = [
        shutil.which("make"),
        "-C",
        str(SCRIPT.parents[1]),
        "--no-print-directory",
        f"PYTHON={sys.executable}",
        "-n",
    ]
    planned = subprocess.run([*command, "check"], capture_output=True, text=True, check=True).stdout
    lint = ('ruff" check', 'ruff" format --check', "mypy", 'clang-format" --dry-run -Werror', "grep -nE '^.{121,}'")
    steps = (*lint, "build_ext", '-m pytest -q -m "not slow"')
    for line, step in zip(planned.splitlines()[-len(steps) :], steps, strict=True):
        assert step in line
    assert not {"java", "spin", "chromium"} & set(planned.split())
    whole = subprocess.run([*command, "test"], capture_output=True, text=True, check=True).stdout
    assert "not slow" not in whole
    assert {"java", "spin", "chromium"} <= set(whole.split())


@pytest.mark.parametrize(("system", "advice"), [("Darwin", "brew install spin"), ("Linux", "https://spinroot.com")])
def test_without_apt_it_is_said_where_spin_comes_from(machine: Machine, system: str, advice: str) -> None:
    machine.tool("cc", ":")
    (machine.bin / "uname").unlink()
    machine.tool("uname", f"echo {system}")
    assert advice in refused(machine.check(sys.executable, "spin"))


def test_java_home_is_respected(machine: Machine, tmp_path: Path) -> None:
    machine.debian()
    machine.tool("id", "echo 0")
    assert "JAVA_HOME" in refused(machine.check(JAVA_HOME=str(tmp_path)))
    assert not machine.java.exists()
    (tmp_path / "home" / "bin").mkdir(parents=True)
    (tmp_path / "home" / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"25\" 2025' >&2\n")
    (tmp_path / "home" / "bin" / "java").chmod(0o755)
    assert machine.check(JAVA_HOME=str(tmp_path / "home")).returncode == 0


def test_several_missing_packages_are_one_command(machine: Machine) -> None:
    machine.debian()
    (machine.bin / "c++").unlink()
    assert "--no-install-recommends g++ openjdk-21-jre-headless" in refused(machine.check())


def test_a_system_without_apt_is_told_what_is_missing(machine: Machine) -> None:
    assert "Java 17 or newer" in refused(machine.check())


def test_a_python_that_is_missing_or_old_is_refused(machine: Machine, tmp_path: Path) -> None:
    assert "there is no nosuchpython" in refused(machine.check("nosuchpython"))
    machine.tool("oldpython", 'case "$1" in -V) echo "Python 3.10.1";; *) exit 1;; esac')
    assert "Python 3.10.1 is too old, 3.11 is needed" in refused(machine.check("oldpython"))


def test_the_script_is_valid_for_the_plainest_shell() -> None:
    assert subprocess.run(["sh", "-n", str(SCRIPT)], check=False).returncode == 0
