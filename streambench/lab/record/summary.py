"""From single runs to one row for each query and configuration: medians, and the ratio to serial.

A run is a dict of query, its configuration, repeat, tuples, throughput, latency, sequence_ok, answer_ok (and more,
which is kept in the result file). A run that is wrong has no number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from streambench.execution.marker_statistics import QUANTILES
from streambench.lab.record import statistics
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.interval_text import written
from streambench.lab.record.point_summary import COUNTS, Field, Group, PointSummary, field, grouped, interval, shared
from streambench.lab.record.run import Plain, Row
from streambench.lab.record.statistics import Interval

SERIAL = "serial"
GROUP = ("query", *CONFIGURATION)


def verified(run: Plain) -> bool:
    """True when the run's whole sequence and its answer were checked and right."""
    return run.get("sequence_ok") is True and run.get("answer_ok") is True


def summarise(runs: Iterable[Plain]) -> list[Row]:
    """One row per query and configuration, serial first.

    `throughput` (tuples per second) and `latency` (seconds) are medians over the repeats, with `throughput_interval`;
    `ratio` is to serial, paired by repeat. All are None when a run of the row was wrong, `ratio` also when a serial run
    of the query was.
    """
    return [SUMMARY.row(group) for group in sorted(grouped(runs, GROUP), key=lambda group: _order(group.point))]


def human(value: float | None) -> str:
    """A count in at most three digits and a unit: 12.3 M."""
    if value is None or not math.isfinite(value):
        return "-"
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= 0.9995 * factor:
            return f"{_three(value / factor)}{unit}"
    return _three(value)


def duration(seconds: float | None) -> str:
    """Seconds in at most three digits and a fitting unit: 1.25 ms."""
    if seconds is None or not math.isfinite(seconds):
        return "-"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * factor:
            return f"{_three(seconds / factor)} {unit}"
    return f"{_three(seconds / 1e-9)} ns"


def ratio_text(ratio: Mapping[str, Any] | None) -> str:
    """ "1.84 [1.79, 1.90]" or "1.84 (1.79 to 1.90)" (see ``interval_text``), or "-" without one."""
    return "-" if ratio is None else written(Interval.of(ratio), "{:.2f}".format)


def _ratio(group: Group) -> Row | None:
    """To serial, by pairs of one repeat over the same tuples; a configuration run twice in a repeat counts once."""
    baselines = [runs for point, runs in group.groups.items() if point[:2] == (group.point[0], SERIAL)]
    serial = [run for runs in baselines for run in runs]
    if not all(run.verified for run in serial):
        return None
    ours, theirs = by_repeat(group.runs), by_repeat(serial)
    pairs = sorted(ours.keys() & theirs.keys())
    if not pairs or any(ours[pair] <= 0 or theirs[pair] <= 0 for pair in pairs):
        return None
    return statistics.paired_ratio([ours[pair] for pair in pairs], [theirs[pair] for pair in pairs]).plain()


def by_repeat(runs: Iterable[Plain]) -> dict[tuple[int, int], float]:
    """Throughput by repeat and length of the stream; the median of several runs."""
    ratios: dict[tuple[int, int], list[float]] = {}
    for run in runs:
        ratios.setdefault((run["repeat"], run["tuples"]), []).append(run["throughput"])
    return {pair: median(values) for pair, values in ratios.items()}


def _ends(values: Sequence[float]) -> dict[str, Any]:
    return {name: value for name, value in interval(values).items() if name != "median"}


def _latency(values: Sequence[Mapping[str, float] | None]) -> dict[str, float | None]:
    return {name: _middle([(each or {}).get(name) for each in values]) for name in QUANTILES}


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return float(median(known)) if known else None


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Queries by their number and own pipelines behind them, serial before the others, then by the rest of the
    configuration (None first)."""
    query, engine, *others = key
    number = re.search(r"\d+", str(query))
    ranks = [(each is not None, each) for each in others]
    return (":" in str(query), int(number.group()) if number else 0, str(query), engine != SERIAL, str(engine), *ranks)


def _three(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


SUMMARY = PointSummary(
    GROUP,
    (
        *shared(*GROUP, needed=False),
        *COUNTS,
        field("throughput"),
        field("throughput_interval", _ends, "throughput"),
        Field("ratio", _ratio),
        Field("latency", lambda group: _latency([run.get("latency") for run in group.runs])),
    ),
)
