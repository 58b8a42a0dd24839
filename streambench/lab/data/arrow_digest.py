"""A digest of an Arrow table that is made slice by slice."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import pyarrow as pa


class ArrowDigest:
    """SHA-256 of a table as an Arrow stream: names, types and values, as cut into the slices that it is given."""

    def __init__(self, schema: pa.Schema) -> None:
        self._hashing = _Hashing()
        self._stream = pa.ipc.new_stream(pa.PythonFile(self._hashing, "w"), schema)

    def add(self, part: pa.Table) -> None:
        """The next rows, one record batch."""
        self._stream.write_table(part.combine_chunks())

    def text(self) -> str:
        """After the last slice: the digest, in hexadecimal."""
        self._stream.close()
        return self._hashing.sha.hexdigest()


class _Hashing(io.RawIOBase):
    """A file that keeps nothing but the digest of what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.sha = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha.update(data)
        return len(data)
