"""From simulated runs of each engine on many cores to the rows of a table: what is taken most, what credit gives."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.lab.record.run import Plain, Row

KIND = "simulate-limits"
SATURATED = 0.9  # of the time


def rows(runs: Sequence[Plain]) -> list[Row]:
    """One for each run.

    ``most``: names and parts of the time of all that saturates, or else of what is taken most; ``lock`` of admission
    and its ``lines``: the same; ``gain``: with more credit, a part of the throughput.
    """
    return [_row(run) for run in runs]


def _row(run: Plain) -> Row:
    parts = run["parts"]
    ordered = sorted(parts, key=lambda name: (-parts[name], name))
    saturated = [name for name in ordered if parts[name] >= SATURATED]
    return {
        **{name: run[name] for name in ("part", "cores", "throughput", "busy", "waited", "idle", "credit_times")},
        "most": {name: parts[name] for name in saturated or ordered[:1]},
        "lock": parts["the lock of admission"],
        "lines": parts.get("a line of admission", 0.0),
        "gain": run["throughput_with_more_credit"] / run["throughput"] - 1,
    }
