"""Spans of time: a plain number in the unit of a column of times, or what has a unit of its own.

The latter is a text such as ``5min``, a ``datetime.timedelta`` or an ``np.timedelta64``.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np

from streambench.pyx.tuples.whole_number import is_whole_number

Span = int | np.integer[Any] | str | datetime.timedelta | np.timedelta64
TEXT_UNITS = ("ns", "us", "ms", "s", "min", "h", "d")
ATTOSECONDS = {
    "as": 1,
    "fs": 10**3,
    "ps": 10**6,
    "ns": 10**9,
    "us": 10**12,
    "ms": 10**15,
    "s": 10**18,
    "min": 60 * 10**18,
    "m": 60 * 10**18,  # as NumPy calls it
    "h": 3600 * 10**18,
    "d": 86_400 * 10**18,
    "D": 86_400 * 10**18,
    "W": 7 * 86_400 * 10**18,
}
DATES = {"date32[day]": "d", "date64[ms]": "ms"}
MOST = 2**63 - 1


def unit_of(type: Any) -> str | None:
    """The unit in which an Arrow type counts time; None where it does not."""
    return DATES.get(str(type)) or getattr(type, "unit", None)


def has_unit(span: Any) -> bool:
    """Whether it is a span of time that says its own unit, not a plain number."""
    if isinstance(span, str):
        return not span.strip().isdecimal()
    return isinstance(span, datetime.timedelta | np.timedelta64)


def require_span(span: Any, name: str) -> None:
    """Raises ValueError, as ``span_in``, for what is no span in any unit."""
    _parsed(span, name)


def span_in(unit: str | None, span: Any, name: str) -> int:
    """``span`` as a number of ``unit``, in which a column counts; None: it does not say in what.

    Raises ValueError, which calls the option ``name``, for what is no span from 0 on, or no whole number of the unit.
    """
    number, own = _parsed(span, name)
    if own is not None:
        if unit is None:
            raise ValueError(f"{name} is {span}, but the column counts in no unit of time: give a plain number")
        number, rest = divmod(number * ATTOSECONDS[own], ATTOSECONDS[unit])
        if rest:
            raise ValueError(f"{name} is {span}, which is no whole number of {unit}, the unit of the column")
    if not 0 <= number <= MOST:
        counted = "" if own is None else f" {unit}"
        raise ValueError(f"{name} must be a whole number from 0 to 2**63 - 1{counted}, not {_shown(span)}")
    return number


def _parsed(span: Any, name: str) -> tuple[int, str | None]:
    """A number, and its unit if it says one."""
    if hasattr(span, "to_timedelta64"):  # a pandas.Timedelta, whose nanoseconds a datetime.timedelta has not
        span = span.to_timedelta64()
    if isinstance(span, np.timedelta64):
        unit, times = np.datetime_data(span)
        if unit in ATTOSECONDS and not np.isnat(span):
            return int(span.astype(np.int64)) * times, unit
    elif isinstance(span, datetime.timedelta):
        return span // datetime.timedelta(microseconds=1), "us"
    elif isinstance(span, str):
        found = re.fullmatch(rf"(\d{{1,30}})({'|'.join(TEXT_UNITS)})?", span.strip(), re.ASCII)
        if found is not None:
            return int(found[1]), found[2]
    elif is_whole_number(span):
        return int(span), None
    raise ValueError(
        f"{name} must be a whole number from 0 to 2**63 - 1, in the unit of the column, or a span of time such as 5min "
        f"({', '.join(TEXT_UNITS)}), not {_shown(span)}"
    )


def _shown(span: Any) -> str:
    return str(span) if isinstance(span, datetime.timedelta | np.timedelta64) else repr(span)
