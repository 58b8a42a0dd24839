"""The table of `bench queries`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from streambench.lab.record.interval_text import heading
from streambench.lab.record.summary import SERIAL, Row, duration, human, ratio_text, ratios


def table(summary: Iterable[Row]) -> Table:
    """The rows for a terminal."""
    rows = list(summary)
    ratio = heading("ratio to serial", ratios(rows))
    made = Table(title="throughput and latency")
    for name in ("query", "engine"):
        made.add_column(name)
    for name in ("workers", "unit", "tuples/s", ratio, "p50", "p99"):
        made.add_column(name, justify="right")
    made.add_column("verified")
    previous = None
    for row in rows:
        if previous not in (None, row["query"]):
            made.add_section()
        previous = row["query"]
        right = bool(row["verified"])
        wait = row["latency"] or {}
        made.add_row(
            str(row["query"]),
            str(row["engine"]),
            _count(row["workers"]),
            _count(row["unit"]) if row["unit"] else "chosen",
            human(row["throughput"]) if right else "wrong",
            ("1" if row["engine"] == SERIAL else ratio_text(row["ratio"])) if right else "-",
            duration(wait.get("p50")),
            duration(wait.get("p99")),
            "yes" if right else f"[bold red]no[/bold red] ({row['wrong']} of {row['runs']} wrong)",
        )
    return made


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
