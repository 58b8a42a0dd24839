"""What a join of files prints, and what it writes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from streambench.execution.resources import account
from streambench.execution.shares import shares
from streambench.joins.matches import Matches
from streambench.joins.side import Side
from streambench.lab.host.machine import describe
from streambench.lab.record import results
from streambench.lab.record.summary import duration, human
from streambench.lab.show.facts import print_facts


def content(matches: Matches, options: Mapping[str, Any], digest: str) -> dict[str, Any]:
    """The join as plain values. ``options``: rule, window, slack and sources."""
    sides = {side.name: side for side in matches.sides}
    rows = {name: side.table.num_rows for name, side in sides.items()}
    tuples = sum(len(side.ts) for side in matches.sides)
    return {
        **results.head("join", describe(), schema=1),
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
    most = f"{matches.window_tuples:,} tuple{'s' * (matches.window_tuples != 1)}"
    dealt = f", dealt over {options['sources']} sources a side" if options["sources"] > 1 else ""
    tuples = sum(len(side.ts) for side in matches.sides)
    speeds = (human(tuples / matches.seconds), human(matches.comparisons / matches.seconds))
    facts = {
        **{side.name: _rows(side) for side in matches.sides},
        "window": f"{options['window']:,} by rule {options['rule']}, at most {most} of a side",
        "tier": f"{matches.tier}, {matches.threads} thread{'s' * (matches.threads > 1)}{dealt}",
        "pairs": f"{len(matches):,} of {matches.comparisons:,} in windows",
        "joining": f"{duration(matches.seconds)}, {speeds[0]} tuples/s, {speeds[1]} comparisons/s",
        "digest": digest,
    }
    print_facts(console, facts)
    late = [f"{n:,} of {name}" for side in matches.sides for name, n in zip(side.called, side.late, strict=True) if n]
    if late:
        note = f"late tuples were left out: {', '.join(late)}; slack is {options['slack']}, a larger one takes them in."
        console.print(f"[yellow]note:[/yellow] {escape(note)}", soft_wrap=True)


def _rows(side: Side) -> str:
    streams = f" in {len(side.called)} streams" if len(side.called) > 1 else ""
    return f"{side.table.num_rows:,} rows{streams}"


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
