"""The NumPy types of columns and of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.pyx.tuples.operator import Operator

DType = np.dtype[Any]


def dtype_of(operator: Operator, column: str) -> DType:
    """The type of a column that ``operator`` emits."""
    return np.dtype(np.int64)


def emitted_dtype(column: str) -> DType:
    """The type of a column that a function emits."""
    return np.dtype(np.int64)


def record_type(name: str, state: Any) -> DType:
    """The type of a state of operator ``name``: ``state`` is a dtype with fields, or the fields. Raises OptionError."""
    try:
        dtype: DType = np.dtype(state, align=True)
    except TypeError as error:
        raise OptionError(f"operator {name}: state is no NumPy dtype ({error}): try [('total', 'int64')].") from None
    if dtype.names is None or dtype.hasobject:
        raise OptionError(
            f"operator {name}: a state is a record of numbers, not {dtype}: give its fields, such as "
            "[('total', 'int64')]."
        )
    for field in dtype.names:
        if hasattr(np.record, field):
            raise OptionError(
                f"operator {name}: a field of the state cannot be called {field}, as NumPy's records have a {field} of "
                "their own: call it otherwise."
            )
    return dtype


def with_attributes(record: DType) -> DType:
    """The same type, of values whose fields are attributes, too."""
    return np.dtype((np.record, record))
