"""Look-ups answer for every key, known or not, and refuse dimensions that are no look-up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.lookup import categories, lookup, page_types


def item(path: Path, keys: Any, values: Any, key_type: Any = None, value_type: Any = None) -> Catalog:
    table = pa.table({"i_item_sk": pa.array(keys, key_type), "i_category_id": pa.array(values, value_type)})
    pq.write_table(table, path / "item.parquet")
    return Catalog.open(path)


def pages(path: Path, keys: list[int], types: Any) -> Catalog:
    pq.write_table(pa.table({"wp_web_page_sk": keys, "wp_type": types}), path / "web_page.parquet")
    return Catalog.open(path)


def test_unknown_keys_and_null_values_are_minus_one(tmp_path: Path) -> None:
    found = categories(item(tmp_path, [4, 0, 2], [9, 1, None], pa.int64(), pa.int32()))
    assert found.tolist() == [1, -1, -1, -1, 9]
    assert found.dtype == "int64"


def test_a_default_of_ones_own_stands_for_what_is_not_known(tmp_path: Path) -> None:
    catalog = item(tmp_path, [3, 1], [9, None])
    assert lookup(catalog, "item", "i_item_sk", "i_category_id", default=-7).tolist() == [-7, -7, -7, 9]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_page_types_are_dynamic_order_or_other(tmp_path: Path, kind: pa.DataType) -> None:
    types = pa.array(["order", "dynamic", "review", None, "Order"]).cast(kind)
    assert page_types(pages(tmp_path, [1, 2, 4, 5, 6], types)).tolist() == [-1, 2, 1, -1, 0, 0, 0]


def test_page_types_of_nothing_but_nulls_are_other(tmp_path: Path) -> None:
    assert page_types(pages(tmp_path, [0, 1], pa.nulls(2))).tolist() == [0, 0]


def test_empty_dimensions_are_empty_look_ups(tmp_path: Path) -> None:
    assert categories(item(tmp_path, [], [], pa.int64(), pa.int32())).tolist() == []
    assert page_types(pages(tmp_path, [], pa.array([], pa.string()))).tolist() == []


def test_a_dimension_may_have_several_files(tmp_path: Path) -> None:
    (tmp_path / "item").mkdir()
    for part, keys in enumerate(([1], [], [0])):
        table = pa.table({"i_item_sk": pa.array(keys, pa.int64()), "i_category_id": pa.array(keys, pa.int64())})
        pq.write_table(table, tmp_path / "item" / f"{part}.parquet")
    assert categories(Catalog.open(tmp_path)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("keys", "values", "sentence"),
    [
        ([1, 2, 1], [1, 1, 1], "holds 1 more than once"),
        ([1, None, 2], [1, 1, 1], "is null in row 1"),
        ([1, -4], [1, 1], "holds -4, but keys start at 0"),
        ([1, 1 << 27], [1, 1], "too sparse for a look-up"),
        ([1, 2], [-3, 1], "holds -3, but codes start at 0"),
        (["a"], [1], "has type string where an integer type is needed"),
        ([1], [1.5], "has type double where an integer type is needed"),
    ],
)
def test_a_dimension_that_is_no_look_up_is_refused(tmp_path: Path, keys: Any, values: Any, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        categories(item(tmp_path, keys, values))
    assert sentence in str(caught.value)
    assert "item.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_column_and_a_wrong_page_type_are_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"i_item_sk": [1]}), tmp_path / "item.parquet")
    with pytest.raises(DataError, match="has no column i_category_id"):
        categories(Catalog.open(tmp_path))
    with pytest.raises(DataError, match=r"wp_type of .* has type int64 where text is needed"):
        page_types(pages(tmp_path, [1], [1]))


def test_files_of_one_dimension_that_disagree_on_a_type_are_refused(tmp_path: Path) -> None:
    (tmp_path / "item").mkdir()
    for part, kind in enumerate((pa.int32(), pa.int64())):
        table = pa.table({"i_item_sk": pa.array([part]), "i_category_id": pa.array([1], kind)})
        pq.write_table(table, tmp_path / "item" / f"{part}.parquet")
    with pytest.raises(DataError, match="i_category_id has different types in the files of"):
        categories(Catalog.open(tmp_path))


def test_a_dimension_that_has_changed_since_it_was_opened_is_refused(tmp_path: Path) -> None:
    opened = item(tmp_path, [0, 1], [3, 4])
    opened.table("item")
    item(tmp_path, [0, 1, 2], [3, 4, 5])
    with pytest.raises(DataError, match=r"item\.parquet changed while table item was read: let its writer finish"):
        categories(opened)
