"""Whole numbers at the border: what a column or an option of integers is given is never cut to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from streambench.pyx.tuples.errors import UnfitOptionError

LEAST, MOST = -(2**63), 2**63 - 1  # of int64


def whole_number(name: str, value: Any, least: int = LEAST, most: int = MOST) -> int:
    """``value`` as an int. Raises UnfitOptionError where it is none, a bool, or not from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise UnfitOptionError(f"{name} must be a whole number from {_shown(least)} to {_shown(most)}, not {value!r}")
    return int(value)


def _shown(bound: int) -> str:
    return {LEAST: "-2**63", MOST: "2**63 - 1"}.get(bound, str(bound))
