"""The join of two streams in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.joins.matches import find
from streambench.joins.side import JoinData, Rows, Side
from streambench.pyx.join.gate_source import LateTuplesWarning
from streambench.pyx.join.predicate import Predicate
from streambench.pyx.join.stream_sides import times_of, unequal_times
from streambench.pyx.tuples.data_types import Band
from streambench.pyx.tuples.span import Span


def join(
    left: JoinData,
    right: JoinData,
    *,
    window: Span,
    time: str | tuple[str, str] = "ts",
    bands: Iterable[Band] = (),
    equal: Iterable[Sequence[str]] = (),
    rule: str = "exact",
    tier: str = "auto",
    threads: int | None = None,
    predicate: Predicate | None = None,
    slack: Span = 0,
) -> pa.Table:
    """Join two streams: all pairs of their rows that match and are in one window, in the order of time.

    ``left``, ``right``: a pyarrow table or record batch, a mapping from names to NumPy arrays, or a frame of pandas
    (without its index) or Polars, ordered by the column ``time`` (two names where the sides call it differently):
    integers, dates or timestamps of one type. Or a list of such, with the same columns: the side's physical streams,
    each ordered by itself, which a ScaleGate merges.

    ``slack``: by how much of its time a stream may be out of order. Tuples that are later are left out, and a
    ``LateTuplesWarning`` says how many. Times are below 2**63 - 1 then, and where there are several streams.

    ``bands``: (left column, right column, width), pairs that differ by the width at most, integers, times or floats;
    two float32 columns are subtracted as such, other floats as float64, and NaN matches nothing. ``equal``: (left
    column, right column), of integers, texts or times. ``predicate``: a ``Predicate`` written in Cython. A pair has to
    meet them all.

    ``window``, ``slack`` and the width of a band over times are numbers in the unit of their column, or spans of time:
    ``np.timedelta64``, ``datetime.timedelta``, texts such as "5min". A span has to be a whole number of that unit.

    ``window`` and ``rule``: by ``exact`` times differ by ``window`` at most, in the unit of the column. ``three-step``
    is the procedure of paper 001 (section II): a tuple leaves the window when a later one of its own side comes.
    ``count``: the other side's last ``window`` tuples.

    ``tier``: how it is computed, which changes nothing of the result: ``scan`` (the paper's, over stored tuples),
    ``simd`` (over columns), ``codes`` (the same with 8 bits of each value at first), ``index``, or ``auto``.
    ``threads``: None for one for each core.

    Returns ``time`` (the later tuple's), then the left side's other columns, then the right side's, with ``_right``
    after names that are taken. Pairs are ordered by their later tuple, then by the earlier one, where tuples are in the
    order of time, of equal times the left side's first, then in the order of streams, then of rows.

    Raises DataError for data that do not fit, OptionError for options that do not, and for more pairs than find room in
    memory, by an estimate that is made before. The GIL is released; Ctrl-C works.
    """
    return find(sides_of(left, right, time, slack), window, bands, equal, rule, tier, threads, predicate).table()


def matching_rows(
    left: JoinData,
    right: JoinData,
    *,
    window: Span,
    time: str | tuple[str, str] = "ts",
    bands: Iterable[Band] = (),
    equal: Iterable[Sequence[str]] = (),
    rule: str = "exact",
    tier: str = "auto",
    threads: int | None = None,
    predicate: Predicate | None = None,
    slack: Span = 0,
) -> tuple[Rows, Rows]:
    """As ``join``, but only which rows match: those of the left side, and as many of the right side.

    Of several streams rows are counted through one after the other.
    """
    return find(sides_of(left, right, time, slack), window, bands, equal, rule, tier, threads, predicate).rows


def sides_of(
    left: JoinData,
    right: JoinData,
    time: str | tuple[str, str],
    slack: Span = 0,
    sources: int = 1,
    called: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> tuple[Side, Side]:
    """Both sides, see ``Side``. Raises DataError where their times are of types that cannot be compared.

    Warns of late tuples whoever has called the function that calls this one.
    """
    try:
        names = times_of(time)
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
    sides = (
        Side(left, "left", names[0], slack, sources, called[0]),
        Side(right, "right", names[1], slack, sources, called[1]),
    )
    types = [side.table.schema.field(name).type for side, name in zip(sides, names, strict=True)]
    if unequal := unequal_times(*types):
        raise DataError(f"{unequal}.")
    if late := ", ".join(each for side in sides for each in side.late_by_name()):
        warnings.warn(
            f"late tuples were left out: {late}; slack is {slack}, a larger one takes them in",
            LateTuplesWarning,
            stacklevel=3,
        )
    return sides
