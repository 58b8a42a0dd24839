"""A content hash of a table: the same rows in the same order give the same hash, however they lie in files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from streambench.parquet_file import open_parquet, read_schema

CHUNK_ROWS = 65_536


def content_hash(files: Sequence[Path], progress: Callable[[int], None] | None = None) -> tuple[int, str]:
    """Rows and SHA-256 of the rows of `files`, read one after the other.

    The hash covers the column names and, in chunks of 65,536 rows, each column's nulls and values in one canonical
    form (integers as 64 bits, decimals as 128 bits with their scale, strings with their lengths). So it depends
    on every value and on the order of the rows, and not on files, row groups, compression or integer width.
    `progress` is called with the number of rows hashed since the last call.
    """
    digest = hashlib.sha256()
    rows = 0
    if files:
        digest.update(_header(read_schema(files[0])))
    for chunk in chunks(files):
        digest.update(chunk.num_rows.to_bytes(8, "little"))
        for column in chunk.columns:
            _update(digest, column.combine_chunks())
        rows += chunk.num_rows
        if progress is not None:
            progress(chunk.num_rows)
    return rows, digest.hexdigest()


def chunks(files: Sequence[Path], columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The rows of `files` in order, as tables of exactly CHUNK_ROWS rows but for the last; bounded memory."""
    held: list[pa.Table] = []
    count = 0
    for file in files:
        with open_parquet(file) as opened:
            for batch in opened.iter_batches(CHUNK_ROWS, columns=None if columns is None else list(columns)):
                held.append(pa.Table.from_batches([batch]))
                count += batch.num_rows
                if count >= CHUNK_ROWS:
                    joined = pa.concat_tables(held)
                    yield joined.slice(0, CHUNK_ROWS)
                    count -= CHUNK_ROWS
                    held = [joined.slice(CHUNK_ROWS)] if count else []
    if count:
        yield pa.concat_tables(held)


def _header(schema: pa.Schema) -> bytes:
    return ";".join(f"{field.name}:{_form(field.type)}" for field in schema).encode() + b"\n"


def _form(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.scale})"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "string"
    return str(kind)


def _update(digest: Any, column: pa.Array) -> None:
    """Feed one chunk of a column: which rows are valid, then the values with nulls put to zero."""
    if column.null_count:
        _update_fixed(digest, column.is_valid().cast(pa.uint8()), 1)
    else:
        digest.update(b"v")
    kind = column.type
    if pa.types.is_integer(kind):
        _update_fixed(digest, pc.fill_null(column, 0).cast(pa.int64()), 8)
    elif pa.types.is_decimal(kind):
        wide = column.cast(pa.decimal128(38, kind.scale))
        _update_fixed(digest, pc.fill_null(wide, pa.scalar(Decimal(0), wide.type)), 16)
    else:
        text = pc.fill_null(column.cast(pa.large_string()), "")
        _update_fixed(digest, pc.binary_length(text).cast(pa.int64()), 8)
        digest.update("".join(text.to_pylist()).encode())


def _update_fixed(digest: Any, values: pa.Array, width: int) -> None:
    """Feed the values' own bytes; a slice starts inside its buffer."""
    if len(values):
        start = values.offset * width
        digest.update(memoryview(values.buffers()[1])[start : start + len(values) * width])
