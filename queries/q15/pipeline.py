"""Q15: flat or declining categories (SS → SL → SL → PS)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.q15.operators import KeepLines, LookUpCategory, SalesLine

from streambench.queries.cut import Columns, Cut, Shuffle, merged
from streambench.queries.q15 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query
from streambench.queries.stream_query import StreamQuery

MOST_LAPS = 1 << 20  # that a run can be asked for
LINE = pa.schema([("category", pa.int64()), ("n", pa.int64()), ("slope", pa.float64()), ("intercept", pa.float64())])


def columns(parameters: Parameters) -> tuple[str, ...]:
    names = ("date", "ss_item_sk", "cents")
    return names if parameters["store"] is None else (*names, "ss_store_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    categories = inputs.categories()
    line = SalesLine()
    line.high_key = max(1, int(categories.max(initial=0)) + 1)
    return [
        KeepLines(parameters["store"], parameters["first_date"], parameters["last_date"]),
        LookUpCategory(categories),
        line,
    ]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    lines = [dict(zip(rules.ANSWER, line, strict=True)) for line in built[2].lines() if line[1] <= 0]
    return pa.Table.from_pylist(lines, LINE.remove(1))


def most_laps(stream: Any) -> tuple[int, str]:
    """Laps whose sums stay within 128 bits; the greatest are products of the sums of y and of x * x, over the days."""
    dates, cents = stream.column("date"), stream.column("cents")
    begins = np.flatnonzero(np.diff(dates, prepend=-1))
    busiest = int(np.add.reduceat(np.abs(cents), begins, dtype=float).max()) + 1 if len(begins) else 0
    last, shift = int(dates.max(initial=0)), stream.lap_shift[stream.names.index("date")]

    def overflow(laps: int) -> bool:
        days = laps * len(begins)
        return busiest >= 1 << 63 or 2 * (days * busiest) * (days * (last + (laps - 1) * shift) ** 2) >= 1 << 127

    reason = "more would take a day's cents past 64 bits, or the sums over days and cents past 128"
    return bisect_left(range(1, MOST_LAPS + 1), True, key=overflow), reason


def cut(parameters: Parameters) -> Cut:
    """By category, of which there are few: so a day's sales are summed before they are sent."""
    shuffle = Shuffle(2, ("category",), window="date", combine=_daily)
    return Cut((shuffle,), lambda lines: merged(lines, "category"), sequence=("category",))


def _daily(lines: Columns) -> Columns:
    """The sums of each day and category, by these."""
    day, category = lines["date"], lines["category"]
    order = np.lexsort((category, day))
    day, category = day[order], category[order]
    begins = np.flatnonzero((np.diff(day, prepend=-1) != 0) | (np.diff(category, prepend=-1) != 0))
    sums = np.add.reduceat(lines["cents"][order].astype(np.int64), begins) if len(begins) else np.empty(0, np.int64)
    return {"category": category[begins], "date": day[begins], "cents": sums}


QUERY = Query.of(
    rules,
    title="flat or declining categories",
    columns=columns,
    operators=operators,
    answer=answer,
    answer_from_state=True,
    most_laps=most_laps,
    cut=cut,
)


def _last_lines(added: pa.Table, parameters: Parameters) -> pa.Table:
    """Of each category the line over the most days, which is its last, where it does not rise."""
    columns = {name: added.column(name).to_numpy() for name in rules.EMITTED}
    order = np.lexsort((columns["n"], columns["category"]))
    category = columns["category"][order]
    last = order[np.r_[category[1:] != category[:-1], True]] if len(order) else order
    kept = last[columns["slope"][last] <= 0]
    return pa.table({name: columns[name][kept] for name in rules.ANSWER})


STREAM = StreamQuery(  # sums by category, and the line of each category after every day with sales
    QUERY,
    key="category",
    keyed=2,
    used=3,
    schema=LINE,
    added=lambda operators, emitted: emitted,
    answer=_last_lines,
)
