"""Other engines side by side with ours, and results of kinds that have no section of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.record.interval_text import heading, written
from streambench.record.statistics import Interval, summary
from streambench.record.summary import duration, human
from streambench.report.given import RUN, Given, of_kind
from streambench.report.inline_svg import Drawing
from streambench.report.panel import Line, Mark, Panel, draw, told
from streambench.report.section import BAD, GOOD, Block, Cell, Picture, Section, Table, words

Run = Mapping[str, Any]

KIND = "peers"
KNOWN = ("bench", "sweep", "perf", "join-bench", "topk-bench", "rate-search", KIND, RUN)
TOLD = ("version", "configuration", "guarantees")
MIB = 1 << 20
TEXT = (
    "The same queries on the same files with the same checks, each engine in its own best configuration. Whoever "
    "answers wrongly has no number. Start-up is apart from throughput."
)


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None without a result of `streambench peers`."""
    blocks = []
    for each in of_kind(given, KIND):
        points: dict[tuple[str, str], list[Run]] = {}
        for run in each.document["runs"]:
            points.setdefault((str(run["query"]), str(run["peer"])), []).append(run)
        panel = _panel(points)
        pictures = [Picture(drawing.svg(draw(panel), told(panel)))] if panel.lines else []
        blocks.append(Block(each.title, (TEXT,), pictures, (_table(points),)))
    return Section("peers", "Peers, side by side", blocks) if blocks else None


def others(given: Sequence[Given]) -> Section | None:
    """A plain table of the runs of any other kind, such as a gate's."""
    blocks = []
    for each in given:
        runs = each.document["runs"] if each.kind not in KNOWN else []
        names = list(
            dict.fromkeys(
                name for run in runs for name, value in run.items() if isinstance(value, bool | int | float | str)
            )
        )
        if names:
            rows = [[_plain(run.get(name)) for name in names] for run in runs]
            numbers = [name for name in names if any(_is_number(run.get(name)) for run in runs)]
            blocks.append(Block(each.title, (), (), (Table(f"Runs of {each.kind}", names, rows, numbers),)))
    return Section("others", "Other results", blocks) if blocks else None


def _panel(points: Mapping[tuple[str, str], Sequence[Run]]) -> Panel:
    queries = list(dict.fromkeys(query for query, _ in points))
    lines = []
    for number, peer in enumerate(dict.fromkeys(peer for _, peer in points)):
        marks = []
        for place, query in enumerate(queries):
            values = _speeds(points.get((query, peer), ()))
            if values:
                found = summary(values)
                low, high = (None, None) if found.coverage is None else (found.low, found.high)
                marks.append(Mark(float(place), found.median, low, high, tuple(values)))
        if marks:
            lines.append(Line(peer, number, (), marks))
    ticks = [(float(place), query) for place, query in enumerate(queries)]
    return Panel("Throughput", "query", "tuples per second", lines, ticks, log=True, dodged=True)


def _table(points: Mapping[tuple[str, str], Sequence[Run]]) -> Table:
    intervals = {key: summary(values) for key, runs in points.items() if (values := _speeds(runs))}
    speed = heading("tuples/s", intervals.values())
    columns = ("query", "engine", speed, "start", "peak memory", "p99", *TOLD, "verified")
    rows = [[*words(*key), *_cells(runs, intervals.get(key))] for key, runs in points.items()]
    return Table("Peers", columns, rows, (speed, "start", "peak memory", "p99"))


def _cells(runs: Sequence[Run], speed: Interval | None) -> list[Cell]:
    wrong = sum(not run["verified"] for run in runs)
    start, memory = (_middle(runs, name) for name in ("start_seconds", "peak_memory"))
    waits = [run["latency"]["p99"] for run in runs if (run.get("latency") or {}).get("p99")]
    wait = summary(waits).median if waits and not wrong else None
    return [
        Cell("" if speed is None else written(speed, human), None if speed is None else speed.median),
        Cell("" if start is None else duration(start), start),
        Cell("" if memory is None else f"{memory / MIB:,.0f} MiB", memory),
        Cell("" if wait is None else duration(wait), wait),
        *words(*(runs[0].get(name) for name in TOLD)),
        Cell(f"no: {wrong} of {len(runs)} wrong", tone=BAD) if wrong else Cell("yes", tone=GOOD),
    ]


def _speeds(runs: Sequence[Run]) -> list[float]:
    """Throughputs of the runs; none where one was wrong."""
    if not all(run["verified"] for run in runs):
        return []
    return [float(run["throughput"]) for run in runs if run.get("throughput")]


def _middle(runs: Sequence[Run], name: str) -> float | None:
    values = [float(run[name]) for run in runs if run.get(name) is not None]
    return summary(values).median if values else None


def _plain(value: Any) -> Cell:
    if _is_number(value):
        return Cell(f"{value:.4g}" if isinstance(value, float) else str(value), float(value))
    return Cell("" if value is None or isinstance(value, dict | list) else str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
