"""Reading what ingest wrote, with nothing of the code under test."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MASTER = "local[2]"


def everything(path: Path) -> dict[str, bytes]:
    """Every file of a directory and its bytes."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def seconds(date: str, time: str) -> int:
    """Seconds since 1900-01-01, by Python's calendar."""
    moment = datetime.datetime.fromisoformat(f"{date} {time}") - datetime.datetime(1900, 1, 1)
    return moment.days * 86_400 + moment.seconds


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    """A table's rows, its files read in name order."""
    files = sorted((path / table).glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def names(path: Path, key: str = "item") -> list[str]:
    """A dictionary's names by code; checks that codes count from 0."""
    found = pq.read_table(path / "dictionaries" / f"{key}.parquet")
    assert found.schema.field("code").type == pa.int64()
    assert found["code"].to_pylist() == list(range(found.num_rows))
    return [str(name) for name in found["name"].to_pylist()]
