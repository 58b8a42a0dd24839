"""A process that is left is ended with all that it has started."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import IO

import psutil
import pytest

from streambench.lab.gate.process import MOST_SAID, reason, started


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


def test_what_leaves_the_session_is_ended_too(tmp_path: Path) -> None:
    with started(["sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' &"], tmp_path, os.environ) as process:
        assert process.stdout is not None
        left = int(process.stdout.readline())
        assert process.wait(60) == 0
        assert psutil.pid_exists(left)
    psutil.wait_procs([psutil.Process(left)] if psutil.pid_exists(left) else [], 60)
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("err", "code", "told"),
    [
        ("a note\n", -signal.SIGSEGV, "it was ended by signal 11, Segmentation fault"),
        ("first\nstreambench: last \n", 1, "last"),
        (" \n", 3, "it ended with 3"),
        (1000 * "e", 1, MOST_SAID * "e"),
    ],
)
def test_a_reason_is_one_short_sentence(err: str, code: int, told: str) -> None:
    assert reason(err, code) == told


def interrupted(folder: Path, out: IO[str], said: IO[str]) -> None:
    with started(["sh", "-c", "(sleep 3; echo late) & echo begun; wait"], folder, os.environ, out):
        assert said.readline() == "begun\n"
        raise KeyboardInterrupt
