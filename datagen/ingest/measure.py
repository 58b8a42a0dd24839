"""One pass over a user's rows: how many there are, which cannot be used, and what the keys are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.ingest.rows import Binding, Judged


@dataclass(frozen=True, order=True)
class BadRow:
    """A row that cannot be used: its file's index, its place there, and what is wrong, in words."""

    file: int
    row: int
    words: str


@dataclass(frozen=True)
class Twins:
    """How many keys come more than once, the first of them by name, and how many rows are one too many."""

    names: int
    first: str
    rows: int


@dataclass
class Group:
    """Rows in which the same keys are below 0: how many, and the first of them for each such key."""

    rows: int = 0
    nulled: Counter[str] = field(default_factory=Counter)
    first: dict[str, BadRow] = field(default_factory=dict)


@dataclass
class Measured:
    """What is known of the rows; `bad` cannot be used whatever the keys are, `groups` unless its keys are names.

    `named` counts each key's values that are no integers, `largest` is its greatest integer. `Group.nulled` counts
    the values that --null took for none.
    """

    read: int = 0
    chosen: int = 0
    bad: int = 0
    first: BadRow | None = None
    groups: dict[int, Group] = field(default_factory=dict)
    named: Counter[str] = field(default_factory=Counter)
    largest: dict[str, int] = field(default_factory=dict)

    def unusable(self, binding: Binding, coded: Collection[str]) -> tuple[int, BadRow | None]:
        """How many chosen rows cannot be used, and the first, if the keys `coded` get a dictionary."""
        count, firsts = self.bad, [self.first] if self.first is not None else []
        for bits, group in self.groups.items():
            plain = [
                key.target for key in binding.keys if bits & binding.bits({key.target}) and key.target not in coded
            ]
            if plain:
                count += group.rows
                firsts.append(group.first[plain[0]])
        return count, min(firsts, default=None)

    def nulled(self, binding: Binding, coded: Collection[str]) -> Counter[str]:
        """In the usable rows, how many values of each column --null took for none."""
        fine = ~binding.bits(coded)
        return sum((group.nulled for bits, group in self.groups.items() if not bits & fine), Counter())

    @classmethod
    def of(cls, judged: Judged, binding: Binding) -> Measured:
        """What is known of some rows of one file."""
        bad, usable = judged.chosen & (judged.reason >= 0), judged.chosen & (judged.reason < 0)
        measured = cls(len(judged.rows), int(judged.chosen.sum()), int(bad.sum()))
        if bad.any():
            row = int(bad.argmax())
            sources, words = judged.complaints[judged.reason[row]]
            measured.first = _bad_row(judged, row, sources, words)
        for key in binding.keys:
            keys = judged.keys[key.target]
            number = np.array(keys.number.is_valid())
            measured.named[key.target] = int((usable & np.array(keys.name.is_valid()) & ~number & ~keys.negative).sum())
            greatest = pc.max(keys.number.filter(pa.array(usable))).as_py()
            if greatest is not None:
                measured.largest[key.target] = greatest
        for bits in np.unique(judged.negative[usable]).tolist():
            where = usable & (judged.negative == bits)
            nulled = Counter({target: int((nulled & where).sum()) for target, nulled in judged.nulled.items()})
            group = measured.groups[bits] = Group(int(where.sum()), nulled)
            for key in binding.keys:
                if bits & binding.bits({key.target}):
                    words = f"{key.target} must not be negative"
                    group.first[key.target] = _bad_row(judged, int(where.argmax()), key.column.sources, words)
        return measured

    def add(self, other: Measured) -> None:
        """Take over what is known of rows that come after these."""
        self.read += other.read
        self.chosen += other.chosen
        self.bad += other.bad
        self.first = self.first or other.first
        self.named.update(other.named)
        for target, greatest in other.largest.items():
            self.largest[target] = max(greatest, self.largest.get(target, 0))
        for bits, group in other.groups.items():
            known = self.groups.setdefault(bits, Group())
            known.rows += group.rows
            known.nulled.update(group.nulled)
            known.first = {**group.first, **known.first}


def _bad_row(judged: Judged, row: int, sources: tuple[str, ...], words: str) -> BadRow:
    sentence = f"{words} ({judged.shown(row, sources)})"
    return BadRow(judged.rows.file, judged.rows.places[row].as_py(), sentence)
