"""What the probe operators must do, one tuple at a time, in plain Python: the reference for every engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MODULUS = 1_000_003
Row = tuple[int, ...]


class RefusedError(Exception):
    """A tuple that an operator cannot process."""


@dataclass
class Plain:
    """Base: counts its tuples, and refuses the one whose value is ``fail_value``."""

    fail_value: int = -1
    given: int = 0

    def push(self, row: Row) -> list[Row]:
        """The outputs of one tuple, in order."""
        if row[-1] == self.fail_value:
            raise RefusedError
        self.given += 1
        return self.step(row)

    def step(self, row: Row) -> list[Row]:
        raise NotImplementedError

    def flush(self) -> list[Row]:
        """The outputs at end of stream."""
        return []


@dataclass
class Map(Plain):
    rekey: int = 0

    def step(self, row: Row) -> list[Row]:
        key, value = row[0], row[-1]
        return [(value % self.rekey if self.rekey else key, (31 * value + key) % MODULUS)]


@dataclass
class Filter(Plain):
    modulus: int = 3

    def step(self, row: Row) -> list[Row]:
        return [(row[0], row[-1])] if row[-1] % self.modulus else []


@dataclass
class Expand(Plain):
    copies: int = 3

    def step(self, row: Row) -> list[Row]:
        return [(row[0], row[-1] + j) for j in range(self.copies)]


@dataclass
class Tag(Plain):
    def step(self, row: Row) -> list[Row]:
        return [(*row, (row[0] + row[-1]) % 1009)]


@dataclass
class KeyedSum(Plain):
    sums: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def step(self, row: Row) -> list[Row]:
        s = self.sums[row[0]] = (self.sums[row[0]] + row[-1]) % MODULUS
        return [(row[0], s + j) for j in range(s % 4)]


@dataclass
class KeyedCount(Plain):
    counts: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def step(self, row: Row) -> list[Row]:
        self.counts[row[0]] += 1
        return [(*row, self.counts[row[0]])]


class FreeSum(KeyedSum):
    pass


class FreeCount(KeyedCount):
    pass


@dataclass
class KeyedLists(Plain):
    """With Flatten behind it: lists leave as one tuple per item."""

    held: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def step(self, row: Row) -> list[Row]:
        held = self.held[row[0]]
        held.append(row[-1])
        emitted = [(row[0], item) for item in held] if len(held) % 2 == 0 else []
        if len(held) >= 4:
            held.clear()
        return emitted


@dataclass
class KeyedHold(Plain):
    sums: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def step(self, row: Row) -> list[Row]:
        self.sums[row[0]] = (self.sums[row[0]] + row[-1]) % MODULUS
        return []

    def flush(self) -> list[Row]:
        return sorted(self.sums.items())


@dataclass
class Total(Plain):
    total: int = 0

    def step(self, row: Row) -> list[Row]:
        self.total = (self.total + row[-1]) % MODULUS
        return [(row[0], self.total)]

    def flush(self) -> list[Row]:
        return [(-7, self.total)]


@dataclass
class Number(Plain):
    number: int = -1

    def step(self, row: Row) -> list[Row]:
        self.number += 1
        return [(*row, self.number)]


@dataclass
class Sink(Plain):
    rows: list[Row] = field(default_factory=list)

    def step(self, row: Row) -> list[Row]:
        self.rows.append(row)
        return []


@dataclass(frozen=True)
class Failure:
    """Which operator (by its index) refused its tuple number ``serial``, and that tuple."""

    place: int
    serial: int
    values: Row


def run(operators: list[Plain], stream: Iterable[Row]) -> tuple[list[Row], Failure | None]:
    """Push every tuple through all operators before the next one: the order that every engine must keep."""
    sink = Sink(fail_value=operators[-1].fail_value) if isinstance(operators[-1], Sink) else Sink()
    chain = [*(each for each in operators if not isinstance(each, Sink)), sink]

    def enter(place: int, row: Row) -> None:
        pending: list[tuple[int, Iterator[Row]]] = [(place, iter([row]))]
        while pending:
            at, rows = pending[-1]
            following = next(rows, None)
            if following is None:
                pending.pop()
                continue
            try:
                outputs = chain[at].push(following)
            except RefusedError:
                raise StoppedError(Failure(at, chain[at].given, following)) from None
            if at + 1 < len(chain):
                pending.append((at + 1, iter(outputs)))

    try:
        for row in stream:
            enter(0, row)
        for place, each in enumerate(chain):
            for row in each.flush():
                enter(place + 1, row)
    except StoppedError as stop:
        return sink.rows, stop.failure
    return sink.rows, None


class StoppedError(Exception):
    """The pipeline stops at a refused tuple."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


def counting(tuples: int, keys: int = 97) -> list[Row]:
    """The stream of the Counting source."""
    return [(i * 7919 % keys, i) for i in range(tuples)]
