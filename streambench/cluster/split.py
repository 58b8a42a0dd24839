"""Rows split by key on their way to the partitions: consecutive rows stay in order, as Arrow's bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
MOST_PARTITIONS = 1 << 16
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
    taken = {name: values[order] for name, values in rows.items()}
    end = 0
    for partition in np.flatnonzero(counts).tolist():
        begin, end = end, end + int(counts[partition])
        yield partition, {name: values[begin:end] for name, values in taken.items()}


def as_bytes(block: pa.RecordBatch) -> bytes:
    """A block without its schema, which all of a shuffle share."""
    return bytes(block.serialize())


def arrays(block: bytes, schema: pa.Schema) -> tuple[Array, ...]:
    """The columns of a block, which read its memory."""
    return tuple(each.to_numpy() for each in pa.ipc.read_record_batch(pa.py_buffer(block), schema).columns)
