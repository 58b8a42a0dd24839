"""Numbers at the border: what a column or an option of integers is given is never cut to one."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from streambench.pyx.tuples.errors import UnfitOptionError

LEAST, MOST = -(2**63), 2**63 - 1  # of int64
MOST_BITS = 256  # of a number that a message spells


def is_number(value: Any) -> bool:
    """Whether it is an integer or a floating point number."""
    return is_whole_number(value) or (isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral))


def whole_number(name: str, value: Any, least: int = LEAST, most: int = MOST) -> int:
    """``value`` as an int. Raises UnfitOptionError where it is no whole number, or not from ``least`` to ``most``."""
    if not is_whole_number(value) or not least <= value <= most:
        raise UnfitOptionError(
            f"{name} must be a whole number from {_shown(least)} to {_shown(most)}, not {_shown(value)}"
        )
    return int(value)


def is_whole_number(value: Any) -> bool:
    """Whether it is an integer of Python or NumPy, of which a truth value and a span of time are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"an integer of {value.bit_length():,} bits"
    return {LEAST: "-2**63", MOST: "2**63 - 1"}.get(value, str(value)) if type(value) is int else repr(value)
