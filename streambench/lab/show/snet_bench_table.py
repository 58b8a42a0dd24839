"""The table of `bench snet`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.snet_summary import Row, by
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import human


def table(found: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    intervals = [Interval.of(row["seconds_interval"]) for row in found if row["seconds_interval"]]
    made = Table(title="benchmarks of paper 004, section 5")
    for name in ("case", "size", "runtime", heading("ms", intervals), "ratio", "calls/s", "targets", "verified"):
        made.add_column(name, justify="left" if name in ("case", "runtime", "targets") else "right")
    previous = None
    for row in found:
        if previous not in (None, (row["case"], row["size"], row["tile"])):
            made.add_section()
        previous = row["case"], row["size"], row["tile"]
        made.add_row(*_cells(row))
    return made


def _cells(row: Row) -> list[str]:
    size = f"{row['size']:,}" + (f"/{row['tile']}" if row["tile"] else "")
    begin = [row["case"], size, by(row["runtime"], row["workers"], row["concurrency"])]
    if not row["verified"]:
        return [*begin, "", "", "", "", f"no, {row['wrong']} of {row['runs']} wrong"]
    ratio = f"{row['ratio']['median']:.2f} {row['ratio_to']}" if row["ratio"] else ""
    return [
        *begin,
        written(Interval.of(row["seconds_interval"]), lambda seconds: f"{1e3 * seconds:.2f}"),
        ratio,
        human(row["calls_per_second"]) if row["calls_per_second"] else "",
        "; ".join(map(_told, row["targets"])),
        "yes",
    ]


def _told(target: Mapping[str, Any]) -> str:
    sign, end = "≤" if target["at_most"] else "≥", "met" if target["met"] else "missed"
    wanted = target["wanted"]
    return f"{target['what']} {sign} {wanted if wanted < 1000 else human(wanted)}: {end}"
