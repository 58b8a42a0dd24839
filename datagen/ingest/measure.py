"""One pass over a user's rows: how many there are, which cannot be used, and what the keys are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
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
    taken: Counter[str] = field(default_factory=Counter)
    first: dict[str, BadRow] = field(default_factory=dict)


@dataclass
class Measured:
    """What is known of the rows; `bad` cannot be used whatever the keys are, `groups` unless its keys are names.

    `named` counts each key's values that are no integers, `largest` is its greatest integer. `Group.taken` counts
    the values that --null took for none.
    """

    read: int = 0
    wanted: int = 0
    bad: int = 0
    first: BadRow | None = None
    groups: dict[int, Group] = field(default_factory=dict)
    named: Counter[str] = field(default_factory=Counter)
    largest: dict[str, int] = field(default_factory=dict)

    def unusable(self, binding: Binding, coded: Collection[str]) -> tuple[int, BadRow | None]:
        """How many wanted rows cannot be used, and the first, if the keys `coded` get a dictionary."""
        count, firsts = self.bad, [self.first] if self.first is not None else []
        for bits, group in self.groups.items():
            plain = [
                key.target for key in binding.keys if bits & binding.bits({key.target}) and key.target not in coded
            ]
            if plain:
                count += group.rows
                firsts.append(group.first[plain[0]])
        return count, min(firsts, default=None)

    def taken(self, binding: Binding, coded: Collection[str]) -> Counter[str]:
        """In the usable rows, how many values of each column --null took for none."""
        fine = ~binding.bits(coded)
        return sum((group.taken for bits, group in self.groups.items() if not bits & fine), Counter())

    def add(self, judged: Judged, binding: Binding) -> None:
        """Count some more rows, which come after those that are counted."""
        self.read += len(judged.rows)
        self.wanted += int(judged.wanted.sum())
        bad = judged.wanted & (judged.reason >= 0)
        self.bad += int(bad.sum())
        if self.first is None and bad.any():
            row = int(bad.argmax())
            sources, words = judged.complaints[judged.reason[row]]
            self.first = _bad_row(judged, row, sources, words)
        usable = judged.wanted & (judged.reason < 0)
        for key in binding.keys:
            keys = judged.keys[key.target]
            number = np.array(keys.number.is_valid())
            self.named[key.target] += int((usable & np.array(keys.name.is_valid()) & ~number & ~keys.negative).sum())
            greatest = pc.max(keys.number.filter(pa.array(usable))).as_py()
            if greatest is not None:
                self.largest[key.target] = max(greatest, self.largest.get(key.target, 0))
        for bits in np.unique(judged.negative[usable]):
            self._add_group(int(bits), judged, usable & (judged.negative == bits), binding)

    def _add_group(self, bits: int, judged: Judged, where: np.ndarray, binding: Binding) -> None:
        group = self.groups.setdefault(bits, Group())
        group.rows += int(where.sum())
        group.taken.update({target: int((taken & where).sum()) for target, taken in judged.taken.items()})
        for key in binding.keys:
            if bits & binding.bits({key.target}) and key.target not in group.first:
                words = f"{key.target} must not be negative"
                group.first[key.target] = _bad_row(judged, int(where.argmax()), key.column.sources, words)


def merged(parts: Iterable[Measured]) -> Measured:
    """What is known of all rows, from what is known of their parts in order."""
    whole = Measured()
    for part in parts:
        whole.read, whole.wanted, whole.bad = (
            whole.read + part.read,
            whole.wanted + part.wanted,
            whole.bad + part.bad,
        )
        whole.first = whole.first or part.first
        whole.named.update(part.named)
        for target, greatest in part.largest.items():
            whole.largest[target] = max(greatest, whole.largest.get(target, 0))
        for bits, group in part.groups.items():
            known = whole.groups.setdefault(bits, Group())
            known.rows += group.rows
            known.taken.update(group.taken)
            known.first = {**group.first, **known.first}
    return whole


def _bad_row(judged: Judged, row: int, sources: tuple[str, ...], words: str) -> BadRow:
    told = f"{words} ({judged.shown(row, sources)})"
    return BadRow(judged.rows.file, judged.rows.places[row].as_py(), told)
