"""What a section of the performance report is: rows with a target and what was measured, and every run behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streambench.statistics import Interval, paired_ratio, summary

TIMES = "\N{MULTIPLICATION SIGN}"  # the unit of ratios

Tell = Callable[[str], None]
"""Called with what is being measured."""


@dataclass(frozen=True)
class Plan:
    """How long and how often everything is measured.

    ``seconds``: about how long a run lasts. ``repeats``: of each. ``data``: the data directory of the queries, None
    where there is none. ``distances``: the cores' round trips, in ns, as they were found in the meantime.
    """

    seconds: float = 0.3
    repeats: int = 9
    data: Path | None = None
    distances: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """A line of the report. ``target``: a bound from below or, with ``at_most``, from above; None: only for reading."""

    what: str
    measured: Interval
    unit: str
    target: float | None = None
    at_most: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Does the median meet the target? None where there is none."""
        if self.target is None:
            return None
        return self.measured.median <= self.target if self.at_most else self.measured.median >= self.target

    def plain(self) -> dict[str, Any]:
        """As plain values; a bound of the interval that is not known is null."""
        return {
            "what": self.what,
            "target": self.target,
            "at_most": self.at_most,
            "unit": self.unit,
            **self.measured.plain(),
            "met": self.met,
            "note": self.note,
        }


@dataclass
class Section:
    """The rows under one title, and the runs that they come from, as plain values."""

    title: str
    rows: list[Row] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)

    def record(self, what: str, values: Sequence[float], unit: str) -> None:
        """Keep the single values of a configuration, in the order in which they were measured."""
        self.runs.append({"what": what, "unit": unit, "values": list(values)})

    def add(
        self,
        what: str,
        measured: Interval,
        unit: str,
        target: float | None = None,
        *,
        at_most: bool = False,
        note: str = "",
    ) -> None:
        """Append a row."""
        self.rows.append(Row(what, measured, unit, target, at_most, note))


def times_faster(slow: Sequence[float], fast: Sequence[float]) -> Interval:
    """How often the second fits into the first, of times measured side by side."""
    return paired_ratio(slow, fast)


def excess(values: Sequence[float], base: Sequence[float]) -> Interval:
    """By how much the first are above the second, of values measured side by side."""
    return summary([value - under for value, under in zip(values, base, strict=True)])


def number(value: float) -> str:
    """For a reader: two decimals where they say something."""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
