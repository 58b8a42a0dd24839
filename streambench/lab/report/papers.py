"""Joins (paper 001) and heavy hitters (paper 002): their figures and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from streambench.lab.figures import joins, topk
from streambench.lab.figures.chart import picture
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import BAD, GOOD, Block, Cell, Picture, Section, Table, words

Row = Mapping[str, Any]


def join_section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None without a join bench."""
    blocks = [
        Block(each.title, (), list(_drawn(joins, each, drawing)), (_join_table(each.document["summary"]),))
        for each in of_kind(given, joins.KIND)
    ]
    return Section("joins", "Joins", blocks, wide=True) if blocks else None


def topk_section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None without a top-k bench."""
    blocks = [
        Block(each.title, (), list(_drawn(topk, each, drawing)), (_topk_table(each.document["summary"]),))
        for each in of_kind(given, topk.KIND)
    ]
    return Section("heavy-hitters", "Heavy hitters", blocks, wide=True) if blocks else None


def _drawn(figures: Any, given: Given, drawing: Drawing) -> Iterator[Picture]:
    for name, figure in figures.CHARTS.items():
        chart = figure.chart(given.document)
        if chart is not None:
            caption = figures.caption(name, given.document, chart)
            yield Picture(drawing.svg(picture(chart, ""), f"Figure {name}. {chart.text}"), caption)


def _join_table(rows: Sequence[Row]) -> Table:
    found = [Interval.of(row["comparisons_interval"]) for row in rows if row.get("comparisons_interval")]
    speed = heading("comparisons/s", found)
    columns = ("measure", "join", "tier", "threads", "window", speed, "tuples/s", "p50", "p99", "verified")
    numbers = ("threads", "window", speed, "tuples/s", "p50", "p99")
    return Table("Joins", columns, [_join_cells(row) for row in rows], numbers)


def _join_cells(row: Row) -> list[Cell]:
    interval, window = row.get("comparisons_interval"), row["window_seconds"]
    waits = [(row.get("latency") or {}).get(name) for name in ("p50", "p99")]
    return [
        *words(row["measure"], row["join"], row["tier"]),
        Cell(str(row["threads"]), row["threads"]),
        Cell("" if window is None else f"{window:g} s", window),
        Cell(written(Interval.of(interval), human), interval["median"]) if interval else Cell(""),
        Cell(human(row["tuples_per_second"]), row["tuples_per_second"]),
        *(Cell("" if wait is None else duration(wait), wait) for wait in waits),
        _verified(row),
    ]


def _topk_table(rows: Sequence[Row]) -> Table:
    found = [Interval.of(row["updates_interval"]) for row in rows if row["updates_interval"]]
    speed = heading("updates/s", found)
    columns = ("design", "threads", "α", "reads that fail", speed, "verified")
    return Table("Heavy hitters", columns, [_topk_cells(row) for row in rows], columns[1:-1])


def _topk_cells(row: Row) -> list[Cell]:
    interval = row["updates_interval"]
    return [
        *words(row["design"]),
        Cell(str(row["threads"]), row["threads"]),
        Cell(f"{row['alpha']:g}", row["alpha"]),
        Cell(f"{100 * row['failing']:g} %", row["failing"]),
        Cell(written(Interval.of(interval), human), interval["median"]) if interval else Cell(""),
        _verified(row),
    ]


def _verified(row: Row) -> Cell:
    return Cell("yes", tone=GOOD) if row["verified"] else Cell(f"no: {row['wrong']} of {row['runs']} wrong", tone=BAD)
