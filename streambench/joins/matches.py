"""The pairs that a join finds, how it found them, and the table that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy.typing as npt
import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.host.limits import default_workers
from streambench.host.meanwhile import Meanwhile
from streambench.joins.gathering import Gathered, LaterTimes, gather, gathered
from streambench.joins.pair_estimate import MANY_PAIRS, estimated_pairs, no_memory, pairs_in_memory
from streambench.joins.side import Rows, Side
from streambench.joins.terms import Term, terms_of
from streambench.pyx.join.definition import RULES, Definition
from streambench.pyx.join.join_crew import TIERS, JoinCrew
from streambench.pyx.join.predicate import Predicate
from streambench.pyx.tuples.data_types import Band
from streambench.pyx.tuples.span import Span, has_unit
from streambench.pyx.tuples.whole_number import is_whole_number

INDEX_FROM = 2048  # tuples in a window: below, a scan of the codes is as fast
MOST_THREADS = 1024


@dataclass(frozen=True)
class Matches:
    """``places``: by side, where in its order the pairs' tuples stand, in the order of pairs.

    ``per_thread``: how many of them each thread has looked at; ``seconds``: from the start of the first thread to the
    return of the last. ``accounts``: of each thread its ns on a core, voluntary and involuntary switches;
    ``meanwhile``: the cores and the memory beside it.
    """

    sides: tuple[Side, Side]
    places: tuple[Rows, Rows]
    tier: str
    threads: int
    definition: Definition
    per_thread: tuple[int, ...]
    seconds: float
    accounts: tuple[tuple[int, int, int], ...]
    meanwhile: Meanwhile

    def __len__(self) -> int:
        return len(self.places[0])

    @property
    def window_tuples(self) -> int:
        """The most tuples of a side that are in the window at a time."""
        return self.definition.largest_window

    @cached_property
    def comparisons(self) -> int:
        """Pairs in one window, for which the streams are gone through."""
        return self.definition.pairs

    @property
    def rows(self) -> tuple[Rows, Rows]:
        """By side, the pairs' rows of its table."""
        left, right = (side.rows(places) for side, places in zip(self.sides, self.places, strict=True))
        return left, right

    def table(self, begin: int = 0, end: int | None = None) -> pa.Table:
        """The pairs from ``begin`` on and before ``end``: the later tuple's time, then the sides' other columns."""
        left, right = self.sides
        places = [each[begin:end] for each in self.places]
        times = LaterTimes((left.ts, right.ts), places)
        columns: dict[str, Gathered] = {}
        for side, own, named in zip(self.sides, places, names_of(self.sides), strict=True):
            rows, table = side.rows(own), side.table.drop_columns([side.time])
            columns |= {name: gathered(column, rows) for name, column in zip(named, table.columns, strict=True)}
        gather([times, *columns.values()], len(places[0]), self.threads)
        return pa.table({left.time: self._times(times.values()), **{name: columns[name].values() for name in columns}})

    def slices(self, rows: int) -> Iterator[pa.Table]:
        """The table in slices of so many rows: what is larger than memory can be written so."""
        return (self.table(begin, begin + rows) for begin in range(0, len(self), rows))

    def _times(self, later: pa.Array) -> pa.Array:
        left, right = (side.table.schema.field(side.time).type for side in self.sides)
        type = left if left == right else pa.int64()
        if pa.types.is_integer(type):
            return later.cast(type)
        return later.cast(pa.int64() if type.bit_width == 64 else pa.int32()).view(type)


