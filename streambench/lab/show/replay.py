"""A replayed log of decisions: the choices as a table, and whether this version decides the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from streambench.execution.decisions import Decisions
from streambench.lab.record.replay import Replay
from streambench.version import __version__

SHOWN = 20  # choices at the beginning, and as many at the end


def choices_table(choices: list[dict[str, Any]]) -> Table:
    """A row for each choice: of many, the first and the latest."""
    table = Table(title="choices", title_justify="left", box=None, pad_edge=False)
    for name in ("when", "plan", "unit", "in flight", "resting", "bound"):
        table.add_column(name, justify="left" if name in ("plan", "bound") else "right", overflow="fold")
    left_out = range(SHOWN, len(choices) - SHOWN)
    for number, each in enumerate(choices):
        if number not in left_out:
            table.add_row(*_cells(each))
        elif number == SHOWN:
            table.add_row("…", f"{len(left_out):,} more: --json has them", "", "", "", "")
    return table


def sentence(recorded: Decisions, replayed: Replay) -> str:
    """Does the controller decide as recorded?"""
    kept = f"{len(recorded.rows):,} decisions"
    of_all = "" if recorded.asked == len(recorded.rows) else f", the first of {recorded.asked:,}"
    if replayed.difference is None:
        return f"decides the same: {kept}{of_all}, by version {recorded.version} and by this one, {__version__}"
    return f"decides otherwise {replayed.difference} ({kept} by version {recorded.version}, this is {__version__})"


def plain(recorded: Decisions, replayed: Replay) -> Mapping[str, Any]:
    """The same as plain values."""
    return {
        "same": replayed.difference is None,
        "difference": None if replayed.difference is None else vars(replayed.difference),
        "decisions": len(recorded.rows),
        "asked": recorded.asked,
        "recorded_by": recorded.version,
        "version": __version__,
        "operators": list(recorded.names),
        "workers": recorded.workers,
        "constants": {name: {"then": then, "now": now} for name, (then, now) in recorded.changed_constants().items()},
        "choices": replayed.choices,
    }


def _cells(choice: Mapping[str, Any]) -> tuple[str, ...]:
    bound = "yes" if choice["bound"] else "no"
    return (
        f"{choice['seconds']:.6f} s",
        escape(choice["plan"]),
        f"{choice['unit']:,}",
        f"{choice['in_flight']:,}",
        f"{choice['resting']:,}",
        bound,
    )
