"""Waiting in the thread of an event loop that a run needs."""

from __future__ import annotations

from typing import Any

from streambench.errors import StreambenchError


def require_no_need(source: Any) -> None:
    """Raise StreambenchError where the event loop of this thread reads ``source``, or one of its streams: whoever waits
    here for the run keeps the loop from reading."""
    if any(getattr(each, "needs_this_loop", False) for each in (source, *getattr(source, "streams", ()))):
        raise StreambenchError(
            "this thread's event loop reads the async Feed of the run, and cannot while the thread waits: write `async "
            "for` over stream(), or `await asyncio.to_thread(pipeline.run)`."
        )
