"""What sources take as a column: values of the types that columns have, none of which has to be changed to be one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from streambench.pyx.tuples.errors import UnfitDataError, UnfitTypeError
from streambench.pyx.tuples.layout import type_named

READABLE: Final = ("C", "A")  # as `np.require` says it: one behind the other, each where its type may stand


def stream_column(column: Any, name: str, wanted: np.dtype[Any] | None = None) -> npt.NDArray[Any]:
    """``column`` as contiguous, aligned values of its own type, or of ``wanted``; not copied where it is that already.

    Raises UnfitTypeError where no column can have its type, or where its kind is not that of ``wanted`` (floats are no
    integers even where they are whole: it should not depend on the values whether a program runs), UnfitDataError for
    integers that do not fit, and for another number of dimensions than one.
    """
    try:
        values = np.asarray(column)
    except (TypeError, ValueError) as problem:
        raise UnfitDataError(f"column {name} cannot be read as an array: {problem}") from None
    if values.ndim != 1:
        raise UnfitDataError(f"column {name} must have one dimension, not {values.ndim}")
    if not len(values) and (wanted is not None or not hasattr(column, "dtype")):  # an empty list has no type of its own
        return np.empty(0, wanted or np.int64)
    if wanted is None or values.dtype == wanted:
        return np.require(values, _own(values, name), READABLE)
    _require_kind(values, name, wanted)
    if wanted.kind in "iu":
        for value in (values.min(), values.max()):
            if not np.iinfo(wanted).min <= int(value) <= np.iinfo(wanted).max:
                raise UnfitDataError(f"column {name} holds {value}, which does not fit into {wanted.name}")
    return np.require(values, wanted, READABLE)


def _own(values: npt.NDArray[Any], name: str) -> np.dtype[Any]:
    try:
        return type_named(values.dtype)
    except TypeError as error:
        raise UnfitTypeError(f"column {name}: {error}") from None


def _require_kind(values: npt.NDArray[Any], name: str, wanted: np.dtype[Any]) -> None:
    kinds = "iub" if wanted.kind in "iu" else wanted.kind
    if values.dtype.kind in kinds and (wanted.kind != "V" or values.dtype == wanted):
        return
    hint = ""
    if wanted.kind in "iu" and values.dtype.kind == "f":
        hint = f": convert it with astype('{wanted.name}') if the values are whole"
    raise UnfitTypeError(f"column {name} must hold {wanted.name}, not {values.dtype}{hint}")
