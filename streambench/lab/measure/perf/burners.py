"""Neighbours that are there on purpose: processes that burn a core each while something is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

SCRIPT = Path(__file__).with_name("burner.py")
FOR_LONG = 1e9  # seconds of the steady clock: until it is stopped


class Burner:
    """A process that is busy from ``begin`` to ``end``, seconds of ``time.monotonic``; a context that ends it.

    It is in a process group of its own, so that Ctrl-C in a terminal reaches whoever measures, and not the process; but
    in the same session: Linux may share the cores out by session first, and by thread within one.
    """

    def __init__(self, begin: float = 0.0, end: float = FOR_LONG) -> None:
        command = [sys.executable, "-S", str(SCRIPT), str(os.getpid()), str(begin), str(end)]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace", process_group=0
        )

    def __enter__(self) -> Burner:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def wait_until_busy(self) -> None:
        """Return when it has begun."""
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def moments(self) -> tuple[float, float]:
        """When it began and ended, once it has ended."""
        assert self._process.stdout is not None
        words = self._process.stdout.read().split()
        return float(words[-2]), float(words[-1])


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many burners, of which each has begun, on whatever cores the system puts them."""
    with ExitStack() as stack:
        for burner in [stack.enter_context(Burner()) for _ in range(count)]:
            burner.wait_until_busy()
        yield
