"""Bands and equalities over Arrow columns as pairs of arrays of one type, which the runtime compares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as is_

from streambench.errors import DataError, OptionError
from streambench.joins.side import Side, is_whole
from streambench.pyx.join.stream_sides import entries, unequal_units
from streambench.pyx.tuples.data_types import Band
from streambench.pyx.tuples.span import has_unit, span_in, unit_of
from streambench.pyx.tuples.whole_number import is_number

Term = tuple[npt.NDArray[Any], npt.NDArray[Any], Any]
TOP_BIT = np.uint64(1 << 63)
TEXTS = (is_.is_string, is_.is_large_string)
BYTES = (is_.is_binary, is_.is_large_binary, is_.is_fixed_size_binary)
WIDEST = 1e300  # of a band of floating point numbers


def terms_of(left: Side, right: Side, bands: Iterable[Band], equal: Iterable[Sequence[str]]) -> list[Term]:
    """The terms of a join's predicate. Raises DataError for columns that cannot be compared, OptionError for widths."""
    terms = []
    for a, b in _entries(equal, 2, "an equality is (left column, right column)"):
        terms.append(_equality(left, a, right, b))
    for a, b, width in _entries(bands, 3, "a band is (left column, right column, width)"):
        terms.append(_band(left, a, right, b, width))
    return terms


def _entries(terms: Iterable[Sequence[Any]], length: int, what: str) -> list[Sequence[Any]]:
    try:
        return list(entries(terms, length, what))
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None


def _equality(left: Side, a: str, right: Side, b: str) -> Term:
    types = left.column(a).type, right.column(b).type
    if any(is_.is_null(each) for each in types):  # a side without rows, of which nobody has said what they would hold
        return np.zeros(len(left.ts), np.int64), np.zeros(len(right.ts), np.int64), None
    _require_comparable(left, a, right, b)
    if all(is_whole(each) for each in types):
        return (*_whole(left, a, right, b), None)
    if all(is_whole(each) or is_.is_floating(each) for each in types):
        raise DataError(
            f"{a} and {b} hold {types[0]} and {types[1]}, of which equality is not asked: take a band, of width 0 if "
            f"need be."
        )
    try:  # texts and the like: equal values have equal codes
        type = _common_type(*types)
        if type is None:
            raise DataError(
                f"{a} and {b} hold {types[0]} and {types[1]}, of which equality is not asked: cast one of them, so "
                f"that the two are of one type."
            )
        both = pa.concat_arrays([left.column(a).cast(type), right.column(b).cast(type)])
        codes = both.dictionary_encode().indices.cast(pa.int64()).to_numpy()
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise DataError(f"{a} ({types[0]}) and {b} ({types[1]}) cannot be compared: {problem}.") from None
    n = len(left.ts)
    return np.ascontiguousarray(codes[:n]), np.ascontiguousarray(codes[n:]), None


def _common_type(one: Any, other: Any) -> pa.DataType | None:
    """The type that holds the values of both as they are, whichever comes first; None where they are of two kinds."""
    for kinds, common in ((TEXTS, pa.large_string()), (BYTES, pa.large_binary())):
        if all(any(kind(type) for kind in kinds) for type in (one, other)):
            return common
    if not (is_.is_decimal(one) and is_.is_decimal(other)):
        return one if one == other else None
    scale = max(one.scale, other.scale)
    digits = max(one.precision - one.scale, other.precision - other.scale) + scale
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale)


def _band(left: Side, a: str, right: Side, b: str, width: Any) -> Term:
    _require_comparable(left, a, right, b)
    types = left.column(a).type, right.column(b).type
    if has_unit(width):
        try:
            width = span_in(unit_of(types[0]), width, f"the width of the band over {a} and {b}")
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None
    if not is_number(width) or not 0 <= width < math.inf:
        raise OptionError(f"the width of the band over {a} and {b} must be a number from 0 on, not {width!r}.")
    if all(is_whole(each) for each in types):
        if width >= 2**63:
            raise OptionError(f"the width of the band over {a} and {b} must be below 2**63, not {width}.")
        return (*_whole(left, a, right, b), math.floor(width))
    for name, type in zip((a, b), types, strict=True):
        if not (is_.is_float32(type) or is_.is_float64(type) or is_.is_integer(type)):
            raise DataError(f"a band takes integers, float32, float64 or times, and column {name} holds {type}.")
    if width > WIDEST:
        raise OptionError(f"the width of the band over {a} and {b} must be at most {WIDEST}, not {width}.")
    type = np.float32 if types[0] == types[1] == pa.float32() else np.float64
    return _real(left, a, type), _real(right, b, type), float(width)


def _require_comparable(left: Side, a: str, right: Side, b: str) -> None:
    """A time is compared with one of the same unit only."""
    if problem := unequal_units(a, left.column(a).type, b, right.column(b).type):
        raise DataError(f"{problem}.")


def _whole(left: Side, a: str, right: Side, b: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    if left.column(a).type == right.column(b).type == pa.uint64():
        # Moved down by half their range: order and differences stay.
        moved = [np.asarray(side.column(name).to_numpy()) ^ TOP_BIT for side, name in ((left, a), (right, b))]
        return moved[0].view(np.int64), moved[1].view(np.int64)
    return left.whole(a), right.whole(b)


def _real(side: Side, name: str, type: Any) -> npt.NDArray[Any]:
    return np.require(side.column(name).to_numpy(zero_copy_only=False), type, ("C", "A"))
