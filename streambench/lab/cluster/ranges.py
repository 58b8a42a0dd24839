"""Ranges of a stream whose keys ascend: who reads one has all rows of its keys, so nothing is sent to have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.data.side_by_side import SideBySide
from streambench.lab.cluster.plan import Piece
from streambench.lab.data.loader import column_chunks
from streambench.pyx.tuples.table_source import NOT_YET


@dataclass(frozen=True)
class Range:
    """The rows with keys above ``after``, up to ``last``, all of which lie in ``pieces``, and no others of these."""

    number: int
    pieces: tuple[Piece, ...]
    after: int
    last: int


def ranges(pieces: Sequence[Piece], column: str, most: int) -> list[Range] | None:
    """Up to ``most`` ranges of about as many rows, as keys ascend along ``pieces``; None if files do not tell theirs.

    A border is guessed between the least and the greatest key of a row group, which the file tells: any key will do.
    """
    keys: list[tuple[int, int] | None] = []
    for file, some in groupby(pieces, key=lambda piece: piece.file):
        chunks = list(column_chunks(file, column))
        keys += [_keys(chunks[each.number]) for each in some]
    if not pieces or None in keys:
        return None
    known: list[tuple[int, int]] = [each for each in keys if each is not None]
    total = sum(each.rows for each in pieces)
    borders = [known[0][0] - 1, known[-1][1]]
    for number in range(1, most):
        place = total * number // most
        k = max(k for k, each in enumerate(pieces) if each.place <= place)
        low, high = known[k]
        borders.append(low + (high - low) * (place - pieces[k].place) // pieces[k].rows)
    cut: list[Range] = []
    for after, last in pairwise(sorted(set(borders))):
        read = [each for each, (low, high) in zip(pieces, known, strict=True) if low <= last and high > after]
        cut.append(Range(len(cut), tuple(read), after, last))
    return cut


class Owned:
    """The batches of ``read``, for a ``BatchSource``, cut to the rows of a range; ``column``: where the keys are."""

    def __init__(self, read: SideBySide, column: int, owner: Range) -> None:
        self._read, self._column, self._owner = read, column, owner
        self.work_ahead = read.work_ahead

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        while True:
            batch = next(self._read)
            if batch is NOT_YET:
                return batch
            keys = batch[self._column]
            begin, end = np.searchsorted(keys, [self._owner.after, self._owner.last], side="right").tolist()
            if begin < end:
                return batch if end - begin == len(keys) else [each[begin:end] for each in batch]


def inner(window: npt.NDArray[Any]) -> slice:
    """The rows between the first window and the last one: those two may go on in other ranges."""
    if not len(window):
        return slice(0, 0)
    begin = int(np.searchsorted(window, window[0], side="right"))
    return slice(begin, max(begin, int(np.searchsorted(window, window[-1], side="left"))))


def without(rows: Mapping[str, npt.NDArray[Any]], some: slice) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """The rows before ``some``, and those behind."""
    for rest in (slice(0, some.start), slice(some.stop, None)):
        yield {name: values[rest] for name, values in rows.items()}


def _keys(chunk: Any) -> tuple[int, int] | None:
    """The least and the greatest key of a row group, by its file's statistics."""
    if chunk is None or chunk.statistics is None or not chunk.statistics.has_min_max:
        return None
    return int(chunk.statistics.min), int(chunk.statistics.max)
