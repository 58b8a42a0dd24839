"""Aggregates of a user's own."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from streambench.errors import OptionError
from streambench.operators.column_types import record_type, wide


@dataclass(frozen=True)
class OwnAggregate:
    """What ``aggregate`` has been given; stands in the place of a function's name, with a column."""

    name: str
    state: np.dtype[Any]
    add: Callable[..., object]
    merge: Callable[..., object]
    result: Callable[..., object]
    emits: str


def aggregate(
    *,
    state: npt.DTypeLike,
    add: Callable[..., object],
    merge: Callable[..., object],
    result: Callable[..., object],
    emits: Literal["float64", "int64"] = "float64",
) -> OwnAggregate:
    """An aggregate of functions that Numba compiles; use it as ``{"spread": (it, "amount")}``.

    ``state``: a dtype with fields, or its fields; each window, or pane, has such a record, all zero at first.
    ``add(state, value)`` takes a value in, ``merge(state, later)`` makes the state of some tuples that of these and of
    the ones behind them, and ``result(state)`` returns what is emitted. A state that is all zero is that of no value:
    merged with another, it must change nothing. None of them may raise an exception.

    Raises OptionError where Numba is not installed, and, as the pipeline is built, for functions that Numba cannot
    compile or that may raise.
    """
    name = getattr(add, "__name__", "add")
    if importlib.util.find_spec("numba") is None:
        raise OptionError("an own aggregate needs Numba, which is not installed: pip install 'streambench[numba]'.")
    if emits not in ("float64", "int64"):
        raise OptionError(f"an own aggregate emits float64 or int64, not {emits!r}.")
    for each in (add, merge, result):
        if not callable(each):
            raise OptionError(f"an own aggregate is made of functions, of which {each!r} is none.")
    return OwnAggregate(name, wide(record_type(name, state)), add, merge, result, emits)
