"""Rows split by key on their way to the partitions: consecutive rows stay in order, as Arrow's bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.queries.cut import Shuffle

Array = npt.NDArray[Any]
Key = tuple[int, int, int]
"""(partition, window or place, place): by it a partition's blocks are put in order."""

BLOCK_ROWS = 1 << 18  # split at once: indices and columns stay near
NARROWED_BYTES = 1 << 13  # from here on what Spark takes for a byte exceeds what it takes to save some
MOST_PARTITIONS = 1 << 16
_WHOLE, _ONE_VALUE = "w", "o"
_NARROW: dict[str, np.dtype[Any]] = {"b": np.dtype(np.uint8), "h": np.dtype(np.uint16), "i": np.dtype(np.uint32)}
"""How a column travels, by its letter: as it is, as one value, or in a narrower type."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


def partition_of(columns: Sequence[Array], partitions: int) -> npt.NDArray[np.uint16]:
    """The partition of each row by its key, which is one integer column or several."""
    mixed = columns[0].astype(np.uint64)
    for each in columns[1:]:
        mixed = _stirred(mixed) + each.astype(np.uint64)
    return ((_stirred(mixed) >> np.uint64(32)) * np.uint64(partitions) >> np.uint64(32)).astype(np.uint16)


def _stirred(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    values = values * _MIX  # modulo 2**64
    values ^= values >> np.uint64(29)
    values *= _MIX
    return values


def blocks(
    shuffle: Shuffle, rows: Mapping[str, Array], place: int, partitions: int
) -> Iterator[tuple[Key, pa.RecordBatch]]:
    """``rows``, which stand together in the stream, by partition: each block in their order, and of one window only.

    ``place`` is that of the first row among all that are split: no two rows of a run have the same.
    """
    total = len(next(iter(rows.values())))
    for begin in range(0, total, BLOCK_ROWS):
        some = {name: values[begin : begin + BLOCK_ROWS] for name, values in rows.items()}
        if shuffle.combine is not None:
            some = dict(shuffle.combine(some))
        for window, run in _windows(shuffle, some):
            for partition, chosen in _by_partition(shuffle, run, partitions):
                at = place + begin
                yield (partition, at if window is None else window, at), pa.RecordBatch.from_pydict(chosen)


def _windows(shuffle: Shuffle, rows: dict[str, Array]) -> Iterator[tuple[int | None, dict[str, Array]]]:
    if shuffle.window is None:
        yield None, rows
        return
    values = rows[shuffle.window]
    edges = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
    for begin, end in pairwise(edges):
        if end > begin:
            yield int(values[begin]), {name: each[begin:end] for name, each in rows.items()}


def _by_partition(shuffle: Shuffle, rows: dict[str, Array], partitions: int) -> Iterator[tuple[int, dict[str, Array]]]:
    if shuffle.key == (shuffle.window,):  # all of one key
        yield int(partition_of([rows[shuffle.key[0]][:1]], partitions)[0]), rows
        return
    of = partition_of([rows[name] for name in shuffle.key], partitions)
    order = np.argsort(of, kind="stable")  # a radix sort, of numbers this small
    counts = np.bincount(of, minlength=partitions)
    sorted_rows = {name: values[order] for name, values in rows.items()}
    end = 0
    for partition in np.flatnonzero(counts).tolist():
        begin, end = end, end + int(counts[partition])
        yield partition, {name: values[begin:end] for name, values in sorted_rows.items()}


def as_bytes(block: pa.RecordBatch) -> bytes:
    """A block without its schema, which all of a shuffle share; at its end a letter for each column: how it travels.

    Columns without negative values travel in as few bytes as their greatest value needs, columns of one value as that;
    those of a small block as they are, since that costs more than it saves there.
    """
    if block.nbytes < NARROWED_BYTES:
        return b"".join((block.serialize(), _WHOLE.encode() * len(block.schema)))
    narrowed = [_narrow(each.to_numpy()) for each in block.columns]
    letters = "".join(letter for letter, _ in narrowed).encode()
    narrow = pa.RecordBatch.from_arrays([each for _, each in narrowed], block.schema.names)
    return b"".join((narrow.serialize(), letters))


def arrays(block: bytes, schema: pa.Schema) -> tuple[Array, ...]:
    """The columns of a block in the types of ``schema``; those that travelled in these read the block's memory."""
    letters = block[len(block) - len(schema) :].decode()
    batch = pa.ipc.read_record_batch(pa.py_buffer(block), _travelled(schema, letters))
    return tuple(
        _widened(column, field.type.to_pandas_dtype()) for column, field in zip(batch.columns, schema, strict=True)
    )


def _narrow(values: Array) -> tuple[str, pa.Array]:
    if values.dtype.kind not in "iu" or not len(values):
        return _WHOLE, pa.array(values)
    low, high = values.min(), values.max()
    if low == high and len(values) > 1:
        ends = pa.array([len(values)], pa.int32())
        return _ONE_VALUE, pa.RunEndEncodedArray.from_arrays(ends, pa.array(values[:1]))
    for letter, kind in _NARROW.items():
        if low >= 0 and high <= np.iinfo(kind).max and kind.itemsize < values.dtype.itemsize:
            return letter, pa.array(values.astype(kind))
    return _WHOLE, pa.array(values)


def _widened(column: pa.Array, kind: Any) -> Array:
    if isinstance(column, pa.RunEndEncodedArray):
        return np.full(len(column), column.values[0].as_py(), kind)
    values: Array = column.to_numpy().astype(kind, copy=False)
    return values


@lru_cache(maxsize=256)
def _travelled(schema: pa.Schema, letters: str) -> pa.Schema:
    """The schema of blocks whose columns travel so."""
    kinds = {letter: pa.from_numpy_dtype(kind) for letter, kind in _NARROW.items()}
    return pa.schema(
        [
            (
                field.name,
                pa.run_end_encoded(pa.int32(), field.type) if letter == _ONE_VALUE else kinds.get(letter, field.type),
            )
            for field, letter in zip(schema, letters, strict=True)
        ]
    )
