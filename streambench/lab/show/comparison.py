"""A comparison of two results for a terminal, as Markdown, and for a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from streambench.lab.compare.comparison import Compared, Comparison, Verdict
from streambench.lab.compare.metric import ComparedPoint
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human
from streambench.lab.show.table import Cell, Column, Layout, number
from streambench.lab.show.tables import two_decimals

COLOURS = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.OPEN: "dim", Verdict.WRONG: "bold red"}
APART = (
    "Measured apart: what changed about the machine between the two is in the ratios, and in no interval. "
    "Runs side by side tell more."
)


def terminal(comparison: Comparison) -> Table:
    """A line for each metric of each point."""
    how = {"caption": Text(caption(comparison)), "caption_justify": "left"}
    return layout(comparison).terminal(comparison.rows, markup=False, box=box.SIMPLE_HEAD, **how)


def markdown(comparison: Comparison) -> str:
    """The same as a table."""
    return "\n".join([*layout(comparison).markdown(comparison.rows), "", caption(comparison), ""])


def plain(comparison: Comparison, base: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The same as values that JSON can hold."""
    return {
        **{name: _origin(each) for name, each in (("base", base), ("new", new))},
        "unlike": comparison.unlike,
        "verdicts": counts(comparison),
        "rows": [
            {
                "query": row.point.what,
                "engine": row.point.engine,
                "workers": row.point.workers,
                "settings": dict(row.point.settings),
                "metric": row.metric,
                **{
                    name: each and each.plain()
                    for name, each in (("base", row.base), ("new", row.new), ("ratio", row.ratio))
                },
                "verdict": str(row.verdict),
                "why": row.why,
            }
            for row in comparison.rows
        ],
        "only_base": [_name(comparison, each) for each in comparison.only_base],
        "only_new": [_name(comparison, each) for each in comparison.only_new],
    }


def caption(comparison: Comparison) -> str:
    """How many rows say what, what was not in both, and how far to trust it."""
    counted = ", ".join(f"{count} {name}" for name, count in counts(comparison).items() if count)
    parts = [f"{counted[:1].upper()}{counted[1:]}."]
    for name, points in (("base", comparison.only_base), ("new result", comparison.only_new)):
        if points:
            parts.append(f"Only in the {name}: {'; '.join(_name(comparison, each) for each in points)}.")
    if comparison.unlike:
        parts.append(f"Not of one machine and one set of data: {'; '.join(comparison.unlike)}.")
    return " ".join([*parts, APART])


def counts(comparison: Comparison) -> dict[str, int]:
    """Rows by verdict."""
    return {str(each): sum(row.verdict is each for row in comparison.rows) for each in Verdict}


def layout(comparison: Comparison, tones: Mapping[Verdict, str] = COLOURS) -> Layout:
    """The table of its rows; the ratio's heading says how surely its intervals cover."""
    unlike = " (unlike machines or data)" if comparison.unlike else ""

    def verdict(row: Compared) -> Cell:
        return Cell(f"{row.verdict}{': ' if row.why else ''}{row.why}{unlike}", tone=tones[row.verdict])

    columns = (
        Column("query", attrgetter("point.what")),
        Column("engine", attrgetter("point.engine")),
        number("workers", lambda row: Cell("" if row.point.workers is None else str(row.point.workers))),
        *(Column(name, _setting(name), none="") for name in _varying(comparison)),
        Column("metric", attrgetter("metric")),
        number("base", lambda row: _median(row, row.base)),
        number("new", lambda row: _median(row, row.new)),
        number("ratio", attrgetter("ratio"), two_decimals),
        Column("verdict", verdict),
    )
    return Layout("new to base", columns, attrgetter("point.what"))


def _setting(name: str) -> Callable[[Compared], Any]:
    return lambda row: dict(row.point.settings).get(name)


def _median(row: Compared, side: Interval | None) -> Cell | None:
    return None if side is None else Cell(_writer(row)(side.median), side.median)


def _writer(row: Compared) -> Callable[[float | None], str]:
    if row.metric.endswith("/s"):
        return human
    return duration if row.point.engine and row.metric.startswith(("p", "max")) else lambda value: f"{value:.4g}"


def _varying(comparison: Comparison) -> list[str]:
    """The settings that tell the rows apart."""
    values: dict[str, set[Any]] = {}
    for row in comparison.rows:
        for name, value in row.point.settings:
            values.setdefault(name, set()).add(value)
    return [name for name, each in values.items() if len(each - {None}) > 1]


def _name(comparison: Comparison, point: ComparedPoint) -> str:
    """With the settings that tell it from other points of the same workload, engine and workers."""
    workers = "" if point.workers is None else f" with {point.workers} worker{'s' * (point.workers != 1)}"
    everywhere = [*(row.point for row in comparison.rows), *comparison.only_base, *comparison.only_new]
    others = [dict(each.settings) for each in everywhere if each[:3] == point[:3]]
    varied = [f"{name} {value}" for name, value in point.settings if any(each.get(name) != value for each in others)]
    apart = f" ({', '.join(varied)})" if varied else ""
    return f"{point.what} {point.engine}{workers}{apart}"


def _origin(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document.get(name) for name in ("created", "version", "git", "kind", "warnings")}
