"""What tells a pipeline from others, and which of its operators can be saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.operator import Operator, Source, Stateless

NOT_SAVED = (Operator.save, BatchSink.save)


def identity(operators: Sequence[Operator]) -> tuple[str, ...]:
    """A line for each operator: its class, its name, the columns that it emits, and what it says of itself."""
    return tuple(_line(each) for each in operators)


def _line(operator: Operator) -> str:
    columns = ", ".join(f"{name} {type.str}" for name, type in operator.schema or ())
    of = f"; {operator.identity}" if operator.identity else ""
    return f"{type(operator).__name__} {operator.name} ({columns}){of}"


def require_same(then: Sequence[str], now: Sequence[str], folder: object) -> None:
    """Raise DataError where a checkpoint is of another pipeline."""
    for place, (was, is_now) in enumerate(zip_longest(then, now)):
        if was != is_now:
            raise DataError(
                f"the checkpoints in {folder} are of another pipeline, whose operator {place} is "
                f"{was or 'none'}, where this one's is {is_now or 'none'}: name an empty folder by checkpoint=."
            )


def require_savable(operators: Sequence[Operator]) -> None:
    """Raise OptionError for an operator that has a state, or a place in the stream, and no methods to save it."""
    for each in operators:
        if not isinstance(each, Stateless) and type(each).save in NOT_SAVED:
            hint = "an ArrowSource can" if isinstance(each, Source) else "give it the methods save and load"
            raise OptionError(f"{_called(each)} cannot be saved: leave out `checkpoint`, or {hint}.")


def _called(operator: Operator) -> str:
    kind = type(operator).__name__
    return f"the {kind}" if operator.name == kind else f"operator {operator.name}, a {kind},"
