"""A comparison of two results for a terminal, as Markdown, and for a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from streambench.lab.compare.comparison import Compared, Comparison, Verdict
from streambench.lab.compare.metric import Point
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.summary import duration, human

COLOURS = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.OPEN: "dim", Verdict.WRONG: "bold red"}
APART = (
    "Measured apart: what changed about the machine between the two is in the ratios, and in no interval. "
    "Runs side by side tell more."
)


def terminal(comparison: Comparison) -> Table:
    """A line for each metric of each point."""
    made = Table(title="new to base", box=box.SIMPLE_HEAD, caption=Text(caption(comparison)), caption_justify="left")
    for name in columns(comparison):
        made.add_column(
            name, justify="right" if name in ("workers", "base", "new") or name.startswith("ratio") else "left"
        )
    previous = None
    for row in comparison.rows:
        if previous not in (None, row.point.what):
            made.add_section()
        previous = row.point.what
        *texts, verdict = cells(comparison, row)
        made.add_row(*map(Text, texts), Text(verdict, COLOURS[row.verdict]))
    return made


def markdown(comparison: Comparison) -> str:
    """The same as a table."""
    lines = [_line(columns(comparison)), _line(["---"] * len(columns(comparison)))]
    lines += [_line(cells(comparison, row)) for row in comparison.rows]
    return "\n".join([*lines, "", caption(comparison), ""])


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
    told = ", ".join(f"{count} {name}" for name, count in counts(comparison).items() if count)
    parts = [f"{told[:1].upper()}{told[1:]}."]
    for name, points in (("base", comparison.only_base), ("new result", comparison.only_new)):
        if points:
            parts.append(f"Only in the {name}: {'; '.join(_name(comparison, each) for each in points)}.")
    if comparison.unlike:
        parts.append(f"Not of one machine and one set of data: {'; '.join(comparison.unlike)}.")
    return " ".join([*parts, APART])


def counts(comparison: Comparison) -> dict[str, int]:
    """Rows by verdict."""
    return {str(each): sum(row.verdict is each for row in comparison.rows) for each in Verdict}


def columns(comparison: Comparison) -> list[str]:
    """The headings of a table of its rows; the ratio's says how surely its intervals cover."""
    found = [each for row in comparison.rows for each in (row.ratio,) if each is not None]
    return [
        "query",
        "engine",
        "workers",
        *_varying(comparison),
        "metric",
        "base",
        "new",
        heading("ratio", found),
        "verdict",
    ]


def cells(comparison: Comparison, row: Compared) -> Iterator[str]:
    """A row's texts, in the order of the ``columns``."""
    yield row.point.what
    yield row.point.engine
    yield "" if row.point.workers is None else str(row.point.workers)
    settings = dict(row.point.settings)
    yield from ("" if settings.get(name) is None else str(settings[name]) for name in _varying(comparison))
    yield row.metric
    yield from ("-" if each is None else _writer(row)(each.median) for each in (row.base, row.new))
    yield "-" if row.ratio is None else written(row.ratio, "{:.2f}".format)
    unlike = " (unlike machines or data)" if comparison.unlike else ""
    yield f"{row.verdict}{': ' if row.why else ''}{row.why}{unlike}"


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


def _name(comparison: Comparison, point: Point) -> str:
    """With the settings that tell it from other points of the same workload, engine and workers."""
    workers = "" if point.workers is None else f" with {point.workers} worker{'s' * (point.workers != 1)}"
    everywhere = [*(row.point for row in comparison.rows), *comparison.only_base, *comparison.only_new]
    others = [dict(each.settings) for each in everywhere if each[:3] == point[:3]]
    told = [f"{name} {value}" for name, value in point.settings if any(each.get(name) != value for each in others)]
    apart = f" ({', '.join(told)})" if told else ""
    return f"{point.what} {point.engine}{workers}{apart}"


def _origin(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document.get(name) for name in ("created", "version", "git", "kind", "warnings")}


def _line(cells: Sequence[str] | Iterator[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
