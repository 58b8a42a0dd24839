"""The table of `bench joins`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.join_summary import GATE, Row
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human


def table(found: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    intervals = [Interval.of(row["comparisons_interval"]) for row in found if row.get("comparisons_interval")]
    made = Table(title="joins of paper 001, section VI")
    for name in ("measure", "tier"):
        made.add_column(name)
    for name in (
        "threads",
        "window",
        "tuples",
        heading("comparisons/s", intervals),
        "tuples/s",
        "deviation",
        "p50",
        "p99",
    ):
        made.add_column(name, justify="right")
    made.add_column("verified")
    previous = None
    for row in found:
        if previous not in (None, row["measure"].partition(" ")[0]):
            made.add_section()
        previous = row["measure"].partition(" ")[0]
        made.add_row(*_cells(row))
    return made


def _cells(row: Row) -> list[str]:
    if row["measure"] == GATE:
        traffic = f"{row['sources']} in, {row['readers']} out"
        rate = human(row["tuples_per_second"]) if row["verified"] else ""
        verified = "yes" if row["verified"] else f"no, {row['wrong']} of {row['runs']} wrong"
        return [row["measure"], row["tier"], traffic, "", "", "", rate, "", "", "", verified]
    of = "" if row["join"] == "scale" else f"{row['join']} "
    begin = [row["measure"], of + row["tier"], str(row["threads"]), f"{row['window_seconds']:g} s"]
    begin.append(human(row["window_tuples"]))
    if not row["verified"]:
        return [*begin, *[""] * 5, f"no, {row['wrong']} of {row['runs']} wrong"]
    latency = row["latency"] or {}
    return [
        *begin,
        written(Interval.of(row["comparisons_interval"]), human),
        human(row["tuples_per_second"]),
        f"{row['per_thread_deviation']:.2f} %",
        *(duration(latency[name]) if name in latency else "" for name in ("p50", "p99")),
        "yes",
    ]
