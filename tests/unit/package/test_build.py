"""The build compiles what changed, once, whoever asks for it; the source distribution holds what work on it takes."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EDITABLE = "import setuptools.build_meta as backend; backend.build_editable('build')"
PXD = "cdef class Fruit:\n    cdef int seeds\n    cdef int count(self) noexcept nogil\n"
FACADE = "from streambench.pyx.orchard.fruit cimport Fruit\n"
MODULES = {
    "orchard/fruit": "cdef class Fruit:\n    cdef int count(self) noexcept nogil:\n        return self.seeds\n",
    "apple": "from streambench.pyx.fruit cimport Fruit\ncdef class Apple(Fruit):\n    pass\n",
    "orchard/stone": "def weight(long[::1] view):\n    return view[0]\n",
}

EVERYTHING = sorted([*(Path(each).name for each in MODULES), "shared_utility"])


class Project:
    """The real set-up around three modules, two in a room; a compiler cache on the PATH tells what it compiles."""

    def __init__(self, root: Path, tools: Path) -> None:
        self.root, self.log = root, tools / "log"
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy2(ROOT / name, root / name)
        for name in ("pyx", "queries", "datagen", "streambench"):
            (root / name).mkdir()
            (root / name / "__init__.py").touch()
        shutil.copy2(ROOT / "streambench" / "version.py", root / "streambench")
        (root / "pyx" / "orchard").mkdir()
        (root / "pyx" / "orchard" / "__init__.py").touch()
        (root / "pyx" / "orchard" / "fruit.pxd").write_text(PXD)
        (root / "pyx" / "fruit.pxd").write_text(FACADE)
        for name, text in MODULES.items():
            (root / "pyx" / f"{name}.pyx").write_text(text)
        cache = tools / "ccache"
        cache.write_text(f'#!/bin/sh\necho "$*" >> "{self.log}"\nexec "$@"\n')
        cache.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "CFLAGS": "-O0"}
        self.environment.pop("STREAMBENCH_PROFILE", None)

    def copied(self, root: Path) -> Project:
        """A project of which just as much is built; their compiler cache is one."""
        shutil.copytree(self.root, root, symlinks=True)
        made = copy.copy(self)
        made.root, made.environment = root, dict(self.environment)
        return made

    def compiled(self, *words: str) -> list[str]:
        """Build, and return the modules that were compiled."""
        self.log.write_text("")
        command = [sys.executable, *(words or ("setup.py", "-q", "build_ext", "--inplace"))]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.said = "".join(line for line in done.stderr.splitlines() if "invalid-pch" in line)
        calls = [line.split() for line in self.log.read_text().splitlines()]
        return sorted(Path(call[call.index("-c") + 1]).stem for call in calls if "-c" in call)

    def change(self, name: str) -> None:
        """Make a file newer than all that was built, and older than what is built next, however coarse the clock."""
        for path in self.root.rglob("*"):
            if path.is_file() and not path.is_symlink():
                written = path.stat().st_mtime - 10
                os.utime(path, (written, written))
        soon_past = time.time() - 5
        os.utime(self.root / name, (soon_past, soon_past))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """By pip and by make, from nothing: two tests go on from a copy."""
    project = Project(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("tools"))
    assert project.compiled("-c", EDITABLE) == EVERYTHING
    assert project.compiled() == []
    return project


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    return built.copied(tmp_path / "project")


@pytest.mark.slow
def test_everything_is_compiled_once_by_pip_and_by_make_together(project: Project) -> None:
    shutil.rmtree(project.root / "build")
    assert project.compiled() == [], "what lies in place is up to date, whether or not there is a folder build/"
    assert project.compiled("-c", EDITABLE) == []


@pytest.mark.slow
def test_a_changed_declaration_compiles_its_dependents_and_changed_flags_everything(project: Project) -> None:
    project.change("pyx/orchard/fruit.pxd")  # apple knows what hands it on
    assert project.compiled() == ["apple", "fruit"]
    project.change("pyx/orchard/stone.pyx")
    assert project.compiled() == ["stone"]
    project.change("setup.py")
    assert project.compiled() == EVERYTHING
    assert not list(project.root.rglob("*.html")), "annotations are for make annotate"


@pytest.mark.slow
def test_a_wheel_takes_what_is_compiled_in_place(project: Project) -> None:
    assert project.compiled("setup.py", "-q", "bdist_wheel", "-d", "wheels") == []
    (wheel,) = (project.root / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        modules = {Path(name).name.partition(".")[0] for name in opened.namelist() if name.endswith(".so")}
    assert modules == set(EVERYTHING)
    project.change("pyx/orchard/stone.pyx")
    assert project.compiled("setup.py", "-q", "bdist_wheel", "-d", "wheels") == ["stone"]


@pytest.mark.slow
def test_common_headers_are_parsed_once_and_anew_for_other_flags(project: Project) -> None:
    """GCC takes what is precompiled only for the flags that it was made with, and says nothing otherwise."""
    compiler = (os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++").split()
    if (
        "Free Software Foundation"
        not in subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False).stdout
    ):
        pytest.skip("the compiler is not GCC")
    precompiled = project.root / "build" / "headers" / f"release-{sys.implementation.cache_tag}.h.gch"
    assert precompiled.exists()
    first = precompiled.stat()
    project.change("pyx/orchard/stone.pyx")
    project.compiled()
    assert "-Winvalid-pch" in project.log.read_text()
    assert not project.said
    assert precompiled.stat().st_ino == first.st_ino
    project.environment["CFLAGS"] = "-O1"
    project.change("pyx/orchard/stone.pyx")
    assert project.compiled() == ["stone"]
    assert precompiled.stat().st_ino != first.st_ino or precompiled.stat().st_ctime_ns > first.st_ctime_ns
    assert not project.said


@pytest.mark.slow
def test_the_source_distribution_holds_what_it_takes_to_work_on_it(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    listed = set((tmp_path / "streambench.egg-info" / "SOURCES.txt").read_text().splitlines())
    wanted = {"Makefile", "CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "setup.py", ".ci/run"}
    wanted |= {".ci/prerequisites.sh", "streambench/py.typed"}
    wanted |= {f"streambench/lab/report/page/page.{kind}" for kind in ("html", "css", "js")}
    for pattern in ("tests/**/*", "docs/**/*", "streambench/**/*.py"):
        wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if path.is_file()}
    for folder in ("pyx", "queries", "datagen"):
        kinds = (".py", ".pyx", ".pxd", ".pyi", ".sql")
        wanted |= {
            f"streambench/{path.relative_to(ROOT)}" for path in (ROOT / folder).rglob("*") if path.suffix in kinds
        }
    built = (".so", ".cpp", ".c", ".html", ".pyc")
    assert {name for name in wanted if not name.endswith(built) and "__pycache__" not in name} <= listed
    assert not [name for name in listed if name.endswith(built)]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize("linked", [True, False], ids=["a checkout", "a source distribution"])
def test_clean_removes_what_was_built_in_every_room_and_no_source(tmp_path: Path, linked: bool) -> None:
    shutil.copy2(ROOT / "Makefile", tmp_path)
    (tmp_path / "tests").mkdir()
    home = tmp_path if linked else tmp_path / "streambench"
    sources = [
        "pyx/top.pxd",
        "pyx/room/unit.pyx",
        "pyx/room/__init__.py",
        "queries/q1/operators.pyx",
        "queries/q1/o.sql",
    ]
    built = ["pyx/utility.so", "pyx/utility.c", "pyx/room/unit.so", "pyx/room/unit.cpp", "pyx/room/unit.html"]
    built += ["queries/q1/operators.so", "queries/q1/operators.cpp", "pyx/room/__pycache__/a.pyc"]
    paths = [home / name for name in (*sources, *built)]
    laboratory = tmp_path / "streambench/lab"
    page, module = laboratory / "report/page/page.html", laboratory / "host/interference.so"
    for path in (*paths, page, module):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name in ("pyx", "queries") if linked else ():
        (tmp_path / "streambench" / name).symlink_to(Path("..") / name)
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert [name for name in sources if (home / name).exists()] == sources
    assert [name for name in built if (home / name).exists()] == []
    assert (page.exists(), module.exists()) == (True, False)
