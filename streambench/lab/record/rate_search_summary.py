"""From the runs of `streambench bench rate` to a row for each query, engine, heuristic and number of workers.

A run is as `bench` records it, with `bound` (`quantile`, `seconds`), `step` ("full speed" or "search"), and of a
search `met`: whether the latency from the intended arrival stayed within the bound at that `rate`; None where it did
not, and something else may be to blame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from streambench.execution.marker_statistics import QUANTILES
from streambench.lab.record.point_summary import COUNTS, Group, PointSummary, grouped, shared
from streambench.lab.record.rate_bracket import bracket, decided
from streambench.lab.record.rate_interval import rate_interval
from streambench.lab.record.run import Plain, Row, Run
from streambench.lab.record.summary import human

KIND = "rate-search"
SCHEMES = "schemes"  # the engine that has heuristics
FULL_SPEED, SEARCH = "full speed", "search"
POINT = ("query", "engine", "heuristic", "workers")
SUSTAINS = "sustains [95 %]"  # stands above what ``sustains`` says

NOTHING: Row = {
    **dict.fromkeys(("sustainable_rate", "missed_rate", "low", "high", "full_speed")),
    **{"undecided": [], "curve": []},
}
"""What a row has of a point of which a run was wrong."""


def rows(runs: Iterable[Plain]) -> list[Row]:
    """One row for each point, in the order of the runs; without numbers where a run of it was wrong.

    `sustainable_rate`: the highest rate at which the bound was met, 0 where every rate missed it, None where the runs
    do not tell. `missed_rate`: the lowest at which it was missed (None: no rate was). `low`, `high`: the interval that
    all runs leave, see `rate_interval`, with these two in it; `high` is None where it is open. `undecided`: rates
    between of which the runs do not tell. `full_speed`: the median throughput without a rate. `curve`: each rate tried,
    ascending, with the medians of its runs' end-to-end `latency`, how many `runs`, how many of them were `doubtful`
    misses, and `met` (None: cannot be told).
    """
    return [SUMMARY.row(group) | (NOTHING if group.wrong else _found(group)) for group in grouped(runs, POINT)]


def label(quantile: str) -> str:
    """As a reader writes it: p99.9."""
    return "p99.9" if quantile == "p999" else quantile


def scheme(row: Mapping[str, Any]) -> str:
    """The engine, and of `schemes` the heuristic."""
    return f"{row['engine']}, {row['heuristic']}" if row["engine"] == SCHEMES else str(row["engine"])


def sustains(row: Mapping[str, Any]) -> str:
    """The highest rate with its interval, "1.2 M/s [1.1 M, 1.3 M]"; a dash where the upper end is open."""
    rate = row["sustainable_rate"]
    if rate is None:
        return "cannot tell"
    return f"{f'{human(rate)}/s' if rate else 'none'} [{human(row['low'])}, {human(row['high'])}]"


def _found(group: Group) -> Row:
    by_rate: dict[float, list[Run]] = {}
    for run in group.runs:
        if run["step"] == SEARCH:
            by_rate.setdefault(run["rate"], []).append(run)
    met = {rate: [run["met"] for run in runs] for rate, runs in by_rate.items()}
    said = {rate: decided(each) for rate, each in met.items()}
    held, missed, left_open = bracket(said)
    fast = [run.throughput for run in group.runs if run["step"] == FULL_SPEED]
    rate = held if held or (missed < math.inf and not left_open) else None
    row = {**NOTHING, "sustainable_rate": rate, "missed_rate": _finite(missed)}
    if rate is not None:
        low, high = rate_interval(met)
        high = max(high, *(each for each in (held, missed) if each < math.inf))
        row |= {"low": min(low, held), "high": _finite(high)}
    row |= {"full_speed": median(fast) if fast else None}
    row |= {"undecided": [rate for rate in left_open if rate < missed]}
    return row | {"curve": [_at(rate, by_rate[rate], said[rate]) for rate in sorted(by_rate)]}


def _finite(rate: float) -> float | None:
    return None if rate == math.inf else rate


def _at(rate: float, runs: Sequence[Run], met: bool | None) -> Row:
    latency = {name: median(run["latency_end_to_end"][name] for run in runs) for name in QUANTILES}
    throughput = median(run["throughput"] for run in runs)
    doubtful = sum(run["met"] is None for run in runs)
    return {
        **{"rate": rate, "throughput": throughput, "latency": latency},
        **{"runs": len(runs), "doubtful": doubtful, "met": met},
    }


SUMMARY = PointSummary(
    POINT,
    (
        *shared(*POINT),
        *shared("arrivals", "bound", needed=False),
        *COUNTS,
    ),
    lambda row: f"{row['query']} {scheme(row)} with {row['workers']} workers",
)
wrong = SUMMARY.wrong
