"""Aggregates of a user's own."""

from __future__ import annotations

import importlib.util
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from streambench.errors import OptionError
from streambench.operators.column_types import record_type, wide
from streambench.operators.function_operator import BY_PLACE

PARAMETERS = {"add": ("state", "value"), "merge": ("state", "later"), "result": ("state",)}


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
    for option, each in {"add": add, "merge": merge, "result": result}.items():
        _require_function(option, each)
    return OwnAggregate(name, wide(record_type(name, state)), add, merge, result, emits)


def _require_function(option: str, function: object) -> None:
    plain = getattr(function, "py_func", function)  # Numba's own decorator stands between
    if not isinstance(plain, types.FunctionType):
        raise OptionError(f"an own aggregate is made of functions, of which {option}={function!r} is none.")
    needed = PARAMETERS[option]
    signature = inspect.signature(plain)
    try:
        signature.bind(*needed)
        fits = all(each.kind in BY_PLACE for each in signature.parameters.values())
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(
            f"an own aggregate: {option}= needs as parameters {', '.join(needed)}, but {plain.__name__} has "
            f"{', '.join(map(str, signature.parameters.values())) or 'none'}."
        )
