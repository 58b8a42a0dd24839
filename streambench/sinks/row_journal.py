"""The rows of a file that is not whole yet, kept apart, so that a run that goes on can write them again."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from streambench.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


class RowJournal:
    """``file``: batches, one behind the other; ``position``: as of ``RowJournal.position``, of those to go on behind.

    Raises DataError where these are not there.
    """

    def __init__(self, file: Path, position: tuple[int, int] = (0, 0)) -> None:
        self.path = file
        self._size, self._sum = position
        content = b""
        if self._size and file.exists():
            with file.open("rb") as before:
                content = before.read(self._size)
        if (len(content), zlib.crc32(content)) != position:
            raise DataError(
                f"{file}, which belongs to the last checkpoint, is damaged: remove that checkpoint to go "
                "on from the one before it, or name an empty folder by checkpoint=."
            )
        self._content = content
        self._file = file.open("ab", buffering=0)
        self._file.truncate(self._size)

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Those that were there at the beginning, once."""
        import pyarrow as pa

        content, self._content = pa.BufferReader(self._content), b""
        while content.tell() < content.size():
            yield pa.ipc.read_record_batch(pa.ipc.read_message(content), schema)

    def append(self, batch: pa.RecordBatch) -> None:
        """Write a batch behind the others."""
        content = memoryview(batch.serialize())
        self._sum = zlib.crc32(content, self._sum)
        self._size += len(content)
        while content:
            content = content[self._file.write(content) :]

    def position(self) -> npt.NDArray[np.int64]:
        """Where it ends now: bytes and their checksum."""
        return np.array([self._size, self._sum])

    def close(self) -> None:
        """Nothing more comes; the file stays."""
        self._file.close()
