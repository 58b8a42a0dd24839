"""The table of `bench peers`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.peers_summary import BASE, MIB, Row
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human


def table(found: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    made = Table(title="the same queries, files and checks")
    made.add_column("query")
    made.add_column("peer")
    made.add_column("order")
    ratios = [Interval.of(row["ratio"]) for row in found if row["ratio"] and row["peer"] != BASE]
    speed = ("laps", "tuples/s", heading(f"{BASE} to it", ratios), "p50", "p99")
    for name in (*speed, "one pass", "memory", "start", "first run"):
        made.add_column(name, justify="right")
    made.add_column("verified")
    previous = None
    for row in found:
        if previous not in (None, row["query"]):
            made.add_section()
        previous = row["query"]
        made.add_row(*_cells(row))
    return made


def _cells(row: Row) -> list[str]:
    begin = [row["query"], row["peer"], row["order"]]
    started = [duration(row["start_seconds"]), duration(row["first_seconds"])]
    if not row["verified"]:
        return [*begin, "-", "wrong", "-", "-", "-", "-", "-", *started, "[bold red]no[/bold red]"]
    wait = row["latency"] or {}
    ratio = "1" if row["peer"] == BASE else "-" if row["ratio"] is None else written(Interval.of(row["ratio"]), _times)
    memory = f"{row['peak_memory'] / MIB:.0f} MiB"
    waits = [duration(wait.get("p50")), duration(wait.get("p99"))]
    speed = [str(row["laps"]), human(row["throughput"]), ratio, *waits]
    return [*begin, *speed, duration(row["pass_seconds"]), memory, *started, "yes"]


def _times(value: float) -> str:
    return f"{value:.2f}" if math.fabs(value) < 10 else f"{value:.3g}"
