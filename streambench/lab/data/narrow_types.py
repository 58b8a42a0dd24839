"""The narrowest types in which a stream's columns can be: less to move from memory and between cores.

A column has one of two types, so that operators are compiled for few: a narrow one that fits nearly all data, and
int64. The keys of a stream (users, items, tickets, orders) have one type, which operators of several of them rely on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

IntegerArray = npt.NDArray[np.integer[Any]]

NARROW = {
    "ts": np.uint32,  # seconds since 1900: until 2036
    "date": np.int32,
    "cents": np.int32,
    "wcs_web_page_sk": np.int16,
    "ss_store_sk": np.int16,
    "ae_event_type": np.int8,
}
"""By column; of all others, which are keys, int32."""

TIMES = ("ts", "date")


def event_time(names: Sequence[str]) -> str | None:
    """The column of event time among ``names``."""
    return next((name for name in TIMES if name in names), None)


def value_range(values: IntegerArray) -> tuple[int, int]:
    """The least and the greatest value; (0, 0) of none."""
    return (int(values.min()), int(values.max())) if len(values) else (0, 0)


def narrow_types(names: Sequence[str], ranges: Sequence[tuple[int, int]]) -> tuple[np.dtype[Any], ...]:
    """The types for columns of these names with values in these ranges, both ends included.

    There is room for one value more above the greatest, as sources ask for.
    """
    keys_fit = all(_fits(np.int32, each) for name, each in zip(names, ranges, strict=True) if name not in NARROW)
    return tuple(
        np.dtype(NARROW[name] if _fits(NARROW[name], each) else np.int64)
        if name in NARROW
        else np.dtype(np.int32 if keys_fit else np.int64)
        for name, each in zip(names, ranges, strict=True)
    )


def _fits(kind: Any, values: tuple[int, int]) -> bool:
    least, greatest = values
    return least >= np.iinfo(kind).min and greatest < np.iinfo(kind).max
