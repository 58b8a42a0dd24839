"""A key column of a user's file: integers that stay as they are, or names that a dictionary turns into integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_mapping import NOT_NULL, SHARED_KEYS, ColumnMapping
from streambench.datagen.ingest_source import quoted
from streambench.datagen.tables import TABLES

# Two items are packed into one 64-bit key, and i_category_id is an int.
LIMITS = {"item": 1 << 31, "category": 1 << 31}
_LARGEST_DOUBLE = 1 << 53
# "007" is not taken for 7: with a text beside it that means another thing, they would become one key.
_CANONICAL, _NEGATIVE = r"^(0|[1-9][0-9]{0,18})$", r"^-[1-9][0-9]*$"


@dataclass(frozen=True)
class KeyColumn:
    """One mapped key.

    `target` is the table's column, `source` the file's, `shared` the key's name in dictionaries. `name` is its text,
    `number` its value as an integer (null where the text is none), `unusable` is true where it is no key at all, and
    `complaint` says why.
    """

    target: str
    source: str
    shared: str
    name: Column
    number: Column
    unusable: Column
    complaint: str
    nullable: bool


def is_key(table: str, target: str) -> bool:
    """Whether a column holds keys: `…_sk` columns, tickets and category numbers."""
    return target in SHARED_KEYS or (target.endswith("_sk") and dict(TABLES[table].columns)[target] == "bigint")


def cleaned(source: str, types: T.StructType, null: tuple[str, ...]) -> Column:
    """A column of the file, null where its text is empty or one of the texts that mean "no value"."""
    column = F.col(quoted(source))
    if isinstance(types[source].dataType, T.StringType):
        return F.when(~column.isin("", *null), column)
    if isinstance(types[source].dataType, T.FractionalType) and not isinstance(types[source].dataType, T.DecimalType):
        return F.when(~F.isnan(column), column)  # pandas writes a missing integer as NaN
    return F.when(~column.cast("string").isin(*null), column) if null else column


def key_columns(mapping: ColumnMapping, types: T.StructType, decoded: bool) -> list[KeyColumn]:
    """Every mapped key of the table but the time; DatagenError for a column whose type cannot be a key.

    `decoded` is true where texts came out of a decoder that marks what is not in the encoding.
    """
    assert mapping.table is not None
    table = TABLES[mapping.table]
    time = (table.date_column, table.time_column)
    found = []
    for target, source in mapping.columns.items():
        if target != "ts" and target not in time and is_key(table.name, target):
            found.append(_key(table.name, target, str(source), types, mapping.null, decoded))
    return found


def _key(table: str, target: str, source: str, types: T.StructType, null: tuple[str, ...], decoded: bool) -> KeyColumn:
    kind, column = types[source].dataType, cleaned(source, types, null)
    never, complaint = F.lit(False), ""
    if isinstance(kind, T.StringType):
        name, number = column, F.when(column.rlike(_CANONICAL), column.try_cast("bigint"))
        unusable = column.contains("\ufffd") if decoded else never
        complaint = "it holds bytes that are not in the encoding (say --encoding)"
    elif isinstance(kind, T.IntegralType):
        name, number, unusable = column.cast("string"), column.cast("bigint"), never
    elif isinstance(kind, T.FractionalType):
        whole = (column == F.floor(column)) & (F.abs(column) < F.lit(_LARGEST_DOUBLE))
        number = F.when(whole, column.try_cast("bigint"))
        name, unusable = number.cast("string"), column.isNotNull() & number.isNull()
        complaint = "it is no whole number"
    elif isinstance(kind, (T.DateType, T.TimestampType, T.TimestampNTZType, T.BooleanType)):
        name, number, unusable = column.cast("string"), F.lit(None).cast("bigint"), never
    else:
        raise DatagenError(f"Column {source!r} holds {kind.simpleString()}, which cannot be a key: map another column.")
    shared = SHARED_KEYS.get(target, target)
    return KeyColumn(target, source, shared, name, number, unusable, complaint, target not in NOT_NULL[table])


def profile(key: KeyColumn, usable: Column) -> dict[str, Column]:
    """Aggregates, over the rows where `usable` is true, by which `needs_dictionary` decides."""
    negative = key.name.rlike(_NEGATIVE)
    integer = key.number.isNotNull() | negative
    return {
        f"{key.target}:named": F.count_if(usable & key.name.isNotNull() & ~integer),
        f"{key.target}:negative": F.count_if(usable & negative),
        f"{key.target}:largest": F.max(F.when(usable, key.number)),
    }


def needs_dictionary(key: KeyColumn, measured: dict[str, Any], asked: bool, shared_dictionary: bool) -> bool:
    """Names need one; integers do where it is asked for, where others already have one, or where they are too large."""
    largest = measured[f"{key.target}:largest"]
    too_large = largest is not None and largest >= LIMITS.get(key.shared, 1 << 63)
    return asked or shared_dictionary or too_large or measured[f"{key.target}:named"] > 0


def is_negative(key: KeyColumn) -> Column:
    """Whether a key that stays an integer is below 0, which no table allows."""
    return key.name.rlike(_NEGATIVE)
