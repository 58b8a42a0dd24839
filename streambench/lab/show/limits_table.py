"""What stops each engine on many simulated cores: on the terminal, and as Markdown between two marks of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from streambench.lab.host.machine import title
from streambench.lab.record.limits_summary import Row, rows
from streambench.lab.record.summary import human

MARK = "limits"
NOTE = "<!-- what stands between these marks is written by `streambench simulate limits --page` -->"
HEADS = ("", "cores", "M tuples/s", "at work, lines, idle", "taken most", "lock of admission", "its lines", "credit")


def terminal(found: Sequence[Row]) -> Table:
    """A row for each part and number of cores."""
    made = Table(title="what stops engines, simulated", box=box.SIMPLE_HEAD)
    for place, name in enumerate(HEADS):
        made.add_column(name, justify="left" if place in (0, 4) else "right")
    for cells in _rows(found):
        made.add_row(*(cell.replace("`", "") for cell in cells))
    return made


def page(document: Mapping[str, Any]) -> str:
    """Between two marks of a page of the docs. The same document gives the same text."""
    found = rows(document["runs"])
    times = found[0]["credit_times"] if found else 0
    heads = (*HEADS[:-1], f"{times} times the credit")
    lines = [NOTE, "", origin(document), ""]
    lines += [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(cells)} |" for cells in _rows(found)]
    return "\n".join(lines) + "\n"


def origin(document: Mapping[str, Any]) -> str:
    """From what it was simulated, when and where; and what spoilt that."""
    told = document["parameters"]
    version = f"streambench {document['version']}" + (f" ({document['git']})" if document.get("git") else "")
    spoilt = "".join(f" Note: {each}." for each in document["warnings"])
    unknown = told["times_ns"]["memory"] == 0
    memory = " Memory's limit is unknown (nothing was measured beyond two cores): it stops none." if unknown else ""
    return (
        f"Simulated from profile runs of one worker on {title(document['machine'])}, {version}, "
        f"{str(document['created'])[:10]}: {human(told['tuples'])} tuples, units of {told['unit']}, "
        f"{told['cost_us']:g} us of the operator on a tuple, a line's way {told['times_ns']['near_line']:.0f} ns and a "
        f"wake-up {told['times_ns']['wake_up'] / 1e3:.0f} us in all rows, topology {told['topology']} "
        f"({told['topology_is']}), seed {told['seed']}; one run each.{memory}{spoilt}"
    )


def _rows(found: Sequence[Row]) -> list[tuple[str, ...]]:
    made: list[tuple[str, ...]] = []
    last = None
    for row in found:
        most = ", ".join(f"{name} {100 * part:.0f}" for name, part in row["most"].items())
        made.append(
            (
                row["part"] if row["part"] != last else "",
                str(row["cores"]),
                f"{row['throughput'] / 1e6:.3g}",
                ", ".join(f"{100 * row[name]:.0f}" for name in ("busy", "waited", "idle")),
                most,
                f"{100 * row['lock']:.0f}",
                f"{100 * row['lines']:.0f}",
                f"{row['gain']:+.0%}",
            )
        )
        last = row["part"]
    return made
