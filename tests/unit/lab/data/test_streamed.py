"""A stream that is read as it goes holds what one in memory holds, whatever the files' types, groups and batches."""

from __future__ import annotations

import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.data.side_by_side import SideBySide
from streambench.errors import DataError
from streambench.lab.data import loader
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.streamed import Streamed
from streambench.pyx.table_source import NOT_YET

SALES = ("ts", "date", "cents", "ss_ticket_number", "ss_item_sk", "ss_store_sk")
CLICKS = ("ts", "wcs_user_sk", "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk")
ROWS = 1000


def drain(source: SideBySide, found: list[list[npt.NDArray[Any]]]) -> None:
    """Put all batches into ``found``; every one is decoded when it is asked for."""
    for batch in source:
        if batch is NOT_YET:
            assert source.work_ahead()
        else:
            assert 0 < len(batch[0]) <= 64
            found.append(batch)


def read(streamed: Streamed) -> list[npt.NDArray[Any]]:
    found: list[list[npt.NDArray[Any]]] = []
    drain(streamed.batches(3, 64), found)
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


def write(path: Path, table: str, columns: dict[str, pa.Array], files: int, group: int) -> Catalog:
    whole = pa.table(columns)
    (path / table).mkdir(parents=True)
    for part in range(files):
        begin, end = whole.num_rows * part // files, whole.num_rows * (part + 1) // files
        pq.write_table(whole.slice(begin, end - begin), path / table / f"part-{part}.parquet", row_group_size=group)
    return Catalog.open(path)


def sales(kind: pa.DataType, money: pa.DataType) -> dict[str, pa.Array]:
    draw = np.random.default_rng(3)
    prices = [Decimal(int(cents)).scaleb(-2) for cents in draw.integers(-90_000, 2_000_000, ROWS)]
    columns = {
        "ss_sold_date_sk": np.sort(draw.integers(37_000, 37_100, ROWS)),
        "ss_sold_time_sk": draw.integers(0, 86_400, ROWS),
        "ss_ticket_number": np.sort(draw.integers(0, 5000, ROWS)),
        "ss_item_sk": draw.integers(0, 3000, ROWS),
    }
    found = {name: pa.array(values, kind) for name, values in columns.items()}
    found["ss_store_sk"] = with_nulls(draw.integers(0, 40, ROWS), kind, draw)
    return found | {"ss_net_paid": pa.array(prices, money)}


def clicks(kind: pa.DataType) -> dict[str, pa.Array]:
    draw = np.random.default_rng(4)
    found = {
        "wcs_click_date_sk": pa.array(np.sort(draw.integers(0, 9, ROWS)), kind),
        "wcs_click_time_sk": pa.array(draw.integers(0, 86_400, ROWS), kind),
    }
    return found | {name: with_nulls(draw.integers(0, 9000, ROWS), kind, draw) for name in CLICKS[1:]}


def with_nulls(values: npt.NDArray[Any], kind: pa.DataType, draw: np.random.Generator) -> pa.Array:
    return pa.array(values, kind, mask=draw.random(len(values)) < 0.4)


@pytest.mark.parametrize("kind", [pa.int64(), pa.int32(), pa.uint32()])
@pytest.mark.parametrize(("files", "group"), [(1, 1000), (3, 130), (2, 64)])
def test_it_holds_what_load_holds(tmp_path: Path, kind: pa.DataType, files: int, group: int) -> None:
    for money in (pa.decimal128(7, 2), pa.decimal128(9, 3)):
        lines = write(tmp_path / str(money), "store_sales", sales(kind, money), files, group)
        streams = [(lines, "store_sales", SALES)]
        if money.scale == 2:
            streams.append(
                (write(tmp_path / "c", "web_clickstreams", clicks(kind), files, group), "web_clickstreams", CLICKS)
            )
        for catalog, table, names in streams:
            held = loader.load(catalog, table, names)
            streamed = Streamed.of(catalog, table, names)
            found = read(streamed)
            assert [column.tolist() for column in found] == [column.tolist() for column in held.columns]


def test_columns_come_in_the_narrowest_types_that_the_metadata_allow(tmp_path: Path) -> None:
    catalog = write(tmp_path / "d", "store_sales", sales(pa.int64(), pa.decimal128(7, 2)), 1, 1000)
    streamed = Streamed.of(catalog, "store_sales", SALES)
    assert [kind.name for kind in streamed.types] == ["uint32", "int32", "int32", "int32", "int32", "int16"]
    assert tuple(column.dtype for column in read(streamed)) == streamed.types


def test_a_file_is_opened_as_often_as_columns_are_read_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    opened: list[Path] = []
    real = pq.ParquetFile

    def noting(file: Path, **options: Any) -> pq.ParquetFile:
        opened.append(file)
        return real(file, **options)

    catalog = write(tmp_path / "d", "web_clickstreams", clicks(pa.int64()), 1, 64)
    streamed = Streamed.of(catalog, "web_clickstreams", CLICKS)
    monkeypatch.setattr(pq, "ParquetFile", noting)
    drain(streamed.batches(2, 32), [])  # 16 row groups of two batches, one group after the other
    assert len(opened) == len(CLICKS)


