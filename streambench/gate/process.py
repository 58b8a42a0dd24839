"""A command with all that it starts: once it is left, nothing of it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from streambench.host.interrupts import held


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
    process = None
    try:
        with held():  # one that was started is known
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """The whole session: a process that has ended may have left others."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):  # it has ended, and what it was told last lies in the buffer
                pipe.close()
