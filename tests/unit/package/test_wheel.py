"""What the workflow `wheels` does with a wheel is right: it finds code for newer processors, and its trial runs."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from streambench.lab.data import narrow
from streambench.pyx.partition import group
from streambench.pyx.state import count_table

ROOT = Path(__file__).resolve().parents[3]
WHEEL = ROOT / "tests" / "wheel"


@pytest.fixture(scope="module")
def baseline() -> ModuleType:
    spec = importlib.util.spec_from_file_location("baseline_code", WHEEL / "baseline_code.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(platform.machine() != "x86_64", reason="of x86-64 code")
def test_code_for_newer_processors_is_found_where_it_is_not_chosen(baseline: ModuleType, tmp_path: Path) -> None:
    for module in (group, narrow, count_table):  # with SIMD functions that are chosen while they run, and without
        assert baseline.newer_code(Path(module.__file__)) == {}
    source, library = tmp_path / "sum.cpp", tmp_path / "sum.so"
    source.write_text('extern "C" double sum(double a, double b) { return a * b + a; }\n')
    for flag, wrong in (("-mavx2", ["sum"]), ("-msse2", [])):
        subprocess.run([os.environ.get("CXX", "g++"), "-O2", flag, "-shared", "-o", library, source], check=True)
        assert list(baseline.newer_code(library)) == wrong


def test_the_trial_of_a_wheel_finds_the_library_right_by_itself(tmp_path: Path) -> None:
    command = [sys.executable, str(WHEEL / "try_library.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the library is right by itself" in done.stdout


@pytest.mark.slow
def test_the_trial_of_a_wheel_finds_queries_and_python_operators_right(tmp_path: Path) -> None:
    command = [sys.executable, str(WHEEL / "try_wheel.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "by Numba: right" in done.stdout
