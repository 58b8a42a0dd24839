"""A bucket: all keys with the same remainder, what is held of them between micro-batches, and what a micro-batch does.

Rows wait until the watermark has passed them, and then go through the operators in replay order. So the answer does not
depend on how the stream was cut into micro-batches, nor on the order of rows that come no later than allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streambench.lab.data.lexicographic import stable_order
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.queries.stream_query import State

ITEMS, LENGTH = "items", "length"


@dataclass(frozen=True)
class Bucket:
    """``waiting``: rows from ``frontier`` on, which later ones may still come before; ``keyed``: the state by key of
    all rows before it, as a table."""

    frontier: int
    waiting: pa.Table
    keyed: pa.Table | None = None

    @classmethod
    def empty(cls, work: KeyedWork) -> Bucket:
        """Before the first row."""
        return cls(0, work.no_rows)

    @property
    def keys(self) -> int:
        """How many keys have state."""
        return 0 if self.keyed is None else self.keyed.num_rows

    def to_bytes(self) -> tuple[int, bytes, bytes]:
        """Frontier, waiting rows and state, the latter two as Arrow streams."""
        return self.frontier, to_ipc(self.waiting), b"" if self.keyed is None else to_ipc(self.keyed)

    @classmethod
    def from_bytes(cls, frontier: int, waiting: bytes, keyed: bytes) -> Bucket:
        """What `to_bytes` was made of."""
        return cls(frontier, from_ipc(waiting), from_ipc(keyed) if keyed else None)


@dataclass(frozen=True)
class Step:
    """What a micro-batch makes of a bucket: ``added`` to the answer, and the rows that came too ``late``."""

    bucket: Bucket
    added: pa.Table
    late: pa.Table


def advance(work: KeyedWork, bucket: Bucket, rows: pa.Table, frontier: int) -> Step:
    """Take rows in any order, and go on to ``frontier``: no row before it is expected any more.

    A row before the frontier that the bucket has reached already is late, and changes nothing.
    """
    frontier = max(frontier, bucket.frontier)
    known = pc.greater_equal(rows.column("ts"), bucket.frontier)
    late = rows.filter(pc.invert(known))
    all_rows = pa.concat_tables([bucket.waiting, rows.filter(known)])
    ready = pc.less(all_rows.column("ts"), frontier)
    added = [work.stream.schema.empty_table()]
    keyed = bucket.keyed
    if pc.any(ready).as_py():
        before = None if keyed is None else to_state(keyed)
        state, new = work.run(in_order(work, all_rows.filter(ready)), before, last=False)
        keyed = to_table(state)
        added.append(new)
    if keyed is not None and (over := work.over(to_state(keyed), frontier)).any():
        added.append(work.run(work.no_rows, to_state(keyed.filter(pa.array(over))), last=True)[1])
        keyed = keyed.filter(pa.array(~over))
    waiting = all_rows.filter(pc.invert(ready))
    return Step(Bucket(frontier, waiting, keyed), pa.concat_tables(added).combine_chunks(), late)


def close(work: KeyedWork, bucket: Bucket) -> pa.Table:
    """What would be added if the stream ended here."""
    state = None if bucket.keyed is None else to_state(bucket.keyed)
    return work.run(in_order(work, bucket.waiting), state, last=True)[1]


def next_due(work: KeyedWork, bucket: Bucket) -> int | None:
    """A frontier at which there will be something to do without further rows; None where nothing waits."""
    if bucket.waiting.num_rows:
        return int(pc.min(bucket.waiting.column("ts")).as_py()) + 1
    if bucket.keyed is None or not bucket.keys or work.stream.over is None:
        return None
    return _first_over(work, to_state(bucket.keyed), bucket.frontier)


def _first_over(work: KeyedWork, state: State, frontier: int) -> int:
    """The frontier at which the first key is over: found by halving, as what is over stays so."""
    low, step = frontier, 1
    while not work.over(state, low + step).any():
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if work.over(state, middle).any() else (middle, high)
    return high


def in_order(work: KeyedWork, rows: pa.Table) -> pa.Table:
    """The rows in replay order."""
    order = stable_order([rows.column(name).to_numpy() for name in work.order])
    return rows if order is None else rows.take(order)


def to_table(state: State) -> pa.Table:
    """An operator's state as a table of a row for each key, lists among its columns."""
    columns: dict[str, Any] = dict(state)
    if ITEMS in columns:
        begins = np.concatenate(([0], np.cumsum(columns.pop(LENGTH)))).astype(np.int32)
        columns[ITEMS] = pa.ListArray.from_arrays(begins, pa.array(columns[ITEMS]))
    return pa.table(columns)


def to_state(table: pa.Table) -> State:
    """The same back."""
    columns: dict[str, npt.NDArray[Any]] = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if name == ITEMS:
            columns[LENGTH] = pc.list_value_length(column).to_numpy().astype(np.int64)
            column = column.flatten()
        columns[name] = column.to_numpy()
    return columns


def to_ipc(table: pa.Table) -> bytes:
    """A table as an Arrow stream, compressed."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_ipc(data: bytes) -> pa.Table:
    """The same back."""
    return pa.ipc.open_stream(data).read_all()
