"""The table of `bench cluster`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from streambench.lab.record.cluster_bench_summary import TARGETS, WAYS, Row, Target


def table(found: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    ways = [way for way in WAYS if any(way in row["seconds"] for row in found)]
    made = Table(title="seconds; of growth for a million tuples")
    for name in ("query", "data", "tuples"):
        made.add_column(name, justify="right" if name == "tuples" else "left")
    for name in (*(WAYS[way] for way in ways), *(f"{target.name} (≥ {target.least:g})" for target in TARGETS)):
        made.add_column(name, justify="right")
    for row in found:
        seconds = [_shown(row["seconds"].get(way)) for way in ways]
        ratios = [_judged(row["ratios"][target.name], target) for target in TARGETS]
        made.add_row(row["query"], row["data"], f"{row['tuples']:,}", *seconds, *ratios)
    return made


def _shown(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def _judged(ratio: float | None, target: Target) -> str:
    return "-" if ratio is None else f"{ratio:.2f}{'' if ratio >= target.least else ' missed'}"
