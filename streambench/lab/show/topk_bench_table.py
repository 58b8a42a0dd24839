"""The table of `bench topk`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import human
from streambench.lab.record.topk_summary import MOST_TOLD, Row, shares


def table(found: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    intervals = [Interval.of(row["updates_interval"]) for row in found if row["updates_interval"]]
    made = Table(title="summaries of paper 002, section 5")
    made.add_column("design")
    for name in ("α", "threads", "failing", heading("updates/s", intervals), "error bound"):
        made.add_column(name, justify="right")
    made.add_column("most of its time")
    made.add_column("verified")
    previous = None
    for row in found:
        place = row["alpha"], row["threads"]
        if previous not in (None, place):
            made.add_section()
        previous = place
        made.add_row(*_cells(row))
    return made


def _cells(row: Row) -> list[str]:
    begin = [row["design"], f"{row['alpha']:g}", str(row["threads"]), f"{100 * row['failing']:g} %"]
    if not row["verified"]:
        return [*begin, "", "", "", f"no, {row['wrong']} of {row['runs']} wrong"]
    most = sorted(shares(row["profile"] or {}).items(), key=lambda each: -each[1])[:MOST_TOLD]
    return [
        *begin,
        written(Interval.of(row["updates_interval"]), human) if row["updates_interval"] else "",
        f"{100 * row['error_bound']:.4f} %",
        ", ".join(f"{name.replace('_', ' ')} {share:.0f} %" for name, share in most),
        "yes",
    ]
