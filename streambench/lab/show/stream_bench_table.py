"""The table of `bench stream`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    """The rows for a terminal."""
    made = Table(box=None)
    for name in ("query", "", "sustained rows/s", "at rows/s", "committed p50", "p99", "ordered p50", "p99"):
        made.add_column(name, justify="left" if name in ("query", "") else "right")
    for row in found:
        times = [*row["committed"].values(), *(row["ordered"] or {}).values()]
        shown = [f"{time:.2f} s" for time in times]
        made.add_row(row["query"], row["contender"], f"{row['sustained']:,.0f}", f"{row['rate']:,}", *shown)
    return made
