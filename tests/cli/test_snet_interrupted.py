"""Ctrl-C ends `streambench snet run` while it waits for records, and while a box is busy when it is asked again."""

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


@pytest.mark.parametrize("pipe", [False, True], ids=["standard input", "named pipe"])
@pytest.mark.parametrize("busy", [False, True], ids=["waiting", "busy"])
def test_ctrl_c_ends_a_run(tmp_path: Path, pipe: bool, busy: bool) -> None:
    (tmp_path / "net.snet").write_text(NET)
    (tmp_path / "boxes_f.py").write_text(BOXES)
    command = [sys.executable, "-m", "streambench", "snet", "run", "net.snet", "--boxes", "boxes_f"]
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
        run.send_signal(signal.SIGINT)
        if busy:
            with pytest.raises(subprocess.TimeoutExpired):
                run.wait(0.5)
            run.send_signal(signal.SIGINT)
        assert run.wait(30) == 130
        assert run.stderr.read().strip() == b"streambench: interrupted; nothing was left half-written"
