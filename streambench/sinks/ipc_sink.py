"""Arrow IPC files as a sink."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from streambench.pyx.tuples.data_types import Nulls
from streambench.sinks.file_sink import BatchWriter, FileSink

if TYPE_CHECKING:
    import pyarrow as pa


class IpcSink(FileSink):
    """Writes the output to files of Arrow's IPC format, see ``FileSink``: one called ``path``, or a folder of them.

    ``compression``: ``lz4``, ``zstd`` or None, with which a reader maps the columns into its memory.
    """

    suffixes = (".arrow", ".feather", ".ipc")

    def __init__(
        self,
        path: str | Path,
        *,
        file_rows: int | None = None,
        file_bytes: int | None = None,
        batch_rows: int = 65536,
        compression: str | None = None,
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
        import pyarrow as pa

        options = pa.ipc.IpcWriteOptions(compression=self._compression)
        made: BatchWriter = pa.ipc.new_file(file, schema, options=options)
        return made
