"""The NumPy types of columns and of states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.errors import OptionError
from streambench.pyx.tuples.layout import type_named
from streambench.pyx.tuples.operator import Operator

DType = np.dtype[Any]


def dtype_of(operator: Operator, column: str) -> DType:
    """The type of a column that ``operator`` emits."""
    return dict(operator.schema or ())[column]


def emitted_dtype(name: str, column: str, emits: Any) -> DType:
    """The type of a column that operator ``name`` emits: ``emits`` names it, or is by name. Raises OptionError."""
    try:
        return type_named(emits[column]) if isinstance(emits, Mapping) else np.dtype(np.int64)
    except TypeError as error:
        raise OptionError(f"operator {name}, column {column}: {error}.") from None


def record_type(name: str, state: npt.DTypeLike) -> DType:
    """The type of a state of operator ``name``: ``state`` is a dtype with fields, or the fields. Raises OptionError."""
    try:
        dtype: DType = np.dtype(state, align=True)
    except (TypeError, ValueError) as error:
        raise OptionError(f"operator {name}: state is no NumPy dtype ({error}): try [('total', 'int64')].") from None
    if dtype.names is None or dtype.hasobject or not dtype.itemsize:
        raise OptionError(
            f"operator {name}: a state is a record of numbers, not {dtype}: give its fields, such as "
            "[('total', 'int64')]."
        )
    for field in dtype.names:
        if field.startswith("_"):
            raise OptionError(
                f"operator {name}: a field of the state cannot be called {field}, as such names are Python's: call it "
                "otherwise."
            )
    return dtype


def initial_state(name: str, state: DType, initial: Mapping[str, Any] | None) -> npt.NDArray[Any]:
    """The state of operator ``name`` at first, an array of one record: zero but for ``initial``. Raises OptionError."""
    record = np.zeros(1, with_attributes(wide(state)))
    if not isinstance(initial, Mapping | None):
        raise OptionError(f"operator {name}: initial= gives fields their values, such as {{'n': 1}}, not {initial!r}.")
    for field, value in (initial or {}).items():
        if field not in (record.dtype.names or ()):
            raise OptionError(f"operator {name}: initial= has a field {field}, which the state has not.")
        kind = record.dtype[field].base
        given = np.asarray(value)
        if given.dtype.kind not in {"i": "iub", "f": "iuf", "b": "b"}.get(kind.kind, kind.kind):
            raise OptionError(f"operator {name}: initial= gives field {field} of {kind.name} the value {value!r}.")
        try:
            record[field][0] = value
        except (TypeError, ValueError, OverflowError) as error:
            raise OptionError(f"operator {name}: initial= of field {field} does not fit: {error}.") from None
    return record


def with_attributes(record: DType) -> DType:
    """The same type, of values whose fields are attributes, too."""
    return np.dtype((np.record, record))


def wide(dtype: DType) -> DType:
    """The type that functions have the values of a column or of a state's field in."""
    if dtype.subdtype is not None:
        return np.dtype((wide(dtype.subdtype[0]), dtype.subdtype[1]))
    if dtype.names is not None:
        fields: Mapping[str, Any] = dtype.fields or {}
        return np.dtype([(name, wide(fields[name][0])) for name in dtype.names], align=True)
    kinds: dict[str, DType] = {"i": np.dtype(np.int64), "u": np.dtype(np.int64), "f": np.dtype(np.float64)}
    return kinds.get(dtype.kind, dtype)


def bounds(dtype: DType) -> tuple[int, int]:
    """The least and the greatest integer of a function that a column of integers or truth values takes."""
    if dtype.kind == "b":
        return 0, 1
    return int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), (1 << 63) - 1)
