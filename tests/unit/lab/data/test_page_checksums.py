"""Whoever reads a Parquet file whose pages have checksums refuses it where one of its bytes is another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.data.arrow_stream import to_be_read_again
from streambench.data.parquet_files import ParquetFiles
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.lab.data import loader
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.lookup import categories
from streambench.lab.data.streamed import Streamed
from streambench.pyx.table_source import NOT_YET

ROWS = 1000
COLUMNS = ("ts", "ss_item_sk")
MAPPING = ColumnMapping(
    table="item", columns={"item": "i_item_sk", "category": "i_category_id"}, dictionary=("i_category_id",)
)


def write(file: Path, *names: str, **texts: list[str]) -> None:
    file.parent.mkdir(exist_ok=True)
    table = pa.table({**{name: np.arange(ROWS) for name in names}, **texts})
    pq.write_table(table, file, write_page_checksum=True, compression="none", use_dictionary=False)


def damage(file: Path) -> None:
    """Another lowest bit of a value amid the last column's only page."""
    chunk = pq.read_metadata(file).row_group(0)
    column = chunk.column(chunk.num_columns - 1)
    written = bytearray(file.read_bytes())
    written[column.data_page_offset + column.total_compressed_size - 8 * (ROWS // 2)] ^= 1
    file.write_bytes(written)


def streamed(path: Path) -> list[int]:
    batches = Streamed.of(Catalog.open(path), "store_sales", COLUMNS).batches(2)
    items: list[int] = []
    for batch in batches:
        if batch is NOT_YET:
            batches.work_ahead()
        else:
            items += batch[1].tolist()
    return items


def ingested(path: Path) -> list[int]:
    ingest(path / "item.parquet", MAPPING, out=path / "out")
    return sorted(pq.read_table(path / "out" / "item")["i_item_sk"].to_pylist())


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "loaded": (
        "store_sales.parquet",
        lambda path: loader.load(Catalog.open(path), "store_sales", COLUMNS).columns[1].tolist(),
    ),
    "streamed": ("store_sales.parquet", streamed),
    "looked up": ("item.parquet", lambda path: categories(Catalog.open(path)).tolist()),
    "dictionary": ("names.parquet", lambda path: Catalog.open(path).dictionary("i_item_sk")["code"].to_pylist()),  # type: ignore[index]
    "ingested": ("item.parquet", ingested),
    "dataset": (
        "item.parquet",
        lambda path: to_be_read_again(path / "item.parquet", in_memory=False).to_table()["i_category_id"].to_pylist(),
    ),
    "batches": (
        "item.parquet",
        lambda path: ParquetFiles(path / "item.parquet").table(lambda rows: None)["i_category_id"].to_pylist(),
    ),
    "column": (
        "item.parquet",
        lambda path: pa.chunked_array(
            list(ParquetFiles(path / "item.parquet").column(path / "item.parquet", 0, "i_category_id"))
        ).to_pylist(),
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_page_that_does_not_meet_its_checksum_is_refused(tmp_path: Path, reader: str) -> None:
    name, read = READERS[reader]
    write(tmp_path / "store_sales.parquet", "ss_sold_date_sk", "ss_sold_time_sk", "ss_item_sk")
    write(tmp_path / "item.parquet", "i_item_sk", "i_category_id")
    write(tmp_path / "names.parquet", "code", name=[f"{k:08}" for k in range(ROWS)])
    manifest = {"schema": 1, "kind": "ingest", "dictionaries": {"i_item_sk": "names.parquet"}, "tables": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert read(tmp_path) == list(range(ROWS))
    damage(tmp_path / name)
    if reader == "ingested":
        (tmp_path / "out").rename(tmp_path / "before")
    with pytest.raises(Exception, match="CRC"):
        read(tmp_path)
