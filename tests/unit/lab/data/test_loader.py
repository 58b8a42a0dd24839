"""Streams hold exactly what the files hold, whichever way they are read, and unfit values are named by file and row."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.errors import DataError
from streambench.lab.data import loader
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.streamed import Streamed

DAY = 86_400
SALES: dict[str, list[Any]] = {
    "ss_sold_date_sk": [10, 10, 12],
    "ss_sold_time_sk": [0, 86_399, 7],
    "ss_ticket_number": [0, 1, 4],
    "ss_item_sk": [2**31 - 1, 5, 6],
    "ss_store_sk": [None, 3, None],
    "ss_net_paid": [Decimal("0.10"), Decimal("-3.05"), Decimal("99999.99")],
}
CLICKS: dict[str, list[Any]] = {
    "wcs_click_date_sk": [1, 1, 1, 2],
    "wcs_click_time_sk": [5, 5, 5, 0],
    "wcs_user_sk": [None, None, 7, 7],
    "wcs_sales_sk": [None, 30, None, 4],
    "wcs_item_sk": [None, 1, 2, 3],
    "wcs_web_page_sk": [1, None, 3, 4],
}


def directory(path: Path, table: str, values: dict[str, list[Any]], files: int = 1, **types: pa.DataType) -> Path:
    kinds = {"ss_net_paid": pa.decimal128(7, 2)} | types
    columns = {name: pa.array(column, kinds.get(name, pa.int64())) for name, column in values.items()}
    whole = pa.table(columns)
    (path / table).mkdir(parents=True)
    edges = [whole.num_rows * part // files for part in range(files + 1)]
    for part in range(files):
        piece = whole.slice(edges[part], edges[part + 1] - edges[part])
        pq.write_table(piece, path / table / f"part-{part}.parquet", row_group_size=2)
    return path


def sales(path: Path, files: int = 1, **changed: list[Any]) -> Catalog:
    return Catalog.open(directory(path / "d", "store_sales", SALES | changed, files))


def refusal(catalog: Catalog, column: str) -> str:
    with pytest.raises(DataError) as caught:
        loader.load(catalog, "store_sales", [column])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_logical_columns_are_made_of_their_parquet_columns(tmp_path: Path) -> None:
    names = ["cents", "ts", "ss_store_sk", "date", "ss_item_sk"]
    stream = loader.load(sales(tmp_path, files=3), "store_sales", names)
    assert stream.names == tuple(names)
    assert [column.tolist() for column in stream.columns] == [
        [10, -305, 9_999_999],
        [10 * DAY, 10 * DAY + 86_399, 12 * DAY + 7],
        [-1, 3, -1],
        [10, 10, 12],
        [2**31 - 1, 5, 6],
    ]
    assert [column.dtype.name for column in stream.columns] == ["int32", "uint32", "int16", "int32", "int64"]
    assert all(column.flags.c_contiguous for column in stream.columns)
    assert stream.column("date").tolist() == [10, 10, 12]
    assert stream.rows == 3


def test_nulls_that_are_allowed_become_minus_one(tmp_path: Path) -> None:
    catalog = Catalog.open(directory(tmp_path / "d", "web_clickstreams", CLICKS))
    names = ["wcs_user_sk", "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk"]
    stream = loader.load(catalog, "web_clickstreams", names)
    assert [column.tolist() for column in stream.columns] == [
        [-1, -1, 7, 7],
        [-1, 30, -1, 4],
        [-1, 1, 2, 3],
        [1, -1, 3, 4],
    ]
    assert stream.lap_shift == (0, 31, 0, 0)


def test_one_lap_moves_time_by_whole_days_and_renumbers_tickets(tmp_path: Path) -> None:
    names = ["ts", "date", "ss_ticket_number", "ss_item_sk", "cents"]
    assert loader.load(sales(tmp_path), "store_sales", names).lap_shift == (3 * DAY, 3, 5, 0, 0)


@pytest.mark.parametrize(("tickets", "ascend"), [([0, 0, 1], True), ([0, 2, 1], False), ([1, 0, 2], False)])
@pytest.mark.parametrize("files", [1, 3])
def test_it_is_known_whether_tickets_ascend(tmp_path: Path, tickets: list[int], ascend: bool, files: int) -> None:
    catalog = sales(tmp_path, files, ss_ticket_number=tickets)
    assert loader.load(catalog, "store_sales", ["ss_ticket_number"]).facts == {"tickets_ascend": ascend}
    assert loader.tickets_ascend(catalog, "store_sales") is ascend
    assert loader.load(catalog, "store_sales", ["ts"]).facts == {}


def test_an_empty_table_is_an_empty_stream(tmp_path: Path) -> None:
    catalog = Catalog.open(directory(tmp_path / "d", "store_sales", {name: [] for name in SALES}))
    stream = loader.load(catalog, "store_sales", ["ts", "date", "cents", "ss_ticket_number"], sort=True)
    assert [len(column) for column in stream.columns] == [0, 0, 0, 0]
    assert stream.lap_shift == (0, 0, 0, 0)
    assert loader.tickets_ascend(catalog, "store_sales")


def test_sorting_puts_rows_into_replay_order_and_keeps_ties_in_file_order(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    rows = 400
    values: dict[str, list[Any]] = {name: random.integers(0, 3, rows).tolist() for name in CLICKS}
    for name in ("wcs_user_sk", "wcs_sales_sk", "wcs_item_sk"):
        values[name] = [None if random.random() < 0.3 else value for value in values[name]]
    values["mark"] = list(range(rows))
    path = directory(tmp_path / "d", "web_clickstreams", values, files=3)
    stream = loader.load(Catalog.open(path), "web_clickstreams", ["mark", "ts"], sort=True)
    order = list(zip(*(values[name] for name in CLICKS), strict=True))
    wanted = sorted(range(rows), key=lambda row: tuple(-1 if value is None else value for value in order[row]))
    assert stream.column("mark").tolist() == wanted
    assert stream.names == ("mark", "ts")
    assert sorted(stream.column("ts").tolist()) == stream.column("ts").tolist()


def test_progress_ends_at_all_rows(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    loader.load(sales(tmp_path, files=3), "store_sales", ["ts"], progress=lambda done, rows: seen.append((done, rows)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("amount", "kind", "cents"),
    [
        ("1.005", pa.decimal128(9, 3), 101),
        ("-1.005", pa.decimal128(9, 3), -101),
        ("1.0049999", pa.decimal128(20, 7), 100),
        ("12", pa.decimal128(7, 0), 1200),
        ("-0.5", pa.decimal128(5, 1), -50),
        ("9999999999.99", pa.decimal128(38, 2), 999_999_999_999),
        ("7.25", pa.decimal256(50, 4), 725),
        ("3", pa.int32(), 300),
    ],
)
def test_money_becomes_exact_cents(tmp_path: Path, amount: str, kind: pa.DataType, cents: int) -> None:
    value = int(amount) if pa.types.is_integer(kind) else Decimal(amount)
    path = directory(tmp_path / "d", "store_sales", {"ss_net_paid": [value] * 5}, ss_net_paid=kind)
    stream = loader.load(Catalog.open(path), "store_sales", ["cents"])
    assert stream.columns[0].tolist() == [cents] * 5


@pytest.mark.parametrize("amount", ["99999999999.99", "-99999999999.99", "1" * 30])
def test_absurd_money_is_refused(tmp_path: Path, amount: str) -> None:
    values = {"ss_net_paid": [Decimal("1"), Decimal(amount)]}
    path = directory(tmp_path / "d", "store_sales", values, ss_net_paid=pa.decimal128(38, 2))
    assert "in or after row 1" in refusal(Catalog.open(path), "cents")


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint64(), pa.uint32()])
def test_keys_may_have_any_integer_type(tmp_path: Path, kind: pa.DataType) -> None:
    path = directory(tmp_path / "d", "store_sales", {"ss_store_sk": [1, None, 2]}, ss_store_sk=kind)
    assert loader.load(Catalog.open(path), "store_sales", ["ss_store_sk"]).columns[0].tolist() == [1, -1, 2]


@pytest.mark.parametrize(
    ("column", "values", "logical"),
    [
        ("ss_sold_date_sk", [1, None, 2], "ts"),
        ("ss_sold_time_sk", [1, None, 2], "ts"),
        ("ss_sold_date_sk", [1, None, 2], "date"),
        ("ss_ticket_number", [1, None, 2], "ss_ticket_number"),
        ("ss_item_sk", [1, None, 2], "ss_item_sk"),
        ("ss_net_paid", [Decimal(1), None, Decimal(1)], "cents"),
    ],
)
def test_a_null_that_no_query_can_use_is_named(tmp_path: Path, column: str, values: list[Any], logical: str) -> None:
    message = refusal(sales(tmp_path, 1, **{column: values}), logical)
    assert f"Column {column} of " in message
    assert "part-0.parquet is null in row 1" in message


@pytest.mark.parametrize("column", ["ss_item_sk", "ss_store_sk", "ss_ticket_number"])
@pytest.mark.parametrize("files", [1, 3])
def test_a_negative_key_is_named(tmp_path: Path, column: str, files: int) -> None:
    message = refusal(sales(tmp_path, files, **{column: [1, 1, -1]}), column)
    assert f"Column {column} of " in message
    assert f"part-{files - 1}.parquet is -1 in row {2 if files == 1 else 0}" in message


def test_a_negative_key_beside_a_null_is_told_from_it(tmp_path: Path) -> None:
    assert "is -1 in row 2" in refusal(sales(tmp_path, ss_store_sk=[None, 4, -1]), "ss_store_sk")


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("ss_item_sk", 2**31, "item keys must be below 2**31"),
        ("ss_sold_time_sk", 86_400, "0 to 86399"),
        ("ss_sold_date_sk", 2**31, "days since 1900-01-01"),
        ("ss_ticket_number", 2**62, "below 2**62"),
    ],
)
def test_a_key_out_of_range_is_named(tmp_path: Path, column: str, value: int, sentence: str) -> None:
    message = refusal(sales(tmp_path, 1, **{column: [1, value, 2]}), column if column in SALES else "ts")
    assert f"is {value} in row 1" in message
    assert sentence in message


def test_a_key_past_64_bits_is_refused(tmp_path: Path) -> None:
    path = directory(tmp_path / "d", "store_sales", {"ss_ticket_number": [2**64 - 1]}, ss_ticket_number=pa.uint64())
    assert "past 2**63" in refusal(Catalog.open(path), "ss_ticket_number")


@pytest.mark.parametrize(
    ("column", "values", "kind", "logical", "sentence"),
    [
        ("ss_item_sk", ["a"], pa.string(), "ss_item_sk", "has type string where an integer type is needed"),
        ("ss_item_sk", [1.0], pa.float64(), "ss_item_sk", "has type double where an integer type is needed"),
        ("ss_net_paid", [1.0], pa.float64(), "cents", "has type double where a decimal type is needed"),
        ("ss_net_paid", ["1"], pa.string(), "cents", "has type string where a decimal type is needed"),
    ],
)
def test_a_wrong_type_is_named(
    tmp_path: Path, column: str, values: list[Any], kind: pa.DataType, logical: str, sentence: str
) -> None:
    path = directory(tmp_path / "d", "store_sales", {column: values}, **{column: kind})
    assert sentence in refusal(Catalog.open(path), logical)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = directory(tmp_path / "d", "store_sales", {"ss_item_sk": [1]})
    assert "has no column ss_ticket_number" in refusal(Catalog.open(path), "ss_ticket_number")


def test_pages_damaged_after_the_footer_was_read_are_refused(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    path = directory(tmp_path / "d", "store_sales", {"ss_store_sk": random.integers(0, 1 << 40, 5000).tolist()})
    file = path / "store_sales" / "part-0.parquet"
    content = bytearray(file.read_bytes())
    content[4:2000] = bytes(1996)
    file.write_bytes(content)
    assert "is not a readable Parquet file" in refusal(Catalog.open(path), "ss_store_sk")


def test_an_ingested_column_that_was_never_mapped_is_refused_where_a_query_needs_it(tmp_path: Path) -> None:
    path = directory(tmp_path / "d", "web_clickstreams", CLICKS | {"wcs_user_sk": [None] * 4})
    assert loader.load(Catalog.open(path), "web_clickstreams", ["wcs_user_sk"]).columns[0].tolist() == [-1] * 4
    (path / "manifest.json").write_text(json.dumps({"schema": 1, "kind": "ingest"}))
    catalog = Catalog.open(path)
    with pytest.raises(DataError, match=r"wcs_user_sk of web_clickstreams in .* holds only nulls"):
        loader.load(catalog, "web_clickstreams", ["ts", "wcs_user_sk"])
    with pytest.raises(DataError, match="holds only nulls"):
        Streamed.of(catalog, "web_clickstreams", ["wcs_user_sk"])
    assert loader.load(catalog, "web_clickstreams", ["ts", "wcs_item_sk"]).rows == 4
