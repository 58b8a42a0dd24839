"""A process that is left is ended with all that it has started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

import pytest

from streambench.gate.process import started


def test_nothing_that_was_started_runs_on_after_ctrl_c(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as said:
        with os.fdopen(writing, "w") as out, pytest.raises(KeyboardInterrupt):
            interrupted(tmp_path, out, said)
        assert said.read() == ""  # it ends when nobody is left who could write


def test_what_outlives_the_process_is_ended_too(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as said:
        with (
            os.fdopen(writing, "w") as out,
            started(["sh", "-c", "sleep 1000 &"], tmp_path, os.environ, out) as process,
        ):
            assert process.wait(60) == 0
        assert said.read() == ""  # it ends when nobody is left who could write


def interrupted(folder: Path, out: IO[str], said: IO[str]) -> None:
    with started(["sh", "-c", "(sleep 3; echo late) & echo begun; wait"], folder, os.environ, out):
        assert said.readline() == "begun\n"
        raise KeyboardInterrupt
