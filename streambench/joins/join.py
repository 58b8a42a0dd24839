"""The join of two streams in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.joins.side import Side
from streambench.joins.terms import terms_of
from streambench.pyx.join.definition import RULES, Definition
from streambench.pyx.join.join_crew import TIERS, JoinCrew
from streambench.pyx.join.predicate import Predicate

INDEX_FROM = 2048  # tuples in a window: below, a scan of the codes is as fast
Rows = npt.NDArray[np.int64]


def join(
    left: Any,
    right: Any,
    *,
    window: int,
    time: str | tuple[str, str] = "ts",
    bands: Iterable[Sequence[Any]] = (),
    equal: Iterable[Sequence[str]] = (),
    rule: str = "exact",
    tier: str = "auto",
    threads: int | None = None,
    predicate: Predicate | None = None,
) -> pa.Table:
    """Join two streams: all pairs of their rows that match and are in one window, in the order of time.

    ``left``, ``right``: a pyarrow table or record batch, a mapping from names to NumPy arrays, or a frame of pandas or
    Polars, ordered by the column ``time`` (two names where the sides call it differently): integers, dates or
    timestamps of one type.

    ``bands``: (left column, right column, width), pairs that differ by the width at most, integers, times or floats;
    two float32 columns are subtracted as such, other floats as float64, and NaN matches nothing. ``equal``: (left
    column, right column), of integers, texts or times. ``predicate``: a ``Predicate`` written in Cython. A pair has to
    meet them all.

    ``window`` and ``rule``: by ``exact`` times differ by ``window`` at most, in the unit of the column. ``three-step``
    is the procedure of paper 001 (section II): a tuple leaves the window when a later one of its own side comes.
    ``count``: the other side's last ``window`` tuples.

    ``tier``: how it is computed, which changes nothing of the result: ``scan`` (the paper's, over stored tuples),
    ``simd`` (over columns), ``codes`` (the same with 8 bits of each value at first), ``index``, or ``auto``.
    ``threads``: None for one for each core.

    Returns ``time`` (the later tuple's), then the left side's other columns, then the right side's, with ``_right``
    after names that are taken. Pairs are ordered by their later tuple, then by the earlier one, where tuples are in the
    order of time, of equal times the left side's first, then in the order of rows.

    Raises DataError for data that do not fit, OptionError for options that do not. The GIL is released; Ctrl-C works.
    """
    sides = _sides(left, right, time)
    rows = _matches(sides, window, bands, equal, rule, tier, threads, predicate)
    return _table(sides, rows)


def matching_rows(
    left: Any,
    right: Any,
    *,
    window: int,
    time: str | tuple[str, str] = "ts",
    bands: Iterable[Sequence[Any]] = (),
    equal: Iterable[Sequence[str]] = (),
    rule: str = "exact",
    tier: str = "auto",
    threads: int | None = None,
    predicate: Predicate | None = None,
) -> tuple[Rows, Rows]:
    """As ``join``, but only which rows match: those of the left side, and as many of the right side."""
    return _matches(_sides(left, right, time), window, bands, equal, rule, tier, threads, predicate)


def _sides(left: Any, right: Any, time: str | tuple[str, str]) -> tuple[Side, Side]:
    names = (time, time) if isinstance(time, str) else time
    sides = Side(left, "left", names[0]), Side(right, "right", names[1])
    types = [side.table.schema.field(name).type for side, name in zip(sides, names, strict=True)]
    if types[0] != types[1] and not all(pa.types.is_integer(each) for each in types):
        raise DataError(f"the sides' times are {types[0]} and {types[1]}: cast one of them.")
    return sides


def _matches(
    sides: tuple[Side, Side],
    window: int,
    bands: Iterable[Sequence[Any]],
    equal: Iterable[Sequence[str]],
    rule: str,
    tier: str,
    threads: int | None,
    predicate: Predicate | None,
) -> tuple[Rows, Rows]:
    if not isinstance(window, int | np.integer) or not 0 <= window < 2**63:
        raise OptionError(f"window must be a whole number from 0 to 2**63 - 1, not {window!r}.")
    if rule not in RULES:
        raise OptionError(f"there is no rule {rule!r}: choose from {', '.join(RULES)}.")
    if tier not in (*TIERS, "auto"):
        raise OptionError(f"there is no tier {tier!r}: choose from auto, {', '.join(TIERS)}.")
    threads = len(os.sched_getaffinity(0)) if threads is None else threads
    if threads < 1:
        raise OptionError(f"threads must be at least 1, not {threads}.")
    terms = terms_of(*sides, bands, equal)
    read = [[side.values(each) for each in names] for side, names in zip(sides, _read(predicate), strict=True)]
    try:
        definition = Definition(sides[0].ts, sides[1].ts, terms, window, rule, predicate, *read)
        crew = JoinCrew(definition, tier if tier != "auto" else _tier(definition), threads)
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
    crew.run()
    rows: tuple[Rows, Rows] = crew.matches()
    return rows


def _read(predicate: Predicate | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ((), ()) if predicate is None else (predicate.left, predicate.right)


def _tier(definition: Definition) -> str:
    if not definition.filters:
        return "simd"
    return "index" if definition.largest_window >= INDEX_FROM else "codes"


def _table(sides: tuple[Side, Side], rows: tuple[Rows, Rows]) -> pa.Table:
    left, right = sides
    later = np.maximum(left.ts[rows[0]], right.ts[rows[1]])
    type = left.table.schema.field(left.time).type
    if type != right.table.schema.field(right.time).type:
        type = pa.int64()
    bits = pa.int64() if type.bit_width == 64 else pa.int32()
    columns = {
        left.time: pa.array(later).cast(bits).view(type)
        if not pa.types.is_integer(type)
        else pa.array(later).cast(type)
    }
    for side, taken in zip(sides, rows, strict=True):
        table = side.table.drop_columns([side.time]).take(pa.array(taken))
        for name, column in zip(table.column_names, table.columns, strict=True):
            while name in columns:
                name += "_right"
            columns[name] = column
    return pa.table(columns)
