"""Ctrl-C that waits for the end of what must not be broken off.

In the middle of an import it can be lost: the import system, and the start-up code of extension modules, drop a
KeyboardInterrupt or turn it into an ImportError. Between two steps that belong together, one is left without the other.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = "streambench: interrupted; nothing was left half-written"


@contextmanager
def held() -> Iterator[None]:
    """Hold SIGINT back until the block has ended; then its handler is called.

    Does nothing in a thread other than the main one, which signals do not reach, and where SIGINT has no handler.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])
