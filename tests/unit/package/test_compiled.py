"""Compiled modules of tests are built when they are made of something else than before, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import compiled
import pytest

SETUP = """
import os
from Cython.Build import cythonize
from setuptools import Extension, setup
setup(ext_modules=cythonize([Extension("NAME", ["NAME.pyx"])], build_dir=os.environ["CPP_FOLDER"]))
"""


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The processes that are begun; modules are built below a folder of this test's own."""
    commands: list[Any] = []
    run = subprocess.run

    def noted(command: Any, **how: Any) -> Any:
        commands.append(command)
        return run(command, **how)

    monkeypatch.setattr(compiled, "BUILD", tmp_path / "build")
    monkeypatch.setattr(subprocess, "run", noted)
    monkeypatch.setenv("CFLAGS", "-O0")
    return commands


def folder(root: Path, name: str, text: str) -> Path:
    made = root / name
    made.mkdir()
    (made / "setup.py").write_text(SETUP.replace("NAME", name))
    (made / f"{name}.pyx").write_text(text)
    return made


@pytest.mark.slow
def test_no_process_is_begun_when_nothing_has_changed(tmp_path: Path, begun: list[Any]) -> None:
    sources = folder(tmp_path, "made_once", "ANSWER = 42\n")
    for _ in range(3):
        (module,) = compiled.compiled(sources, "once")
        assert module.ANSWER == 42
    assert len(begun) == 1
    os.utime(sources / "made_once.pyx")  # newer, and the same
    compiled.compiled(sources, "once")
    assert len(begun) == 1
    Path(str(module.__file__)).unlink()
    del sys.modules["made_once"]
    compiled.compiled(sources, "once")
    assert len(begun) == 2


@pytest.mark.slow
def test_what_does_not_compile_is_said_and_tried_again(tmp_path: Path, begun: list[Any]) -> None:
    sources = folder(tmp_path, "made_wrong", "ANSWER = = 42\n")
    for _ in range(2):
        with pytest.raises(compiled.NotCompiledError, match=r"made_wrong does not compile:[\s\S]*ANSWER = = 42"):
            compiled.compiled(sources, "wrong")
    assert len(begun) == 2
    (sources / "made_wrong.pyx").write_text("ANSWER = 42\n")
    assert compiled.compiled(sources, "wrong")[0].ANSWER == 42


def test_sources_declarations_and_tools_all_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = folder(tmp_path, "counted", "ANSWER = 42\n")
    package = tmp_path / "lib" / "streambench" / "pyx" / "room"
    package.mkdir(parents=True)
    monkeypatch.setattr(compiled.streambench, "get_include", lambda: str(tmp_path / "lib"))
    found = [compiled.ingredients(sources)]
    assert compiled.ingredients(sources) == found[0]

    def changed() -> bool:
        found.append(compiled.ingredients(sources))
        return len(set(found)) == len(found)

    (sources / "counted.pyx").write_text("ANSWER = 43\n")
    assert changed()
    (sources / "counted.pxd").write_text("\n")
    assert changed()
    (package / "unit.pxd").write_text("cdef int one\n")
    assert changed()
    (package / "unit.pxd").write_text("cdef int two\n")
    assert changed()
    (package / "unit.h").write_text("// C++\n")
    assert changed()
    monkeypatch.setenv("CXXFLAGS", "-O0")
    assert changed()
    monkeypatch.setattr(compiled.Cython, "__version__", "99")
    assert changed()