def find(
    sides: tuple[Side, Side],
    window: Span,
    bands: Iterable[Band] = (),
    equal: Iterable[Sequence[str]] = (),
    rule: str = "exact",
    tier: str = "auto",
    threads: int | None = None,
    predicate: Predicate | None = None,
    watch: Callable[[int], object] | None = None,
    allow: Callable[[int], object] | None = None,
) -> Matches:
    """Join the sides; options and errors as for ``join``.

    ``watch`` is called with tuples done, ten times a second; ``allow`` before, with about how many pairs there will be,
    where these are many: it may raise. Raises OptionError where there is no memory for them.
    """
    threads = default_workers() if threads is None else threads
    if not is_whole_number(threads) or threads < 1:
        raise OptionError(f"`threads` must be at least 1, a whole number, not {threads!r}.")
    if threads > MOST_THREADS:
        raise OptionError(f"`threads` must be at most {MOST_THREADS}, not {threads}.")
    definition, tier, terms = definition_of(sides, window, bands, equal, rule, tier, predicate)
    tuples = len(sides[0].ts) + len(sides[1].ts)
    if predicate is None and definition.largest_window * tuples > MANY_PAIRS:  # else there are not many
        room = pairs_in_memory()
        if definition.pairs > (room if allow is None else MANY_PAIRS):
            units = sides[0].span(window, "window")
            pairs = estimated_pairs((sides[0].ts, sides[1].ts), terms, units, rule, definition.pairs)
            if allow is not None and pairs > MANY_PAIRS:
                allow(pairs)
            if pairs > room:
                raise no_memory(pairs)
    try:
        crew = JoinCrew(definition, tier, threads)
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
    with Meanwhile() as meanwhile:
        crew.run(None if watch is None else lambda batches: watch(min(batches * crew.batch, tuples)))
    return Matches(
        sides,
        crew.matches(),
        tier,
        threads,
        definition,
        tuple(crew.compared),
        crew.seconds,
        tuple(crew.accounts),
        meanwhile,
    )


def definition_of(
    sides: tuple[Side, Side],
    window: Span,
    bands: Iterable[Band],
    equal: Iterable[Sequence[str]],
    rule: str,
    tier: str,
    predicate: Predicate | None,
) -> tuple[Definition, str, list[Term]]:
    """What is joined, the tier's name, and the predicate's terms. Raises DataError and OptionError, as ``join``."""
    if rule not in list(RULES):
        raise OptionError(f"there is no rule {rule!r}: choose from {', '.join(RULES)}.")
    if rule == "count" and has_unit(window):
        raise OptionError(f"`window` is {window}, but the rule count counts tuples: give a number without a unit.")
    units = sides[0].span(window, "window")
    if tier not in (*TIERS, "auto"):
        raise OptionError(f"there is no tier {tier!r}: choose from auto, {', '.join(TIERS)}.")
    terms = terms_of(*sides, bands, equal)
    if not isinstance(predicate, Predicate | None):
        raise OptionError(f"`predicate` must be a Predicate, a class in Cython, not {predicate!r}.")
    try:
        read = _read(sides, predicate)
        definition = Definition(sides[0].ts, sides[1].ts, terms, units, rule, predicate, *read)
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
    except TypeError as problem:  # a column that is not what the predicate declares
        raise DataError(f"{problem}.") from None
    return definition, tier if tier != "auto" else _tier(definition), terms


def names_of(sides: tuple[Side, Side]) -> list[dict[str, str]]:
    """By side: the names that its columns but for the time have in the pairs, and their own."""
    used = {sides[0].time}
    names: list[dict[str, str]] = []
    for side in sides:
        names.append({})
        for own in side.table.column_names:
            if own == side.time:
                continue
            name = own
            while name in used:
                name += "_right"
            used.add(name)
            names[-1][name] = own
    return names


def _read(sides: tuple[Side, Side], predicate: Predicate | None) -> list[list[npt.NDArray[Any]]]:
    """By side, the columns that the predicate reads."""
    if predicate is None:
        return [[], []]
    return [
        [side.values(name, declared) for name, declared in reads]
        for side, reads in zip(sides, predicate.reads, strict=True)
    ]


def _tier(definition: Definition) -> str:
    if not definition.filters:
        return "simd"
    return "index" if definition.largest_window >= INDEX_FROM else "codes"
