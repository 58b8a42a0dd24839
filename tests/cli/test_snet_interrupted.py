"""Ctrl-C ends `streambench snet run` while it waits for records, and while a box is busy; so does SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

NET = "box f ((a) -> (a)); net X connect f;"
BOXES = """
import sys, time

def f(a):
    if a == 2:
        print("busy", file=sys.stderr, flush=True)
        time.sleep(100)
    return {"a": a}
"""


CASES = [
    pytest.param(pipe, busy, workers, signal.SIGINT, id=f"{pipe} {busy} {workers}")
    for pipe in ("", "pipe")
    for busy, workers in (("", "2"), ("busy", "1"), ("busy", "2"))
]


@pytest.mark.parametrize(("pipe", "busy", "workers", "number"), [*CASES, ("", "busy", "2", signal.SIGTERM)])
def test_a_signal_ends_a_run(tmp_path: Path, pipe: str, busy: str, workers: str, number: signal.Signals) -> None:
    """Also with a box that sleeps for long, whether or not another worker waits for a record meanwhile."""
    (tmp_path / "net.snet").write_text(NET)
    (tmp_path / "boxes_f.py").write_text(BOXES)
    command = [sys.executable, "-m", "streambench", "snet", "run", "net.snet", "--boxes", "boxes_f"]
    command += ["--workers", workers]
    if pipe:
        os.mkfifo(tmp_path / "pipe")
        command += ["-i", "pipe"]
    run = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdin is not None
    assert run.stdout is not None
    assert run.stderr is not None
    with run, (tmp_path / "pipe").open("wb", buffering=0) if pipe else run.stdin as records:
        records.write(b'{"a": 1}\n')
        records.flush()
        assert run.stdout.readline() == b'{"a": 1}\n'  # it came out, though the input has not ended
        if busy:
            records.write(b'{"a": 2}\n')
            records.flush()
            assert run.stderr.readline() == b"busy\n"
        run.send_signal(number)
        assert run.wait(30) == (130 if number == signal.SIGINT else 143)
        assert run.stderr.read().strip() == b"streambench: interrupted; nothing was left half-written"


@pytest.mark.parametrize("kept", [False, True])
def test_after_a_signal_amid_a_box_there_is_no_half_of_a_file(tmp_path: Path, kept: bool) -> None:
    (tmp_path / "net.snet").write_text(NET)
    (tmp_path / "boxes_f.py").write_text(BOXES)
    (tmp_path / "in.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    if kept:
        (tmp_path / "out.jsonl").write_text("old\n")
    before = sorted(tmp_path.iterdir())
    command = [sys.executable, "-Bm", "streambench", "snet", "run", "net.snet", "--boxes", "boxes_f"]
    command += ["-i", "in.jsonl", "-o", "out.jsonl"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == b"busy\n"
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 130
        assert run.stderr.read().strip() == b"streambench: interrupted; nothing was left half-written"
    assert sorted(tmp_path.iterdir()) == before
    assert not kept or (tmp_path / "out.jsonl").read_text() == "old\n"
