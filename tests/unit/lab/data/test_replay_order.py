"""The replay order is checked exactly, across files and batches, and once only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.errors import DataError
from streambench.lab.data import loader, replay_order
from streambench.lab.data.catalog import Catalog

COLUMNS = ("wcs_click_date_sk", "wcs_click_time_sk", "wcs_user_sk", "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk")
Row = tuple[int | None, ...]


def clicks(path: Path, *parts: list[Row]) -> Catalog:
    (path / "web_clickstreams").mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(parts):
        columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        table = pa.table({name: pa.array(c, pa.int64()) for name, c in zip(COLUMNS, columns, strict=True)})
        pq.write_table(table, path / "web_clickstreams" / f"part-{number}.parquet")
    return Catalog.open(path)


ASCENDING: list[Row] = [
    (1, 5, None, None, None, None),
    (1, 5, None, None, None, 3),
    (1, 5, None, 2, 0, 0),
    (1, 5, 0, None, 9, 9),
    (1, 5, 0, None, 9, 9),
    (1, 6, None, None, 0, 0),
    (2, 0, None, None, 0, 0),
]


def test_nulls_come_first_and_ties_are_in_order(tmp_path: Path) -> None:
    replay_order.check(clicks(tmp_path, ASCENDING), "web_clickstreams")


@pytest.mark.parametrize("row", [1, 2, 3, 5, 6])
def test_a_row_out_of_order_is_named(tmp_path: Path, row: int) -> None:
    swapped = ASCENDING.copy()
    swapped[row - 1], swapped[row] = swapped[row], swapped[row - 1]
    with pytest.raises(DataError, match=rf"row {row} of .*part-0\.parquet .*--sort"):
        replay_order.check(clicks(tmp_path, swapped), "web_clickstreams")


def test_order_is_checked_across_files_and_empty_files(tmp_path: Path) -> None:
    replay_order.check(clicks(tmp_path / "a", ASCENDING[:3], [], ASCENDING[3:]), "web_clickstreams")
    with pytest.raises(DataError, match=r"row 0 of .*part-2\.parquet"):
        replay_order.check(clicks(tmp_path / "b", ASCENDING[3:], [], ASCENDING[:3]), "web_clickstreams")


def test_order_is_checked_across_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = loader.located_batches
    monkeypatch.setattr(replay_order, "located_batches", lambda files, columns: whole(files, columns, batch_rows=2))
    rows = [*ASCENDING[:4], ASCENDING[2], *ASCENDING[4:]]
    with pytest.raises(DataError, match="row 4 of"):
        replay_order.check(clicks(tmp_path, rows), "web_clickstreams")


def test_a_table_that_passed_is_not_read_again_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = clicks(tmp_path, ASCENDING)
    seen: list[tuple[int, int]] = []
    for _ in range(3):
        replay_order.check(catalog, "web_clickstreams", lambda done, rows: seen.append((done, rows)))
    assert seen == [(7, 7)]
    with pytest.raises(DataError, match="row 1 of"):
        replay_order.check(clicks(tmp_path, ASCENDING[::-1]), "web_clickstreams")


def test_a_table_that_failed_is_not_remembered(tmp_path: Path) -> None:
    catalog = clicks(tmp_path, ASCENDING[::-1])
    for _ in range(2):
        with pytest.raises(DataError, match="not in replay order"):
            replay_order.check(catalog, "web_clickstreams")
    assert [file.name for file in tmp_path.iterdir()] == ["web_clickstreams"]


def test_a_stamp_that_cannot_be_written_or_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".replay-order-web_clickstreams.json").write_bytes(b"\xff{")
    catalog = clicks(tmp_path, ASCENDING)

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    replay_order.check(catalog, "web_clickstreams")
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {".replay-order-web_clickstreams.json", "web_clickstreams"}


@pytest.mark.parametrize(
    ("parts", "ascend"),
    [
        (([(0, 1), (1, 1)], [(2, 2)]), True),
        (([(0, 1), (1, 2)], [], [(2, 1)]), False),
        (([(0, 1), (1, 3), (2, 2)], [(3, 3)]), False),
    ],
)
def test_whether_tickets_ascend_is_seen_on_the_way_and_remembered(
    tmp_path: Path, parts: tuple[list[tuple[int, int]], ...], ascend: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "store_sales").mkdir()
    for number, rows in enumerate(parts):
        time, ticket = ([row[k] for row in rows] for k in (0, 1))
        columns = {"ss_sold_date_sk": [1] * len(rows), "ss_sold_time_sk": time, "ss_ticket_number": ticket}
        table = pa.table({name: pa.array(c, pa.int64()) for name, c in {**columns, "ss_item_sk": ticket}.items()})
        pq.write_table(table, tmp_path / "store_sales" / f"part-{number}.parquet")
    assert replay_order.check(Catalog.open(tmp_path), "store_sales") is ascend
    monkeypatch.setattr(replay_order, "look", None)
    assert replay_order.check(Catalog.open(tmp_path), "store_sales") is ascend
