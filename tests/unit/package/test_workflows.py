"""The workflows and the action are valid; make, CI or a test runs every command in them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from ruamel.yaml import YAML

from streambench.lab.cli import cli
from streambench.lab.cli.gate import command

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
MAKEFILE = (ROOT / "Makefile").read_text()


def steps(path: Path) -> list[dict[str, Any]]:
    document = YAML(typ="safe").load(path)
    jobs = [document["runs"]] if "runs" in document else document["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


COMMANDS = [
    pytest.param(line.strip(), id=f"{path.stem}: {line.strip()[:40]}")
    for path in WORKFLOWS
    for step in steps(path)
    for line in step.get("run", "").splitlines()
]


@pytest.mark.parametrize(
    ("schema", "path"),
    [*(("github-workflows", path) for path in WORKFLOWS), ("github-actions", ACTION)],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_every_workflow_and_the_action_follow_the_schema_of_the_service(schema: str, path: Path) -> None:
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    checked = subprocess.run([*checker, str(path)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_script_is_valid_for_its_shell_and_every_file_in_it_exists() -> None:
    scripts = [step["run"] for path in (*WORKFLOWS, ACTION) for step in steps(path) if "run" in step]
    assert scripts
    for script in scripts:
        parsed = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
        assert parsed.returncode == 0, parsed.stderr
        assert all((ROOT / name).is_file() for name in re.findall(r"(?:tests/|\.ci/)[\w./-]+", script))


BY_MAKE = {
    "bash .ci/run": "make package",
    'for wheel in wheelhouse/*.whl; do python tests/wheel/baseline_code.py "$wheel"; done': "code.py dist/*.whl",
    "python -m build --sdist": "-m build",
}
"""The commands that `.ci/run` and `make package` run, each with what shows that they do."""


@pytest.mark.parametrize("line", COMMANDS)
def test_make_or_a_test_here_runs_every_command_of_the_workflows(line: str) -> None:
    if line in BY_MAKE:
        assert BY_MAKE[line] in MAKEFILE + (ROOT / ".ci" / "run").read_text()
    elif line.startswith("python -m pip install "):
        requirement = Requirement(shlex.split(line)[-1])
        assert requirement.specifier.contains(version(requirement.name))
    else:
        assert line == "python -m cibuildwheel --output-dir wheelhouse"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_cibuildwheel_reads_its_settings_and_names_a_wheel_for_every_python(machine: str) -> None:
    builder = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", "linux"]
    listed = subprocess.run(
        [*builder, "--archs", machine, str(ROOT)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert listed.returncode == 0, listed.stderr
    minors = re.findall(r"cp3(\d+)-manylinux", (ROOT / "pyproject.toml").read_text())
    assert listed.stdout.split() == [f"cp3{minor}-manylinux_{machine}" for minor in minors]


@pytest.mark.parametrize(
    ("outcome", "inconclusive", "job"), [(0, "pass", 0), (1, "pass", 1), (2, "pass", 0), (2, "fail", 2), (3, "pass", 3)]
)
@pytest.mark.parametrize("counting", ["true", "false"])
def test_the_action_calls_the_gate_with_options_it_has_and_passes_its_exit_code_on(
    tmp_path: Path, outcome: int, inconclusive: str, job: int, counting: str
) -> None:
    environment = tmp_path / ".venv" / "bin"
    environment.mkdir(parents=True)
    executable = environment / "streambench"
    executable.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/words"\nexit {outcome}\n')
    executable.chmod(0o755)
    variables = {
        **os.environ,
        "GITHUB_ACTION_PATH": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "BASE": "origin/main",
        "ONLY": "q1,q4",
        "FAIL_OVER": "5%",
        "BUDGET": "5m",
        "COUNTING": counting,
        "INCONCLUSIVE": inconclusive,
    }
    script = next(step["run"] for step in steps(ACTION) if step.get("id") == "gate")
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == job, ran.stderr
    assert (tmp_path / "output").read_text() == f"exit-code={outcome}\n"
    assert "no verdict" in (tmp_path / "summary").read_text()
    words = (tmp_path / "words").read_text().split()
    assert words[0] == "gate"
    above = cli.make_context("streambench", words)  # click keeps a command's help option as its first context has it
    options = command.make_context("gate", words[1:], parent=above).params
    assert options["base"] == "origin/main"
    assert options["instructions"] == (counting == "true")
