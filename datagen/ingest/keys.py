"""A key column of a user's file: integers that stay as they are, or names that a dictionary turns into integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.column import Column
from streambench.datagen.ingest.mapping import NOT_NULL, SHARED_KEYS
from streambench.datagen.ingest.numbers import converted, texts
from streambench.datagen.tables import TABLES

# Two items are packed into one 64-bit key, and i_category_id is an int.
LIMITS = {"item": 1 << 31, "category": 1 << 31}
LIMIT = 1 << 62  # of all others: no query reads a key from here on
_LARGEST_DOUBLE = 1 << 53
# "007" is not taken for 7: with a text beside it that means another thing, they would become one key.
_CANONICAL, _NEGATIVE = r"^(0|[1-9][0-9]{0,18})$", r"^-[1-9][0-9]*$"
_LARGEST = str((1 << 63) - 1)


@dataclass(frozen=True)
class Keys:
    """A key's values in some rows.

    `name` is its text, `number` its value as an integer (null where the text is none), `unusable` is true where it is
    no key at all, `negative` where it is a whole number below 0.
    """

    name: pa.Array
    number: pa.Array
    unusable: np.ndarray
    negative: np.ndarray


@dataclass(frozen=True)
class KeyColumn:
    """One mapped key: `shared` is its name in dictionaries, `complaint` says why a value is no key at all."""

    column: Column
    shared: str
    nullable: bool
    complaint: str
    kind: pa.DataType

    @property
    def target(self) -> str:
        """The table's column."""
        return self.column.target

    def of(self, values: pa.Array) -> Keys:
        """The keys that a column of the file holds."""
        name, kind = texts(values), self.kind
        never = np.zeros(len(values), bool)
        if _is_number(kind):
            number = converted(name, "bigint")
            if not pa.types.is_integer(kind):  # a float has no digits beyond
                values_, valid = np.array(pc.fill_null(number, 0)), np.array(number.is_valid())
                number = pa.array(values_, mask=~(valid & (np.abs(values_) < _LARGEST_DOUBLE)))
            name = number.cast(pa.string())
            unusable = np.array(values.is_valid()) & np.array(number.is_null())
        elif pa.types.is_string(kind):
            number = _canonical(name)
            unusable = np.array(pc.fill_null(pc.match_substring(name, "\ufffd"), False))
        else:
            number, unusable = pa.nulls(len(values), pa.int64()), never
        negative = np.array(pc.fill_null(pc.match_substring_regex(name, _NEGATIVE), False))
        return Keys(name, number, unusable, negative)


def is_key(table: str, target: str) -> bool:
    """Whether a column holds keys: `…_sk` columns, tickets and category numbers."""
    return target in SHARED_KEYS or (target.endswith("_sk") and dict(TABLES[table].columns)[target] == "bigint")


def key_column(table: str, column: Column, kind: pa.DataType, decoded: bool) -> KeyColumn:
    """A mapped key whose values have the type `kind`; DatagenError where that cannot be a key.

    `decoded` is true where texts came out of a decoder that marks what is not in the encoding.
    """
    if pa.types.is_string(kind):
        complaint = "it holds bytes that are not in the encoding (say --encoding)" if decoded else "it is no text"
    elif _is_number(kind):
        plain = pa.types.is_integer(kind) and column.expression is None
        complaint = "it is too large" if plain else "it is no whole number"
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_boolean(kind):
        complaint = ""
    else:
        raise DatagenError(f"Column {column.shown!r} holds {kind}, which cannot be a key: map another column.")
    target = column.target
    return KeyColumn(column, SHARED_KEYS.get(target, target), target not in NOT_NULL[table], complaint, kind)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _canonical(name: pa.Array) -> pa.Array:
    """The numbers of the texts that are written as an integer from 0 up is; null for any other text."""
    fits = pc.match_substring_regex(name, _CANONICAL)
    long = pc.and_(pc.equal(pc.binary_length(name), len(_LARGEST)), pc.greater(name, _LARGEST))
    return pc.if_else(pc.and_(fits, pc.invert(long)), name, pa.scalar(None, pa.string())).cast(pa.int64())
