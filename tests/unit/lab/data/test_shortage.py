"""Memory and threads that are short are not told as a file that is damaged."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.data.parquet_files import ParquetFiles
from streambench.errors import DataError, StreambenchError
from streambench.lab.data.catalog import Catalog


def table(folder: Path) -> Any:
    return Catalog.open(folder).table("item")


@pytest.mark.parametrize("read", [table, ParquetFiles])
@pytest.mark.parametrize(
    ("problem", "raised", "told"),
    [
        (pa.ArrowMemoryError("malloc of size 64 failed"), MemoryError, "malloc of size 64 failed"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), MemoryError, "Cannot allocate memory"),
        (pa.ArrowInvalid("Failed to launch worker thread: x"), StreambenchError, "no thread to read with could be"),
        (pa.ArrowInvalid("Parquet magic bytes not found"), DataError, "Parquet magic bytes not found"),
    ],
    ids=str,
)
def test_only_what_is_wrong_with_a_file_is_told_of_it(
    read: Callable[[Path], Any],
    problem: Exception,
    raised: type[Exception],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pq.write_table(pa.table({"n": [1]}), tmp_path / "item.parquet")

    def fails(*_: Any, **__: Any) -> None:
        raise problem

    monkeypatch.setattr(pq, "ParquetFile", fails)
    monkeypatch.setattr(pq, "read_metadata", fails)
    with pytest.raises(raised, match=told) as seen:
        read(tmp_path)
    assert isinstance(seen.value, DataError) == (raised is DataError)
