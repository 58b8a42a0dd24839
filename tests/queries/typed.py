"""Columns of the types that an operator reads, narrow or of 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def typed(operator: Any, columns: Sequence[Sequence[int]], wide: bool) -> list[Any]:
    """``columns`` as arrays in the order in which the operator reads them; wide where a value does not fit, too."""
    types: dict[str, np.dtype[Any]] = {}
    for (name, taken), values in zip(operator.reads.items(), columns, strict=True):
        if isinstance(taken, str):
            types[name] = types[taken[1:]] if taken.startswith("=") else np.dtype(taken)
        else:
            narrow = np.iinfo(taken[0])
            fits = all(narrow.min <= value < narrow.max for value in values)
            types[name] = np.dtype(taken[0] if fits and not wide else taken[-1])
    for name, taken in operator.reads.items():  # what has the type of another must fit there, too
        if isinstance(taken, str) and taken.startswith("="):
            values = columns[list(operator.reads).index(name)]
            if any(value >= np.iinfo(types[name]).max for value in values):
                return typed(operator, columns, True)
    return [np.array(values, dtype=kind) for values, kind in zip(columns, types.values(), strict=True)]
