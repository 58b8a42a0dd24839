"""A command with all that it starts: once it is left, nothing of it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


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
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):  # it has ended, and what it was told last lies in the buffer
                    pipe.close()
