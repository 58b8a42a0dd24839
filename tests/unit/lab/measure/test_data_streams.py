"""Streams of data are consecutive parts of a table's column, without nulls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.topk.data_streams import data_streams


def clicks(folder: Path) -> Catalog:
    columns = {"wcs_item_sk": [5, None, 3, 5, 900_000, 7], "wcs_web_page_sk": [1, 1, 2, 1, 1, 2]}
    pq.write_table(pa.table(columns), folder / "web_clickstreams.parquet")
    return Catalog.open(folder)


def test_streams_are_consecutive_parts_without_nulls(tmp_path: Path) -> None:
    catalog = clicks(tmp_path)
    pq.write_table(pa.table({"ss_item_sk": [8, 8, 2, 9]}), tmp_path / "store_sales.parquet")
    lines = data_streams(catalog, "lines", 2, 2)
    items, pages = data_streams(catalog, "items", 2, 2), data_streams(catalog, "pages", 3, 2)
    assert [each.tolist() for each in lines] == [[8, 8], [2, 9]]
    assert [each.tolist() for each in items] == [[5, 3], [5, 900_000]]
    assert [each.tolist() for each in pages] == [[1, 1], [2, 1], [1, 2]]
    assert {each.dtype for each in (*lines, *items, *pages)} == {np.dtype(np.uint64)}
    assert all(each.flags.c_contiguous for each in items)


def test_more_than_the_table_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has 5 items of clicks, and 2 streams of 3 take 6: give fewer"):
        data_streams(clicks(tmp_path), "items", 2, 3)


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^Table store_sales is missing from .*: make it with "):
        data_streams(clicks(tmp_path), "lines", 1, 1)
