"""The table of `bench sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from streambench.execution.options import Options
from streambench.execution.settled import SCHEMES_UNIT
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.run import Plain, Row
from streambench.lab.record.summary import SERIAL, human
from streambench.lab.record.sweep_summary import MOST_ROWS, grouped, title
from streambench.lab.show.table import Column, Layout, number, words
from streambench.lab.show.tables import WRONG, to_serial, two_decimals, waits

DEFAULT = Options(heuristic="ct", reorder="nonblocking", partitioning="hybrid", routing="early", unit=SCHEMES_UNIT)
NOT_SHOWN = ("engine", "workers", "capacity", "laps")  # columns of their own, or following from the credit
FOLLOWS = {"partitions": ("workers", "partitioning"), "credit": ("workers", "unit")}  # from these, unless it is named


def table(summary: Sequence[Row]) -> tuple[Table, int]:
    """The rows for a terminal, and how many have been left out; of a configuration what varies within its workload
    and is not the default."""
    shown = list(summary)
    if len(shown) > MOST_ROWS:
        most = max(row["workers"] for row in summary)
        shown = [row for row in summary if row["engine"] == SERIAL or row["workers"] == most]
    varying = {title(group[0]): _varying(group) for group in grouped(summary, ("query", "micro"))}
    columns = (
        Column("workload", title, once=True),
        *words("engine", "workers"),
        Column("configuration", lambda row: _configuration(row, varying[title(row)])),
        number("tuples/s", "throughput", human, wrong="wrong"),
        number("speed-up", to_serial, two_decimals, wrong="-"),
        *waits("mean", "p50", "p99"),
        WRONG,
    )
    return Layout("sweep", columns, title).terminal(shown), len(summary) - len(shown)


def _varying(group: Sequence[Plain]) -> list[str]:
    """The options that have several values, which do not follow from others."""
    ordered = [row for row in group if row["engine"] != SERIAL]
    names = []
    for name in CONFIGURATION:
        by = FOLLOWS.get(name, ())
        values: dict[tuple[Any, ...], set[Any]] = {}
        for row in ordered:
            values.setdefault(tuple(row[each] for each in by), set()).add(row[name])
        if name not in NOT_SHOWN and any(len(each) > 1 for each in values.values()):
            names.append(name)
    return names


def _configuration(row: Row, varying: Sequence[str]) -> str:
    """What of a configuration varies and is not the default; where all is, the first, so that there is a name."""
    if row["engine"] == SERIAL:
        varying = [name for name in varying if name == "unit"]
    varying = [name for name in varying if row[name] is not None]  # None: what the engine has not, or chooses
    special = [name for name in varying if row[name] != getattr(DEFAULT, name)]
    return ", ".join(_value(name, row[name]) for name in special or varying[:1])


def _value(name: str, value: Any) -> str:
    """A value that explains itself: "lp", "unit 256", "not fused"."""
    if name == "fuse":
        return "fused" if value else "not fused"
    if isinstance(value, str):
        return value
    number = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{value} partitions" if name == "partitions" else f"{name.replace('_', ' ')} {number}"