def test_an_empty_table_has_no_batch(tmp_path: Path) -> None:
    empty = {name: column.slice(0, 0) for name, column in sales(pa.int64(), pa.decimal128(7, 2)).items()}
    streamed = Streamed.of(write(tmp_path / "d", "store_sales", empty, 2, 10), "store_sales", ["ts"])
    assert list(streamed.batches(4)) == []


@pytest.mark.parametrize(
    ("column", "value", "logical", "sentence"),
    [
        ("ss_item_sk", -7, "ss_item_sk", "is -7 in row 333, but keys start at 0"),
        ("ss_sold_time_sk", 86_400, "ts", "is 86400 in row 333, but a time is a number of seconds"),
        ("ss_sold_date_sk", None, "ts", "is null in row 333, but this query needs a value"),
        ("ss_ticket_number", None, "ss_ticket_number", "is null in row 333"),
        ("ss_net_paid", None, "cents", "is null in row 333"),
    ],
)
def test_an_unfit_value_is_named_behind_all_batches_before(
    tmp_path: Path, column: str, value: Any, logical: str, sentence: str
) -> None:
    columns = sales(pa.int64(), pa.decimal128(7, 2))
    values = columns[column].to_pylist()
    values[500 + 333] = value
    columns[column] = pa.array(values, columns[column].type)
    source = Streamed.of(write(tmp_path / "d", "store_sales", columns, 2, 128), "store_sales", [logical]).batches(3, 64)
    found: list[list[npt.NDArray[Any]]] = []
    with pytest.raises(DataError) as caught:
        drain(source, found)
    assert sentence in str(caught.value)
    assert "part-1.parquet" in str(caught.value)
    assert (
        sum(len(batch[0]) for batch in found) == 500 + 2 * 128 + 64
    )  # row 333 lies in the second batch of the third group


def test_a_file_that_vanishes_or_is_damaged_meanwhile_is_named(tmp_path: Path) -> None:
    catalog = write(tmp_path / "d", "store_sales", sales(pa.int64(), pa.decimal128(7, 2)), 2, 128)
    source = Streamed.of(catalog, "store_sales", ["ts", "cents"]).batches(2, 64)
    file = catalog.table("store_sales").files[1]
    file.unlink()
    with pytest.raises(DataError, match=r"part-1\.parquet is not a readable Parquet file"):
        drain(source, [])


@pytest.mark.parametrize("preload", [False, True])
def test_a_file_that_is_another_one_by_the_time_it_is_opened_is_named(preload: bool, tmp_path: Path) -> None:
    """Its rows would be counted as those of the table that was opened, or come before those ahead of them."""
    catalog = write(tmp_path / "d", "store_sales", sales(pa.int64(), pa.decimal128(7, 2)), 2, 128)
    source = Streamed.of(catalog, "store_sales", ["ts", "cents"]).batches(2, 64)
    first, second = catalog.table("store_sales").files
    pq.write_table(pq.read_table(first).slice(0, 300), second)
    with pytest.raises(DataError, match=r"part-1\.parquet changed while table store_sales was read: let its writer"):
        loader.load(catalog, "store_sales", ["ts", "cents"]) if preload else drain(source, [])


def test_a_copy_on_another_machine_may_have_another_time(tmp_path: Path) -> None:
    catalog = write(tmp_path / "d", "store_sales", sales(pa.int64(), pa.decimal128(7, 2)), 2, 128)
    files = catalog.table("store_sales")
    os.utime(files.files[0], (1, 1))
    replace(files, stamps={}).require_unchanged(files.files[0])
    with pytest.raises(DataError, match=r"part-0\.parquet changed"):
        files.require_unchanged(files.files[0])


@pytest.mark.parametrize("how", ["streamed", "loaded"])
def test_a_file_that_is_written_over_while_it_is_read_is_told(tmp_path: Path, how: str) -> None:
    catalog = write(tmp_path, "store_sales", sales(pa.int64(), pa.decimal128(7, 2)), 1, 100)
    (file,) = catalog.table("store_sales").files
    written = file.read_bytes()

    def write_over(*done: object) -> None:
        file.write_bytes(written)
        os.utime(file, ns=(1, 1))

    def read_streamed() -> None:
        batches = Streamed.of(catalog, "store_sales", SALES).batches(3, 64)
        for batch in batches:
            if batch is NOT_YET:
                batches.work_ahead()
            else:
                write_over()

    with pytest.raises(DataError, match=r"part-0\.parquet changed while table store_sales was read"):
        loader.load(catalog, "store_sales", SALES, progress=write_over) if how == "loaded" else read_streamed()
