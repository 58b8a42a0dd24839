"""What a join of files prints, and what it writes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from streambench.execution.resources import account
from streambench.execution.shares import shares
from streambench.joins.matches import Matches
from streambench.lab.host.machine import describe
from streambench.lab.record.results import commit
from streambench.lab.record.summary import duration, human
from streambench.version import __version__

SCHEMA = 1


def content(matches: Matches, options: Mapping[str, Any], digest: str) -> dict[str, Any]:
    """The join as plain values. ``options``: rule, window, slack and sources."""
    sides = {side.name: side for side in matches.sides}
    rows = {name: side.table.num_rows for name, side in sides.items()}
    tuples = sum(len(side.ts) for side in matches.sides)
    return {
        "schema": SCHEMA,
        "kind": "join",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "git": commit(),
        "machine": describe(),
        **options,
        "tier": matches.tier,
        "threads": matches.threads,
        "streams": {name: list(map(_last_name, side.called)) for name, side in sides.items()},
        "rows": rows,
        "late": {name: list(side.late) for name, side in sides.items()},
        "window_tuples": matches.window_tuples,
        "pairs": len(matches),
        "comparisons": matches.comparisons,
        "per_thread": list(matches.per_thread),
        "seconds": matches.seconds,
        "comparisons_per_second": matches.comparisons / matches.seconds,
        "tuples_per_second": tuples / matches.seconds,
        **account(matches.accounts, shares(matches.per_thread), tuples, matches.meanwhile),
        "digest": digest,
    }


def print_join(console: Console, matches: Matches, options: Mapping[str, Any], digest: str) -> None:
    """Print what was joined, how fast, and what was left out because it came too late."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for side in matches.sides:
        streams = f" in {len(side.called)} streams" if len(side.called) > 1 else ""
        table.add_row(side.name, f"{side.table.num_rows:,} rows{streams}")
    most = f"{matches.window_tuples:,} tuple{'s' * (matches.window_tuples != 1)}"
    table.add_row("window", f"{options['window']:,} by rule {options['rule']}, at most {most} of a side")
    dealt = f", dealt over {options['sources']} sources a side" if options["sources"] > 1 else ""
    table.add_row("tier", f"{matches.tier}, {matches.threads} thread{'s' * (matches.threads > 1)}{dealt}")
    table.add_row("pairs", f"{len(matches):,} of {matches.comparisons:,} in windows")
    tuples = sum(len(side.ts) for side in matches.sides)
    speeds = (human(tuples / matches.seconds), human(matches.comparisons / matches.seconds))
    table.add_row("joining", f"{duration(matches.seconds)}, {speeds[0]} tuples/s, {speeds[1]} comparisons/s")
    table.add_row("digest", digest)
    console.print(table)
    late = [f"{n:,} of {name}" for side in matches.sides for name, n in zip(side.called, side.late, strict=True) if n]
    if late:
        told = f"late tuples were left out: {', '.join(late)}; slack is {options['slack']}, a larger one takes them in."
        console.print(f"[yellow]note:[/yellow] {escape(told)}", soft_wrap=True)


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
