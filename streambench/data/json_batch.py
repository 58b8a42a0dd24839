"""JSON objects as rows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence

import pyarrow as pa

from streambench.errors import DataError

MOST_SHOWN = 60
"""Bytes of a message that an error shows, at most."""

_BLANK = b" \t\r\n"

Decoder = Callable[[Sequence[bytes], pa.Schema], pa.RecordBatch]
"""Makes a batch of messages, a row of each."""


def json_batch(values: Sequence[bytes], schema: pa.Schema) -> pa.RecordBatch:
    """Of JSON objects, one to a message; fields that ``schema`` has not are left out. Dates are numbers, as Arrow has
    them, or ISO 8601, as a ``KafkaSink`` writes them. Raises what Arrow raises, and DataError for a message that is not
    one JSON object."""
    if not values:
        return pa.RecordBatch.from_pylist([], schema)
    for number, each in enumerate(values, 1):  # Arrow crashes at null, passes by nothing, and takes half an object
        text = each.strip(_BLANK)
        if not (text.startswith(b"{") and text.endswith(b"}")):
            raise _not_one_object(number, values)
    dates = pa.timestamp("ms")  # which Arrow reads texts as
    written = pa.schema([(each.name, dates if pa.types.is_date(each.type) else each.type) for each in schema])
    try:
        table = _read(values, schema)
    except pa.ArrowInvalid:
        if written == schema:
            raise
        table = _read(values, written).cast(schema)
    if table.num_rows != len(values):
        raise _not_one_object(next(k for k, each in enumerate(values, 1) if not _is_json(each)), values)
    return table.combine_chunks().to_batches()[0]


def _read(values: Sequence[bytes], schema: pa.Schema) -> pa.Table:
    import pyarrow.json as paj

    told = paj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    whole = paj.ReadOptions(use_threads=False, block_size=sum(map(len, values)) + len(values) + 1)
    lines = io.BytesIO(b"\n".join(each.replace(b"\n", b" ") for each in values))
    return paj.read_json(lines, read_options=whole, parse_options=told)


def _not_one_object(number: int, values: Sequence[bytes]) -> DataError:
    return DataError(f"message {number} of {len(values)} is not one JSON object: {values[number - 1][:MOST_SHOWN]!r}")


def _is_json(value: bytes) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
