"""A command with all that it starts: once it is left, nothing of it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def started(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdout: IO[str] | int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Iterator[subprocess.Popen[str]]:
    """A process in ``folder`` that nobody can be asked by: it has no input and no terminal.

    What still runs when the block ends, by Ctrl-C too, is killed. Raises OSError where the command cannot be run.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
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
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
