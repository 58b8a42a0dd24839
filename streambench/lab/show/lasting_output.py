"""Output of a command whose exit code is a verdict: once its reader has gone, as in a pipe into `head`, what is printed
is dropped, and the command goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def lasting(stream: IO[str] | None = None) -> Iterator[None]:
    """For what is printed on a stream, standard output if none is named."""
    try:
        yield
    except BrokenPipeError:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # for what lies in the buffer when Python ends
            os.dup2(nowhere.fileno(), (stream or sys.stdout).fileno())
