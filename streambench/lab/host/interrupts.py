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


SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until the block has ended; then the handler of the first that came is called.

    Does nothing in a thread other than the main one, which signals do not reach, nor with a signal that has no handler.
    """
    handlers = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    if threading.current_thread() is not threading.main_thread() or not handlers:
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            first, frame = came[0]
            handlers[signal.Signals(first)](first, frame)
