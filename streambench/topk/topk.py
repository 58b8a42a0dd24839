"""Counting what occurs most often: the class that users hold."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.pyx.topk.counted import Counted
from streambench.pyx.topk.designs import design_named
from streambench.pyx.topk.merge import merged
from streambench.pyx.tuples.whole_number import is_number, is_whole_number
from streambench.topk.answer import Answer, Estimate
from streambench.topk.item_type import bits_of, item_type, values_of
from streambench.topk.stored import Stored, from_bytes, to_bytes
from streambench.topk.texts import Texts
from streambench.topk.updates import Updates
from streambench.topk.values import plain_values, require_type

PIECE = 1 << 16  # texts that are taken at a time; so many are kept that nobody asks for, and three times the counters
NUMBERS = 1 << 22  # others that are taken at a time, so that Ctrl-C is heard


class TopK:
    """The items of a stream that occur most often, counted in bounded memory.

    ``epsilon``: no estimate is off by more than this share of all items, and none that occurs more often than that is
    missed; above 0, up to 1. ``counters`` says instead how many items are monitored; it is 1 / epsilon, rounded up.
    ``design``: how they are counted (docs/topk.md). ``threads``: how many may update at the same time, each
    by its number.

    Methods may be called from any threads. Raises OptionError for options that cannot be met.
    """

    def __init__(
        self, epsilon: float = 1e-4, *, counters: int | None = None, design: str = "fast", threads: int = 1
    ) -> None:
        if counters is None:
            if not is_number(epsilon) or not 2**-31 < epsilon <= 1:
                raise OptionError(f"`epsilon` is a share above 2**-31 (5e-10), up to 1, not {epsilon!r}.")
            counters = math.ceil(1 / epsilon)
        for name, value in (("counters", counters), ("threads", threads)):
            if not is_whole_number(value) or not 1 <= value < 2**31:
                raise OptionError(f"`{name}` must be a whole number from 1 to 2**31 - 1, not {value!r}.")
        try:
            self._summary = design_named(design)(int(counters), int(threads))
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None
        except MemoryError:
            raise OptionError(
                f"there is no memory for {counters} counters: choose fewer, or a greater `epsilon`."
            ) from None
        self.counters = int(counters)
        self.design = design
        self.threads = int(threads)
        self.type: pa.DataType | None = None
        self._nulls = 0
        self._base: Counted | None = None  # what has been merged in
        self._texts: Texts | None = None
        self._most_texts = 4 * self.counters + PIECE  # with more, those that nobody asks for are forgotten
        self._updates = Updates()
        self._turns = [threading.Lock() for _ in range(threads)]
        self._kind = threading.Lock()  # of type and nulls

    def update(self, values: Iterable[object], thread: int = 0) -> None:
        """Count the values, all of one type, as all values before: the first update chooses it.

        A NumPy array, an Arrow array or chunked array, a series of pandas or Polars, a list: of integers, strings,
        bytes, booleans, floats, dates or times, or a dictionary of such. Nulls are no items; ``nulls`` of the answer
        says how many came. The GIL is released while items are counted. One update at a time has a ``thread``'s
        number, 0 to threads - 1; others wait for it.

        Raises DataError for values that cannot be counted, OptionError for a thread that there is not.
        """
        if not is_whole_number(thread) or not 0 <= thread < self.threads:
            raise OptionError(f"thread must be a number from 0 to {self.threads - 1}, not {thread!r}: see threads=.")
        chunks, nulls = plain_values(values, self.type)
        with self._kind:
            if chunks and self.type is None:
                self._choose(item_type(chunks[0].type))
            elif chunks:  # another thread may have just chosen another one
                require_type(chunks[0].type, self.type)
            self._nulls += nulls
        with self._turns[thread]:
            for chunk in chunks:
                self._count(chunk, int(thread))

    def answer(self) -> Answer:
        """What is known now; while updates are under way, too."""
        with self._updates.unquiet():
            counted, items = self._counted()
        return Answer(counted, items, self._nulls)

    def estimate(self, item: object) -> Estimate:
        """How often the item has occurred. Raises DataError for one of another type."""
        with self._updates.unquiet():
            counted, _ = self._counted()
            bits, other = self._bits_of_one(item) if self.type is not None else (0, False)
        places = np.flatnonzero(counted.items == np.uint64(bits))
        if len(places) == 0:
            return Estimate(counted.floor, 0, counted.floor + counted.in_flight)
        count, error = int(counted.counts[places[0]]), int(counted.errors[places[0]])
        return Estimate(count, 0 if other else count - error, count + counted.in_flight)

    def merge(self, other: TopK) -> None:
        """Add all that ``other`` has counted, which stays as it is. Bounds hold for both streams together, see
        ``streambench.pyx.topk.merge``. Raises DataError where its items are of another type.
        """
        if not isinstance(other, TopK):
            raise DataError(f"TopK are merged with TopK, not with {type(other).__name__}.")
        with other._updates.quiet():
            counted, items = other._counted()
            nulls, kind = other._nulls, other.type
        with self._updates.quiet(), self._kind:
            if kind is not None and self.type is None:
                self._choose(kind)
            elif kind is not None and kind != self.type:
                raise DataError(f"items of the one are {self.type}, of the other {kind}: they cannot be merged.")
            if self._texts is not None and kind is not None:
                self._texts.bits_of(items)  # known from now on
            parts = [counted] if self._base is None else [self._base, counted]
            self._base = merged(parts, max(self.counters, *(len(part.items) for part in parts)))
            self._nulls += nulls

    def to_bytes(self) -> bytes:
        """All that is counted, to be kept or sent; waits for the pieces of updates that are under way. The layout is
        told in ``streambench.topk.stored``.
        """
        with self._updates.quiet():
            counted, items = self._counted()
            facts = (self.design, self.counters, counted.floor, counted.n, self._nulls)
        return to_bytes(Stored(items, counted.counts, counted.errors, *facts))

    @classmethod
    def from_bytes(cls, data: bytes, *, design: str | None = None, threads: int = 1) -> TopK:
        """What ``to_bytes`` has returned, anywhere, ready to go on counting; by its own design unless one is named.

        Raises DataError for bytes of something else, of another version of the layout, or damaged.
        """
        stored = from_bytes(data)
        counter = cls(counters=stored.counters, design=design or stored.design, threads=threads)
        bits = np.zeros(0, np.uint64)
        if not pa.types.is_null(stored.items.type):
            counter._choose(stored.items.type)
            bits = counter._bits_of(stored.items)
        counter._base = Counted(bits, stored.counts, stored.errors, stored.floor, stored.n, 0)
        counter._nulls = stored.nulls
        return counter

    def _choose(self, type: pa.DataType) -> None:
        if type in (pa.large_string(), pa.large_binary()):
            self._texts = Texts(type)
        self.type = type

    def _count(self, chunk: pa.Array, thread: int) -> None:
        piece = NUMBERS if self._texts is None else PIECE
        for begin in range(0, len(chunk), piece):
            with self._updates.under_way():
                self._summary.add(self._bits_of(chunk.slice(begin, piece)), thread)
            if self._texts is not None and len(self._texts) > self._most_texts:
                with self._updates.quiet():  # what is not monitored now comes again before it can be
                    items = self._summary.held()
                    self._texts.forget_but(items if self._base is None else np.union1d(items, self._base.items))
                    self._most_texts = max(4 * self.counters, 2 * len(self._texts)) + PIECE

    def _counted(self) -> tuple[Counted, pa.Array]:
        """What is counted, and the items themselves; a text that shares its bits has perhaps never occurred."""
        counted = Counted(*self._summary.snapshot())
        if self._base is not None:
            counted = merged([self._base, counted], max(self.counters, len(self._base.items)))
        if self.type is None:
            return counted, pa.nulls(0)
        if self._texts is None:
            return counted, values_of(counted.items, self.type)
        texts, shared = self._texts.texts_of(counted.items)
        return counted._replace(errors=np.where(shared, counted.counts, counted.errors)), texts

    def _bits_of(self, array: pa.Array) -> npt.NDArray[np.uint64]:
        return bits_of(array) if self._texts is None else self._texts.bits_of(array)

    def _bits_of_one(self, item: object) -> tuple[int, bool]:
        chunks, _ = plain_values([item], self.type)
        if not chunks:
            raise DataError("null is not an item: nulls of the answer says how many came.")
        if self._texts is not None:
            return self._texts.find(chunks[0][0].as_py())
        return int(self._bits_of(chunks[0])[0]), False
