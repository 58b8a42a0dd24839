"""`streambench run --live`: a table on a terminal, a line elsewhere; the run and its answer are the same."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from hand_made import Call

SHOW_CURSOR = b"\x1b[?25h"


def test_where_there_is_no_terminal_a_line_is_told_beside_the_summary(call: Call, data: Path) -> None:
    live = call("run", "q1", "--data", data, "--workers", 2, "--live")
    plain = call("run", "q1", "--data", data, "--workers", 2)
    assert live.code == plain.code == 0
    assert "q1 (ordered): " in live.err
    assert " tuples, " in live.err
    assert "\x1b" not in live.err
    # As words: how far lines are filled up goes by the longest one, and times are among those above.
    assert live.out.split("digest")[1].split() == plain.out.split("digest")[1].split()


def test_live_and_quiet_contradict_each_other(call: Call, data: Path) -> None:
    refused = call("run", "q1", "--data", data, "--live", "--quiet")
    assert refused.code == 2
    assert "leave out one of them" in refused.err


def test_ctrl_c_leaves_the_terminal_whole(data: Path) -> None:
    ours, its = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "streambench",
        "run",
        "q1",
        "--data",
        str(data),
        "--rate",
        "0.5",
        "--live",
        "--no-pin",
    ]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its, env=environment)
    os.close(its)
    shown = b""
    while b"waiting" not in shown:  # the table's head: the run goes on
        shown += os.read(ours, 4096)
    running.send_signal(signal.SIGINT)
    after = b""
    try:
        while more := os.read(ours, 4096):
            after += more
    except OSError:  # Linux's end of a terminal that nobody has open any more
        pass
    os.close(ours)
    assert running.wait() == 130
    assert SHOW_CURSOR in after
    assert b"tuples, " not in after[after.rindex(SHOW_CURSOR) :], "nothing of the table comes later"
    assert b"interrupted" in after
