"""Other engines side by side with ours: throughput, latency, memory, and what each guarantees about order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.peers_summary import BASE, KIND, MIB
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human, ratio_text
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.panel import Line, Mark, Panel, draw, told
from streambench.lab.report.section import BAD, GOOD, Block, Cell, Picture, Section, Table, words

Row = Mapping[str, Any]

TEXT = (
    "The same queries on the same files with the same checks, each engine in its own best configuration. Whoever "
    "answers wrongly has no number. Start-up is apart from throughput. Some streams are replayed for several laps; who "
    "takes the stream once is compared with one pass of ours."
)


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None without a result of `streambench bench peers`."""
    blocks = []
    for each in of_kind(given, KIND):
        panel = _panel(each.document["summary"])
        pictures = [Picture(drawing.svg(draw(panel), told(panel)))] if panel.lines else []
        blocks.append(Block(each.title, (TEXT,), pictures, (_table(each.document["summary"]),)))
    return Section("peers", "Peers, side by side", blocks) if blocks else None


def _panel(rows: Sequence[Row]) -> Panel:
    queries = list(dict.fromkeys(row["query"] for row in rows))
    lines = []
    for number, peer in enumerate(dict.fromkeys(row["peer"] for row in rows)):
        right = [row for row in rows if row["peer"] == peer and row["throughput_interval"]]
        marks = [Mark.of(float(queries.index(row["query"])), Interval.of(row["throughput_interval"])) for row in right]
        if marks:
            lines.append(Line(peer, number, (), marks))
    ticks = [(float(place), query) for place, query in enumerate(queries)]
    return Panel("Throughput", "query", "tuples per second", lines, ticks, log=True, dodged=True)


def _table(rows: Sequence[Row]) -> Table:
    speed = heading("tuples/s", [Interval.of(row["throughput_interval"]) for row in rows if row["throughput_interval"]])
    ratio = heading(
        f"{BASE} to it", [Interval.of(row["ratio"]) for row in rows if row["ratio"] and row["peer"] != BASE]
    )
    numbers = ("laps", speed, ratio, "p50", "p99", "one pass", "peak memory", "start", "first run")
    columns = ("query", "peer", "order", *numbers, "version", "configuration", "guarantees", "verified")
    return Table("Peers", columns, [_cells(row) for row in rows], numbers)


def _cells(row: Row) -> list[Cell]:
    interval, memory = row["throughput_interval"], row["peak_memory"]
    waits = [(row["latency"] or {}).get(name) for name in ("p50", "p99")]
    times = [*waits, row["pass_seconds"], row["start_seconds"], row["first_seconds"]]
    p50, p99, once, start, first = (Cell("" if each is None else duration(each), each) for each in times)
    base = row["peer"] == BASE
    return [
        *words(row["query"], row["peer"], row["order"]),
        Cell(str(row["laps"]), row["laps"]),
        Cell(written(Interval.of(interval), human), interval["median"]) if interval else Cell(""),
        Cell("1", 1.0) if base else Cell(ratio_text(row["ratio"]), (row["ratio"] or {}).get("median")),
        *(p50, p99, once),
        Cell("" if memory is None else f"{memory / MIB:,.0f} MiB", memory),
        *(start, first),
        *words(row["version"], row["configuration"], row["guarantees"]),
        Cell("yes", tone=GOOD) if row["verified"] else Cell(f"no: {row['problem']}", tone=BAD),
    ]
