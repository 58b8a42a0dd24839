"""Texts as exact numbers, and numbers as the tables' types: money is rounded to cents, half away from zero."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

Number = Decimal | Fraction

ARROW = {"bigint": pa.int64(), "int": pa.int32(), "decimal(7,2)": pa.decimal128(7, 2), "string": pa.string()}
"""Every type of a table's column, as Spark writes it and as Arrow has it."""

# Longer numbers are no amounts, and a great exponent would cost memory without end.
_LONGEST, _LARGEST_EXPONENT = 60, 60
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*", re.ASCII | re.IGNORECASE)
_WIDE = Context(prec=200)
_CENT = Decimal("0.01")
_WHOLE_BELOW = {"bigint": 1 << 63, "int": 1 << 31}


def exact(text: str) -> Decimal | None:
    """The number that a text holds, with every digit; None where it holds none."""
    if len(text) > _LONGEST or _NUMBER.fullmatch(text) is None:
        return None
    number = Decimal(text.strip())
    return number if abs(number.adjusted()) <= _LARGEST_EXPONENT else None


def texts(column: pa.Array) -> pa.Array:
    """A column's values as texts; those of floats are the shortest ones, times have no zeros at their end."""
    kind = column.type
    if pa.types.is_string(kind):
        return column
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        column = column.cast(pa.timestamp(kind.unit))  # in UTC
    written = column.cast(pa.string())
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        written = pc.replace_substring_regex(written, r"(\.\d*?)0+$", r"\1")
        written = pc.replace_substring_regex(written, r"\.$", "")
    return written


def per_distinct(column: pa.Array, function: Callable[[str], object], kind: pa.DataType) -> pa.Array:
    """`function` of every text, called once for each distinct one; null stays null."""
    encoded = column.dictionary_encode()
    values = pa.array([function(text) for text in encoded.dictionary.to_pylist()], kind)
    return pc.take(values, encoded.indices)


def in_kind(kind: str) -> Callable[[Number], object]:
    """A function that gives a number as a value of the type `kind`, or None where it does not fit."""
    if kind == "decimal(7,2)":
        return _cents
    limit = _WHOLE_BELOW[kind]

    def whole(value: Number) -> int | None:
        number = int(value) if -limit <= value < limit else 0
        return number if number == value else None

    return whole


def converted(column: pa.Array, kind: str) -> pa.Array:
    """Texts as a column of the type `kind`, null where one does not fit."""
    if kind == "string":
        return column
    fitted = in_kind(kind)

    def value(text: str) -> object:
        number = exact(text)
        return None if number is None else fitted(number)

    return per_distinct(column, value, ARROW[kind])


def of_numbers(values: Iterable[Number | None], kind: str) -> pa.Array:
    """Numbers as a column of the type `kind`, null where one does not fit."""
    fitted = in_kind(kind)
    return pa.array([None if value is None else fitted(value) for value in values], ARROW[kind])


def _cents(value: Number) -> Decimal | None:
    if isinstance(value, Fraction):
        cents = (abs(value) * 200 + 1) // 2
        value = Decimal(int(cents if value >= 0 else -cents)).scaleb(-2, _WIDE)
    rounded = value.quantize(_CENT, ROUND_HALF_UP, _WIDE)
    return rounded if abs(rounded) < 100_000 else None
