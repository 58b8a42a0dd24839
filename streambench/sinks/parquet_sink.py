"""Parquet files as a sink."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from streambench.data_folder import PARQUET
from streambench.pyx.tuples.data_types import Nulls
from streambench.sinks.file_sink import BatchWriter, FileSink

if TYPE_CHECKING:
    import pyarrow as pa


class ParquetSink(FileSink):
    """Writes the output to Parquet files, see ``FileSink``: one called ``path``, or a folder of them.

    ``batch_rows``: of a row group. ``compression``: as pyarrow calls it. Pages have checksums.
    """

    suffixes = PARQUET

    def __init__(
        self,
        path: str | Path,
        *,
        file_rows: int | None = None,
        file_bytes: int | None = None,
        batch_rows: int = 65536,
        compression: str = "snappy",
        restore: bool | Mapping[str, str] = True,
        nulls: Nulls = None,
    ) -> None:
        super().__init__(
            path, file_rows=file_rows, file_bytes=file_bytes, batch_rows=batch_rows, restore=restore, nulls=nulls
        )
        self._compression = compression

    def writer(self, file: pa.NativeFile, schema: pa.Schema) -> BatchWriter:
        import pyarrow.parquet as pq

        made: BatchWriter = pq.ParquetWriter(file, schema, compression=self._compression, write_page_checksum=True)
        return made
