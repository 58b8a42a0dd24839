"""Errors that a user can mend: the command line prints the sentence and exits, with no traceback."""

from __future__ import annotations

from streambench.pyx.tuples.errors import DataError, OptionError, StreambenchError

__all__ = ["DataError", "OperatorError", "OptionError", "SinkError", "StreambenchError"]


class OperatorError(StreambenchError):
    """An operator refused a tuple, or failed at the end of the stream.

    ``operator``: its name; ``serial``: which of the tuples given to it, counted from 0; ``values``: the tuple. At the
    end of the stream there is none, and ``serial`` is how many there were. ``reason``: the operator's own words.
    ``__cause__``: what a function raised, with its traceback. All that came before has reached the sink, nothing after.
    """

    def __init__(self, operator: str, serial: int, values: tuple[tuple[str, int], ...], reason: str) -> None:
        self.operator, self.serial, self.values, self.reason = operator, serial, values, reason
        shown = ", ".join(f"{name}={value}" for name, value in values)
        where = (
            f"its tuple with serial number {serial}, counted from 0 ({shown})"
            if values
            else f"the end of the stream, behind all of its {serial} tuples"
        )
        super().__init__(
            f"operator {operator} failed at {where}: {reason}; all before it has reached the sink, nothing after it."
        )


class SinkError(StreambenchError):
    """A sink could not take a batch, or end.

    ``sink``: its name; ``rows``: those of the batches that it took before. ``__cause__``: what it raised.
    """

    def __init__(self, sink: str, rows: int, problem: BaseException) -> None:
        self.sink, self.rows = sink, rows
        reason = " ".join(str(problem).split()).rstrip(".")
        if not isinstance(problem, StreambenchError):
            reason = f"{type(problem).__name__}: {reason}" if reason else type(problem).__name__
        super().__init__(f"the sink {sink} failed after {rows:,} rows: {reason}.")
