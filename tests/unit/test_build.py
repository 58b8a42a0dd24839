"""The build compiles what changed, once, whoever asks for it; the source distribution holds what work on it takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EDITABLE = "import setuptools.build_meta as backend; backend.build_editable('build')"
PXD = "cdef class Fruit:\n    cdef int seeds\n    cdef int count(self) noexcept nogil\n"
MODULES = {
    "fruit": "cdef class Fruit:\n    cdef int count(self) noexcept nogil:\n        return self.seeds\n",
    "apple": "from streambench.pyx.fruit cimport Fruit\ncdef class Apple(Fruit):\n    pass\n",
    "stone": "def weight(long[::1] view):\n    return view[0]\n",
}


class Project:
    """The real set-up around three small modules; a compiler cache on the PATH tells what is compiled."""

    def __init__(self, root: Path, tools: Path) -> None:
        self.root, self.log = root, tools / "log"
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy2(ROOT / name, root / name)
        for name in ("pyx", "queries", "datagen", "streambench"):
            (root / name).mkdir()
            (root / name / "__init__.py").touch()
        shutil.copy2(ROOT / "streambench" / "version.py", root / "streambench")
        (root / "pyx" / "fruit.pxd").write_text(PXD)
        for name, text in MODULES.items():
            (root / "pyx" / f"{name}.pyx").write_text(text)
        cache = tools / "ccache"
        cache.write_text(f'#!/bin/sh\necho "$*" >> "{self.log}"\nexec "$@"\n')
        cache.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "CFLAGS": "-O0"}
        self.environment.pop("STREAMBENCH_PROFILE", None)

    def compiled(self, *words: str) -> list[str]:
        """Build, and return the modules that were compiled."""
        self.log.write_text("")
        command = [sys.executable, *(words or ("setup.py", "-q", "build_ext", "--inplace"))]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
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


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("project", "tools"):
        (tmp_path / name).mkdir()
    return Project(tmp_path / "project", tmp_path / "tools")


def test_everything_is_compiled_once_by_pip_and_by_make_together(project: Project) -> None:
    everything = sorted([*MODULES, "shared_utility"])
    assert project.compiled("-c", EDITABLE) == everything
    assert project.compiled() == []
    shutil.rmtree(project.root / "build")
    assert project.compiled() == [], "what lies in place is up to date, whether or not there is a folder build/"
    assert project.compiled("-c", EDITABLE) == []


def test_a_changed_declaration_compiles_its_dependents_and_changed_flags_everything(project: Project) -> None:
    project.compiled()
    project.change("pyx/fruit.pxd")
    assert project.compiled() == ["apple", "fruit"]
    project.change("pyx/stone.pyx")
    assert project.compiled() == ["stone"]
    project.change("setup.py")
    assert project.compiled() == sorted([*MODULES, "shared_utility"])
    assert not list(project.root.rglob("*.html")), "annotations are for make annotate"


def test_the_source_distribution_holds_what_it_takes_to_work_on_it(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    listed = set((tmp_path / "streambench.egg-info" / "SOURCES.txt").read_text().splitlines())
    wanted = {"Makefile", "CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "setup.py", ".ci/run"}
    wanted |= {".ci/prerequisites.sh", "streambench/py.typed"}
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
