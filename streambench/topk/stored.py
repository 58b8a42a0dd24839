"""The bytes that counts are kept in: a head, and an Arrow stream.

The head is the line ``streambench topk 1``, 1 being the version of this layout, and the SHA-256 of what
follows (32 bytes). What follows is an Arrow IPC stream with the columns item (null where nothing has come), count and
error (int64), the highest count first. Its metadata has, under ``streambench``, an object in JSON: design, counters,
floor, n and nulls."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.errors import DataError

HEAD = b"streambench topk "
VERSION = b"1"
KEY = "streambench"
FACTS = ("design", "counters", "floor", "n", "nulls")


class Stored(NamedTuple):
    """``items``: an array of the items' own type, or of nulls if there has been none."""

    items: pa.Array
    counts: npt.NDArray[np.int64]
    errors: npt.NDArray[np.int64]
    design: str
    counters: int
    floor: int
    n: int
    nulls: int


def to_bytes(stored: Stored) -> bytes:
    table = pa.table({"item": stored.items, "count": stored.counts, "error": stored.errors})
    facts = {name: getattr(stored, name) for name in FACTS}
    table = table.replace_schema_metadata({KEY: json.dumps(facts)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    body: bytes = sink.getvalue().to_pybytes()
    return HEAD + VERSION + b"\n" + hashlib.sha256(body).digest() + body


def from_bytes(data: bytes) -> Stored:
    """The inverse of ``to_bytes``. Raises DataError for bytes of something else, of another version, or damaged."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise DataError(f"a top-k is restored from bytes, not from {type(data).__name__}.")
    head, _, rest = bytes(data).partition(b"\n")
    if not head.startswith(HEAD):
        raise DataError("these bytes are no top-k: give what TopK.to_bytes returned.")
    if head != HEAD + VERSION:
        version = head.removeprefix(HEAD)[:20].decode("ascii", "replace")
        raise DataError(f"this top-k has layout {version}, this streambench reads 1: use the one that wrote it.")
    digest, body = rest[:32], rest[32:]
    if hashlib.sha256(body).digest() != digest:
        raise DataError("this top-k is damaged: its bytes are not those that were written.")
    table = pa.ipc.open_stream(body).read_all()
    facts = json.loads(table.schema.metadata[KEY.encode()])
    items = pa.concat_arrays(table["item"].chunks) if table.num_rows else pa.array([], table["item"].type)
    return Stored(items, table["count"].to_numpy(), table["error"].to_numpy(), *(facts[name] for name in FACTS))
