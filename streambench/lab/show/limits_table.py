"""What stops each engine on many simulated cores: on the terminal, and as Markdown between two marks of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from streambench.lab.host.machine import title
from streambench.lab.record.limits_summary import rows
from streambench.lab.record.run import Row
from streambench.lab.record.summary import human
from streambench.lab.show.marked_block import note, written_by
from streambench.lab.show.table import Column, Layout, number

MARK = "limits"


def terminal(summary: Sequence[Row]) -> Table:
    """A row for each part and number of cores."""
    plain = [{**row, "part": row["part"].replace("`", "")} for row in summary]
    return _layout("credit").terminal(plain, box=box.SIMPLE_HEAD)


def page(document: Mapping[str, Any]) -> str:
    """Between two marks of a page of the docs. The same document gives the same text."""
    summary = rows(document["runs"])
    credit = f"{summary[0]['credit_times'] if summary else 0} times the credit"
    lines = [note("simulate limits --page"), "", origin(document), "", *_layout(credit).markdown(summary)]
    return "\n".join(lines) + "\n"


def origin(document: Mapping[str, Any]) -> str:
    """From what it was simulated, when and where; and what spoilt that."""
    of = document["parameters"]
    spoilt = "".join(f" Note: {each}." for each in document["warnings"])
    unknown = of["times_ns"]["memory"] == 0
    memory = " Memory's limit is unknown (nothing was measured beyond two cores): it stops none." if unknown else ""
    return (
        f"Simulated from profile runs of one worker on {title(document['machine'])}, {written_by(document)}, "
        f"{str(document['created'])[:10]}: {human(of['tuples'])} tuples, units of {of['unit']}, "
        f"{of['cost_us']:g} us of the operator on a tuple, a line's way {of['times_ns']['near_line']:.0f} ns and a "
        f"wake-up {of['times_ns']['wake_up'] / 1e3:.0f} us in all rows, topology {of['topology']} "
        f"({of['topology_is']}), seed {of['seed']}; one run each.{memory}{spoilt}"
    )


def _layout(credit: str) -> Layout:
    columns = (
        Column("", "part", once=True),
        number("cores", "cores"),
        number("M tuples/s", lambda row: f"{row['throughput'] / 1e6:.3g}"),
        number("at work, lines, idle", lambda row: ", ".join(map(_percent, (row["busy"], row["waited"], row["idle"])))),
        Column("taken most", lambda row: ", ".join(f"{name} {_percent(part)}" for name, part in row["most"].items())),
        number("lock of admission", "lock", _percent),
        number("its lines", "lines", _percent),
        number(credit, "gain", "{:+.0%}".format),
    )
    return Layout("what stops engines, simulated", columns)


def _percent(part: float) -> str:
    return f"{100 * part:.0f}"
