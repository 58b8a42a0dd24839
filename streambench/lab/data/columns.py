"""A stream's columns: from the tables' Parquet columns to the int64 values that operators work on.

Logical names: `ts` (seconds since 1900-01-01), `date` (days since then), `cents` (`ss_net_paid` as an integer);
any other name is the table's own integer column. A null becomes -1 where queries.md allows one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streambench.errors import DataError

Int64Array = npt.NDArray[np.int64]

DAY = 86_400
DATE_AND_TIME = {
    "store_sales": ("ss_sold_date_sk", "ss_sold_time_sk"),
    "web_clickstreams": ("wcs_click_date_sk", "wcs_click_time_sk"),
    "ad_events": ("ae_date_sk", "ae_time_sk"),
}
MONEY = "ss_net_paid"
NEVER_NULL = frozenset(
    {name for pair in DATE_AND_TIME.values() for name in pair} | {"ss_ticket_number", "ss_item_sk", MONEY}
)
ITEMS = frozenset({"ss_item_sk", "wcs_item_sk"})
ITEM_LIMIT = 1 << 31  # two items are packed into 64 bits
DATE_LIMIT = 1 << 31  # ts stays far below 2**63; how many laps fit is for `lap_room` to say
KEY_LIMIT = 1 << 62
CENTS_LIMIT = 1 << 40  # millions of lines of one day still add up within 64 bits


def sources(table: str, column: str) -> tuple[str, ...]:
    """The Parquet columns of `table` that the logical `column` is made of."""
    if column == "ts":
        return DATE_AND_TIME[table]
    if column == "date":
        return DATE_AND_TIME[table][:1]
    if column == "cents":
        return (MONEY,)
    return (column,)


def check_there(file: Path, schema: pa.Schema, name: str) -> None:
    """Raise DataError if `file` lacks the Parquet column `name`, or has several of that name."""
    if name not in schema.names:
        raise DataError(
            f"{file} has no column {name}: name the columns as in TPCx-BB, or bring the file in with "
            "`streambench data ingest`."
        )
    if schema.names.count(name) > 1:
        raise DataError(f"{file} has several columns {name}: rename all but one.")


def check_types(file: Path, schema: pa.Schema, names: Iterable[str]) -> None:
    """Raise DataError if `file` lacks one of the Parquet columns `names` or holds it in a type that does not fit."""
    for name in names:
        check_there(file, schema, name)
        type = schema.field(name).type
        if pa.types.is_null(type) or pa.types.is_integer(type):
            continue
        if name != MONEY:
            raise DataError(
                f"Column {name} of {file} has type {type} where an integer type is needed: "
                "cast it, or bring the file in with `streambench data ingest`."
            )
        if not pa.types.is_decimal(type):
            raise DataError(
                f"Column {name} of {file} has type {type} where a decimal type is needed, because cents must be "
                "exact: cast it to decimal(7,2)."
            )


def convert(table: str, column: str, batch: pa.RecordBatch, file: Path, first_row: int) -> Int64Array:
    """The logical `column` of one record batch, as int64.

    `first_row` is the batch's first row within `file`, counted from 0, so that a DataError can name the row.
    """
    if column == "ts":
        date, time = DATE_AND_TIME[table]
        seconds = _keys(date, batch, file, first_row) * DAY
        seconds += _keys(time, batch, file, first_row)
        return seconds
    if column == "cents":
        return _cents(batch, file, first_row)
    return _keys(sources(table, column)[0], batch, file, first_row)


def int64_values(array: pa.Array, null: int = -1) -> npt.NDArray[np.int64]:
    """The values of an array of type int64, ``null`` in the place of nulls; in the same memory where it has none.

    Arrow's own ``to_numpy`` and ``fill_null`` import pandas, wherever that is installed: that takes longer than many a
    run.
    """
    validity, memory = array.buffers()
    begin, end = array.offset, array.offset + len(array)
    values = np.frombuffer(memory or b"", dtype=np.int64)[begin:end]
    if not array.null_count:
        return values
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), count=end, bitorder="little")[begin:]
    return np.where(valid, values, np.int64(null))


def _keys(name: str, batch: pa.RecordBatch, file: Path, first_row: int) -> Int64Array:
    array = batch.column(name)
    if array.null_count and name in NEVER_NULL:
        raise _null(name, array, file, first_row)
    try:
        array = array.cast(pa.int64())
    except pa.ArrowException as problem:
        raise DataError(
            f"Column {name} of {file} holds a key past 2**63, in or after row {first_row}: use smaller keys, or let "
            "`streambench data ingest` number them."
        ) from problem
    values = int64_values(array)
    negative = values < 0
    if np.count_nonzero(negative) != array.null_count:
        row = int(np.argmax(negative & array.is_valid().to_numpy(zero_copy_only=False)))
        raise DataError(
            f"Column {name} of {file} is {values[row]} in row {first_row + row}, but keys start at 0: "
            "use null for an unknown key."
        )
    limit, advice = limit_of(name)
    if len(values) and int(values.max()) >= limit:
        row = int(np.argmax(values >= limit))
        raise DataError(f"Column {name} of {file} is {values[row]} in row {first_row + row}, {advice}.")
    return values


def limit_of(name: str) -> tuple[int, str]:
    """What the values of the Parquet column `name` must be below, and what to do where one is not."""
    if name in ITEMS:
        return (
            ITEM_LIMIT,
            "but item keys must be below 2**31: let `streambench data ingest --dictionary item` number them",
        )
    if name.endswith("_date_sk"):
        return DATE_LIMIT, "but a date is a number of days since 1900-01-01: correct it"
    if name.endswith("_time_sk"):
        return DAY, "but a time is a number of seconds within its day, 0 to 86399: correct it"
    return KEY_LIMIT, "but keys must be below 2**62: let `streambench data ingest` number them"


def _cents(batch: pa.RecordBatch, file: Path, first_row: int) -> Int64Array:
    array = batch.column(MONEY)
    if array.null_count:
        raise _null(MONEY, array, file, first_row)
    try:
        if pa.types.is_integer(array.type):
            array = array.cast(pa.decimal128(20, 0))
        if array.type.scale > 2:
            # SQL's rounding: half away from zero.
            array = pc.round(array, ndigits=2, round_mode="half_towards_infinity")
        array = array.cast(pa.decimal128(38, 2))
    except pa.ArrowException as problem:
        raise _too_much(file, first_row) from problem
    # A decimal128(., 2) is its number of cents as a 128-bit little-endian integer; a small one fits in the low half.
    halves = np.frombuffer(array.buffers()[1], dtype="<i8")[2 * array.offset : 2 * (array.offset + len(array))]
    low, high = halves[0::2], halves[1::2]
    if np.any(high != low >> 63) or np.any(np.abs(low) >= CENTS_LIMIT):
        wrong = (high != low >> 63) | (np.abs(low) >= CENTS_LIMIT)
        raise _too_much(file, first_row + int(np.argmax(wrong)))
    return np.ascontiguousarray(low, dtype=np.int64)


def _too_much(file: Path, row: int) -> DataError:
    return DataError(
        f"Column {MONEY} of {file} holds an amount past ten thousand million, in or after row {row}: correct it."
    )


def _null(name: str, array: pa.Array, file: Path, first_row: int) -> DataError:
    row = first_row + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
    return DataError(
        f"Column {name} of {file} is null in row {row}, but this query needs a value in every row: drop such rows, "
        "or map the column with `streambench data ingest`."
    )
