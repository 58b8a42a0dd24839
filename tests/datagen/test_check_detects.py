"""`check` fails on every way of spoiling a directory that we could think of."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from streambench.datagen import check, manifest
from streambench.datagen.errors import DatagenError

Copied = Callable[[], Path]


def failures(directory: Path) -> str:
    report = check(directory)
    assert not report.ok
    return "\n".join(finding.name for finding in report.failed)


def rewrite(file: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(file)), file)


def replaced(table: pa.Table, column: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    position = table.column_names.index(column)
    return table.set_column(position, table.schema.field(column), values.cast(table.schema.field(column).type))


def with_new_hashes(directory: Path) -> None:
    """Make rows and hashes of the manifest fit what lies there, so that only the distributions can tell."""
    described = json.loads((directory / "manifest.json").read_text())
    manifest.finish(
        directory,
        kind="datagen",
        parameters=described["parameters"],
        versions=described["versions"],
        tables={name: entry["files"] for name, entry in described["tables"].items()},
    )


def test_a_single_changed_value(copied: Copied) -> None:
    directory = copied()

    def change(table: pa.Table) -> pa.Table:
        pages = table["wcs_web_page_sk"].to_pylist()
        pages[1234] = (pages[1234] + 1) % 60
        return replaced(table, "wcs_web_page_sk", pa.array(pages))

    rewrite(directory / "web_clickstreams" / "part-00001.parquet", change)
    assert "web_clickstreams: content hash" in failures(directory)


def test_two_rows_in_the_wrong_order(copied: Copied) -> None:
    directory = copied()

    def swap(table: pa.Table) -> pa.Table:
        order = list(range(table.num_rows))
        order[100], order[4000] = order[4000], order[100]
        return table.take(order)

    rewrite(directory / "store_sales" / "part-00001.parquet", swap)
    found = failures(directory)
    assert "store_sales: first row out of replay order" in found
    assert "store_sales: content hash" in found
    assert "store_sales: rows" not in found


def test_a_missing_row(copied: Copied) -> None:
    directory = copied()
    rewrite(directory / "web_clickstreams" / "part-00002.parquet", lambda table: table.slice(1))
    assert "web_clickstreams: rows" in failures(directory)


def test_a_missing_file(copied: Copied) -> None:
    directory = copied()
    (directory / "store_sales" / "part-00002.parquet").unlink()
    assert "store_sales: files" in failures(directory)


def test_a_foreign_file_among_the_parts(copied: Copied) -> None:
    directory = copied()
    folder = directory / "web_clickstreams"
    (folder / "part-00009.parquet").write_bytes((folder / "part-00000.parquet").read_bytes())
    assert "web_clickstreams: files" in failures(directory)


@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"not parquet"])
def test_a_truncated_or_foreign_file(copied: Copied, spoil: Callable[[bytes], bytes]) -> None:
    directory = copied()
    file = directory / "item" / "part-00000.parquet"
    file.write_bytes(spoil(file.read_bytes()))
    assert "item: Parquet" in failures(directory)


def test_a_flipped_byte(copied: Copied) -> None:
    directory = copied()
    file = directory / "web_clickstreams" / "part-00000.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)
    assert "web_clickstreams: " in failures(directory)


def test_a_missing_table(copied: Copied) -> None:
    directory = copied()
    described = json.loads((directory / "manifest.json").read_text())
    del described["tables"]["web_page"]
    (directory / "manifest.json").write_text(json.dumps(described))
    assert "tables missing" in failures(directory)


def test_distributions_that_changed_while_hashes_fit(copied: Copied) -> None:
    directory = copied()

    def to_one_item(table: pa.Table) -> pa.Table:
        moved = pc.if_else(pc.less(table["ss_item_sk"], 2_000), 10_001, table["ss_item_sk"])
        return replaced(table, "ss_item_sk", moved).sort_by(
            [(name, "ascending") for name in ("ss_sold_date_sk", "ss_sold_time_sk", "ss_ticket_number", "ss_item_sk")]
        )

    def known(table: pa.Table) -> pa.Table:
        return replaced(table, "wcs_user_sk", table["wcs_user_sk"].fill_null(0)).sort_by(
            [(name, "ascending") for name in ("wcs_click_date_sk", "wcs_click_time_sk", "wcs_user_sk")]
        )

    for part in range(3):
        rewrite(directory / "store_sales" / f"part-0000{part}.parquet", to_one_item)
        rewrite(directory / "web_clickstreams" / f"part-0000{part}.parquet", known)
    with_new_hashes(directory)
    found = failures(directory)
    assert "store_sales: rows of the four hot items" in found
    assert "web_clickstreams: user not null" in found
    assert "content hash" not in found


def test_prices_that_do_not_add_up(copied: Copied) -> None:
    directory = copied()

    def free(table: pa.Table) -> pa.Table:
        paid = pc.if_else(
            pc.equal(table["ss_store_sk"], 3), pa.scalar(Decimal(0), pa.decimal128(7, 2)), table["ss_net_paid"]
        )
        return replaced(table, "ss_net_paid", paid)

    rewrite(directory / "store_sales" / "part-00000.parquet", free)
    with_new_hashes(directory)
    assert "net paid = ext sales - coupon" in failures(directory)


def test_a_table_without_rows(copied: Copied) -> None:
    directory = copied()
    for part in range(3):
        rewrite(directory / "web_clickstreams" / f"part-0000{part}.parquet", lambda table: table.slice(0, 0))
    with_new_hashes(directory)
    assert "tables without rows" in failures(directory)


def test_a_column_of_another_type(copied: Copied) -> None:
    directory = copied()

    def as_text(table: pa.Table) -> pa.Table:
        position = table.column_names.index("ss_quantity")
        return table.set_column(position, "ss_quantity", table["ss_quantity"].cast(pa.string()))

    for part in range(3):
        rewrite(directory / "store_sales" / f"part-0000{part}.parquet", as_text)
    assert "store_sales: missing or mistyped columns" in failures(directory)


def test_a_damaged_entry_of_the_manifest_is_refused(copied: Copied) -> None:
    directory = copied()
    described = json.loads((directory / "manifest.json").read_text())
    del described["tables"]["item"]["rows"]
    (directory / "manifest.json").write_text(json.dumps(described))
    with pytest.raises(DatagenError, match="damaged"):
        check(directory)


def test_an_incomplete_directory_is_refused(copied: Copied) -> None:
    directory = copied()
    (directory / manifest.MARKER).touch()
    with pytest.raises(DatagenError, match="incomplete"):
        check(directory)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "other"}'])
def test_a_manifest_that_is_none_is_refused(copied: Copied, text: str) -> None:
    directory = copied()
    (directory / manifest.FILE).write_text(text)
    with pytest.raises(DatagenError, match="no manifest"):
        check(directory)
