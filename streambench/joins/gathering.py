"""Columns of pairs: values of the sides' rows, gathered by several threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.types as is_

from streambench.joins.side import Rows
from streambench.pyx.join.gather import gather_bits, gather_later, gather_values

AT_ONCE = 1 << 18  # pairs that a thread takes


class Gathered(Protocol):
    """A column: ``gather`` is called for pieces, by any thread, or once with all; then ``values`` are there."""

    in_pieces: bool

    def gather(self, begin: int, end: int) -> None:
        """Gather the values of these pairs; ``begin`` is a multiple of 8."""

    def values(self) -> pa.Array | pa.ChunkedArray:
        """All of them."""


def gather(columns: Sequence[Gathered], pairs: int, threads: int) -> None:
    """Gather all columns of so many pairs: one after the other, so that caches hold as much of a window as they can."""
    with ThreadPoolExecutor(threads) as pool:
        jobs: list[Future[None]] = []
        for each in columns:
            step = AT_ONCE if each.in_pieces else max(1, pairs)
            jobs += [pool.submit(each.gather, begin, min(begin + step, pairs)) for begin in range(0, pairs, step)]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def gathered(column: pa.ChunkedArray, rows: Rows) -> Gathered:
    """The column of the pairs that have a side's ``column`` in these rows."""
    type = column.type
    if column.num_chunks != 1 or column.null_count > 0:
        return Taken(column, rows)
    if is_.is_boolean(type):
        return Bits(column.chunk(0), rows)
    if is_.is_primitive(type) or is_.is_decimal(type) or is_.is_fixed_size_binary(type):
        return FixedWidth(column.chunk(0), rows)
    return Taken(column, rows)


class LaterTimes:
    """Of pairs the later tuple's time."""

    in_pieces = True

    def __init__(self, ts: Sequence[Rows], places: Sequence[Rows]) -> None:
        self._ts, self._places = ts, places
        self._buffer = pa.allocate_buffer(8 * len(places[0]))
        self._to = np.frombuffer(self._buffer, np.int64)

    def gather(self, begin: int, end: int) -> None:
        left, right = (each[begin:end] for each in self._places)
        gather_later(self._ts[0], left, self._ts[1], right, self._to[begin:end])

    def values(self) -> pa.Array:
        return pa.Array.from_buffers(pa.int64(), len(self._to), [None, self._buffer], 0)


class FixedWidth:
    """Values of one width, without nulls."""

    in_pieces = True

    def __init__(self, column: pa.Array, rows: Rows) -> None:
        self._type, self._rows = column.type, rows
        self._width = column.type.bit_width // 8
        self._from = np.frombuffer(column.buffers()[1], np.uint8)[column.offset * self._width :]
        self._buffer = pa.allocate_buffer(self._width * len(rows))
        self._to = np.frombuffer(self._buffer, np.uint8)

    def gather(self, begin: int, end: int) -> None:
        to = self._to[begin * self._width : end * self._width]
        gather_values(self._from, self._width, self._rows[begin:end], to)

    def values(self) -> pa.Array:
        return pa.Array.from_buffers(self._type, len(self._rows), [None, self._buffer], 0)


class Bits:
    """Booleans without nulls."""

    in_pieces = True

    def __init__(self, column: pa.Array, rows: Rows) -> None:
        self._rows, self._offset = rows, column.offset
        self._from = np.frombuffer(column.buffers()[1], np.uint8)
        self._buffer = pa.allocate_buffer((len(rows) + 7) // 8)
        self._to = np.frombuffer(self._buffer, np.uint8)

    def gather(self, begin: int, end: int) -> None:
        gather_bits(self._from, self._offset, self._rows[begin:end], self._to[begin // 8 : (end + 7) // 8])

    def values(self) -> pa.Array:
        return pa.Array.from_buffers(pa.bool_(), len(self._rows), [None, self._buffer], 0)


class Taken:
    """Anything else, as Arrow takes it."""

    in_pieces = False

    def __init__(self, column: pa.ChunkedArray, rows: Rows) -> None:
        self._column, self._rows = column, rows
        self._taken = column.slice(0, 0)

    def gather(self, begin: int, end: int) -> None:
        self._taken = pa.chunked_array(_taken(self._column, self._rows[begin:end]), self._column.type)

    def values(self) -> pa.ChunkedArray:
        return self._taken


def _taken(column: pa.ChunkedArray, rows: Rows) -> list[pa.Array]:
    try:
        return list(column.take(pa.array(rows)).chunks)
    except pa.ArrowInvalid:  # texts of more than 2 GiB do not fit into one piece
        if len(rows) < 2:
            raise
        middle = len(rows) // 2
        return _taken(column, rows[:middle]) + _taken(column, rows[middle:])
