"""The microbenchmarks are timed by `make microbench` alone; here each runs once, so that none rots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "microbench"


@pytest.mark.slow
def test_every_microbenchmark_runs_and_gives_what_it_shall() -> None:
    command = [sys.executable, "-m", "pytest", "-c", str(FOLDER / "pytest.ini"), "--benchmark-disable"]
    done = subprocess.run([*command, str(FOLDER)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    for name in FOLDER.glob("bench_*.py"):
        assert name.name in done.stdout, "pytest has collected nothing there"
