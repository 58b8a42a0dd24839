"""Dimension tables as dense arrays: `array[key]` is what an operator's look-up needs, or -1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog, TableFiles, reading
from streambench.lab.data.columns import Int64Array, check_there, int64_values
from streambench.parquet_file import open_parquet

KEY_LIMIT = 1 << 27  # a dense array of 1 GiB
UNKNOWN = -1
OTHER_PAGE, DYNAMIC_PAGE, ORDER_PAGE = 0, 1, 2
PAGES = {"dynamic": DYNAMIC_PAGE, "order": ORDER_PAGE}


def lookup(catalog: Catalog, table: str, key: str, value: str, default: int = UNKNOWN) -> Int64Array:
    """A dense array by `key` of the integer column `value`; `default` where a key has no row or a null value.

    It is as long as the largest key + 1, and empty for an empty table. Raises DataError for a missing column, a wrong
    type, a null, negative or repeated key, a negative value, or keys too sparse for a dense array (2**27 or more).
    """
    keys, values, file = _columns(catalog, table, key, value)
    integers = _integers(values, value, file)
    if integers.null_count < len(integers) and pc.min(integers).as_py() < 0:
        raise DataError(f"Column {value} of {file} holds {pc.min(integers)}, but codes start at 0: correct it.")
    return _dense(keys, int64_values(integers, default), key, file, default)


def categories(catalog: Catalog) -> Int64Array:
    """`i_category_id` by item key; -1 for an item that is unknown or has no category."""
    return lookup(catalog, "item", "i_item_sk", "i_category_id")


def campaigns(catalog: Catalog) -> Int64Array:
    """`a_campaign_sk` by ad key; -1 for an ad that is unknown or has no campaign."""
    return lookup(catalog, "ads", "a_ad_sk", "a_campaign_sk")


def page_types(catalog: Catalog) -> Int64Array:
    """By page key: 1 for a `dynamic` page, 2 for an `order` page, 0 for another known page, -1 for an unknown one."""
    keys, values, file = _columns(catalog, "web_page", "wp_web_page_sk", "wp_type")
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise DataError(f"Column wp_type of {file} has type {values.type} where text is needed: cast it.")
    codes = np.array([PAGES.get(each, OTHER_PAGE) for each in values.to_pylist()], dtype=np.int64)
    return _dense(keys, codes, "wp_web_page_sk", file, UNKNOWN)


def _columns(catalog: Catalog, table: str, key: str, value: str) -> tuple[Int64Array, pa.Array, Path]:
    """Keys and values of a whole dimension, and the file to name in an error (the folder, where there are several)."""
    opened = catalog.table(table)
    files = opened.files
    parts = [_file_columns(opened, file, key, value) for file in files]
    keys = np.concatenate([keys for keys, _ in parts])
    where = files[0] if len(files) == 1 else files[0].parent
    if len({values.type for _, values in parts}) > 1:
        raise DataError(f"Column {value} has different types in the files of {where}: write them with one type.")
    return keys, pa.concat_arrays([values for _, values in parts]), where


def _file_columns(files: TableFiles, file: Path, key: str, value: str) -> tuple[Int64Array, pa.Array]:
    with reading(file), open_parquet(file) as opened:
        files.require_unchanged(file)
        for name in (key, value):
            check_there(file, opened.schema_arrow, name)
        table = opened.read(columns=[key, value], use_threads=False)
        files.require_unchanged(file)
    keys = _integers(table.column(key).combine_chunks(), key, file)
    if keys.null_count:
        row = int(np.argmax(keys.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(f"Column {key} of {file} is null in row {row}, but it is the key: drop such rows.")
    return int64_values(keys), table.column(value).combine_chunks()


def _integers(array: pa.Array, name: str, file: Path) -> pa.Array:
    if not (pa.types.is_integer(array.type) or pa.types.is_null(array.type)):
        raise DataError(f"Column {name} of {file} has type {array.type} where an integer type is needed: cast it.")
    try:
        return array.cast(pa.int64())
    except pa.ArrowException as problem:
        raise DataError(f"Column {name} of {file} holds a value past 2**63: use smaller ones.") from problem


def _dense(keys: Int64Array, values: Int64Array, key: str, file: Path, default: int) -> Int64Array:
    if len(keys) == 0:
        return np.empty(0, dtype=np.int64)
    if int(keys.min()) < 0:
        raise DataError(f"Column {key} of {file} holds {int(keys.min())}, but keys start at 0: renumber them.")
    largest = int(keys.max())
    if largest >= KEY_LIMIT:
        raise DataError(
            f"Column {key} of {file} holds {largest}, too sparse for a look-up (keys must be below 2**27): renumber "
            "them, or let `streambench data ingest` do it."
        )
    counts = np.bincount(keys, minlength=largest + 1)
    if int(counts.max()) > 1:
        raise DataError(
            f"Column {key} of {file} holds {int(np.argmax(counts))} more than once, but a key names one row: "
            "remove the repeats."
        )
    dense = np.full(largest + 1, default, dtype=np.int64)
    dense[keys] = values
    return dense
