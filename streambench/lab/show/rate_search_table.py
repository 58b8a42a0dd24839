"""The table of `bench rate`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from streambench.lab.record.rate_search_summary import SUSTAINS, Row, label, sustains
from streambench.lab.record.summary import SERIAL, duration, human


def table(found: Iterable[Row]) -> Table:
    """The rows for a terminal."""
    shown = list(found)
    bound = shown[0]["bound"]
    made = Table(title=f"highest rate with {label(bound['quantile'])} within {duration(bound['seconds'])} of arrival")
    for name in ("query", "engine"):
        made.add_column(name)
    for name in ("workers", SUSTAINS, "misses at", "of full speed", "p50", label(bound["quantile"]), "runs"):
        made.add_column(name, justify="right")
    made.add_column("verified")
    previous = None
    for row in shown:
        if previous not in (None, row["query"]):
            made.add_section()
        previous = row["query"]
        made.add_row(*_cells(row))
    return made


def _cells(row: Row) -> list[str]:
    named = [row["query"], row["engine"], "-" if row["engine"] == SERIAL else str(row["workers"])]
    if not row["verified"]:
        return [*named, "wrong", *["-"] * 5, f"[bold red]no[/bold red] ({row['wrong']} of {row['runs']} wrong)"]
    rate, full = row["sustainable_rate"], row["full_speed"]
    at: Row = next((each["latency"] for each in row["curve"] if each["rate"] == rate), {})
    misses = "-" if row["missed_rate"] is None else f"{human(row['missed_rate'])}/s"
    return [
        *named,
        sustains(row),
        f"{misses}{' (open between)' if rate and row['undecided'] else ''}",
        f"{rate / full:.0%}" if full and rate is not None else "-",
        duration(at.get("p50")),
        duration(at.get(row["bound"]["quantile"])),
        str(row["runs"]),
        "yes",
    ]
