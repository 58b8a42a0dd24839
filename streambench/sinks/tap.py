"""A second sink amid a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from streambench.errors import OptionError
from streambench.pyx.tuples.operator import Sink
from streambench.pyx.tuples.tap import Tap
from streambench.sinks.callback_sink import CallbackSink

if TYPE_CHECKING:
    import pyarrow as pa


def tap(sink: Sink | Callable[[pa.RecordBatch], object]) -> Tap:
    """An operator that gives ``sink`` all rows, in order, and passes them on as they are.

    A function is called as by a ``CallbackSink``. Raises OptionError for what is neither.
    """
    if isinstance(sink, Sink):
        return Tap(sink)
    if not callable(sink):
        raise OptionError(f"tap takes a Sink or a function, not a {type(sink).__name__}.")
    return Tap(CallbackSink(sink))
