"""A command with all that it starts: once it is left, nothing of it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from streambench.lab.host.interrupts import held

MARK = "STREAMBENCH_GATE_PROCESS"
"""The variable by which what a command has started is known, in whatever session it runs."""
MOST_SAID = 300  # characters of a reason: a full disk is told once for every file


@contextmanager
def started(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdout: IO[str] | int = subprocess.PIPE,
    stderr: IO[str] | int = subprocess.PIPE,
    stdin: int = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[str]]:
    """A process in ``folder`` that nobody can be asked by: it has no terminal and, if not told otherwise, no input.

    What still runs when the block ends, by Ctrl-C too, is killed. Raises OSError where the command cannot be run.
    """
    process, mark = None, uuid.uuid4().hex
    try:
        with held():  # one that was started is known
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environment, MARK: mark},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                encoding=sys.getfilesystemencoding(),  # git prints paths
                errors="surrogateescape",
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            _end(process, mark)


def reason(err: str, code: int) -> str:
    """Why a command failed: the signal that ended it, else the last line that it said, else its exit code."""
    if code < 0:
        return f"it was ended by signal {-code}, {signal.strsignal(-code)}"
    lines = err.strip().splitlines() or [f"it ended with {code}"]
    return lines[-1].strip().removeprefix("streambench: ")[:MOST_SAID]


def _end(process: subprocess.Popen[str], mark: str) -> None:
    """The whole session, and those that left it: a process that has ended may have left others."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for each in Path("/proc").glob("[1-9]*/environ"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if f"{MARK}={mark}".encode() in each.read_bytes().split(b"\0"):
                os.kill(int(each.parent.name), signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):  # it has ended, and what it was told last lies in the buffer
                pipe.close()
