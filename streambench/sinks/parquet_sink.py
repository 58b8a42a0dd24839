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
    import pyarrow.parquet as pq


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
            path,
            file_rows=file_rows,
            file_bytes=file_bytes,
            batch_rows=batch_rows,
            compression=compression,
            restore=restore,
            nulls=nulls,
        )

    def writer(self, file: pa.NativeFile, schema: pa.Schema) -> BatchWriter:
        import pyarrow.parquet as pq

        return _GroupWriter(pq.ParquetWriter(file, schema, compression=self._compression, write_page_checksum=True))


class _GroupWriter:
    """Writes each batch as one row group, however many rows pyarrow would put into one."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch, row_group_size=max(1, batch.num_rows))

    def close(self) -> None:
        self._writer.close()
