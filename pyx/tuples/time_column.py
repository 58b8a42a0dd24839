"""The column of event time, which never decreases along a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.pyx.tuples.errors import UnfitDataError


def time_column(name: str | None, names: Sequence[str], types: Sequence[np.dtype[Any]]) -> int:
    """The place of the column called ``name``, -1 for None. Raises UnfitDataError where it is no column of integers."""
    if name is None:
        return -1
    if list(names).count(name) != 1 or types[list(names).index(name)].kind not in "iu":
        raise UnfitDataError(f"time must name one column of integers, and {name!r} does not")
    return list(names).index(name)


def require_ascending(times: npt.NDArray[Any], name: str, last: Any = None) -> None:
    """Raise UnfitDataError where a time is lower than the one before it, or the first one lower than ``last``."""
    if last is not None and len(times) and times[0] < last:
        raise UnfitDataError(f"column {name} must never decrease, but {times[0]} follows {last}: sort the stream by it")
    fallen = times[1:] < times[:-1]
    if fallen.any():
        row = int(fallen.argmax())
        raise UnfitDataError(
            f"column {name} must never decrease, but {times[row + 1]} follows {times[row]}: sort the stream by it"
        )
