"""What tells a pipeline from others, and which of its operators can be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import numpy as np

from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.operator import Operator, Source, Stateless

NOT_SAVED = (Operator.save, BatchSink.save)


def identity(operators: Sequence[Operator]) -> tuple[str, ...]:
    """A line for each operator: its class, name, the columns that it reads and emits, and what it says of itself."""
    return tuple(_line(each) for each in operators)


def _line(operator: Operator) -> str:
    columns = ", ".join(f"{name} {type.str}" for name, type in operator.schema or ())
    reads = f"({', '.join(operator.reads)}) to " if operator.reads else ""
    of = f"; {operator.identity}" if operator.identity else ""
    return f"{type(operator).__name__} {operator.name} {reads}({columns}){of}"


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


def require_arrays(operator: Operator, state: object) -> None:
    """Raise OptionError for a state that a file would not give back as it is."""
    if not isinstance(state, Mapping):
        raise OptionError(
            f"`save` of {_called(operator)} returns a {type(state).__name__}: return a dictionary of NumPy arrays."
        )
    for name, array in state.items():
        if type(array) is not np.ndarray or array.dtype.hasobject or array.dtype.names is not None:
            shown = f"of {array.dtype}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
            raise OptionError(
                f"`save` of {_called(operator)} gives {name!r}, {shown}: give NumPy arrays of numbers or bytes."
            )


def _called(operator: Operator) -> str:
    kind = type(operator).__name__
    return f"the {kind}" if operator.name == kind else f"operator {operator.name}, a {kind},"
