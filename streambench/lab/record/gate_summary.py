"""From the runs of `streambench gate` to a row for each workload, phase and side: medians with their intervals.

And from the gates of `tests/gate_proof/run.py` to a row for each case: how often a gate of it ended how.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from streambench.lab.record.point_summary import Field, Group, PointSummary, grouped, interval, shared
from streambench.lab.record.run import Plain, Row, Run

KIND = "gate"
PROOF = "gate-proof"
CASE = ("case", "neighbour")
KEY = ("query", "phase", "side")


def rows(runs: Iterable[Plain]) -> list[Row]:
    """In the order of the runs; of each metric that was measured its median and interval."""
    summary = []
    for group in grouped(runs, KEY):
        metrics: dict[str, list[float]] = {}
        for name, value in (each for run in group.runs for each in _measured(run).items() if each[1] is not None):
            metrics.setdefault(name, []).append(float(value))
        row = {**dict(zip(KEY, group.point, strict=True)), "runs": len(group.runs)}
        summary.append(row | {name: interval(values) for name, values in metrics.items()})
    return summary


def _measured(run: Run) -> Row:
    return {name: run.get(name) for name in ("throughput", "instructions")} | dict(run.get("latency") or {})


def _exit_codes(group: Group) -> dict[str, int]:
    codes = Counter(run["exit_code"] for run in group.runs)
    return {str(code): times for code, times in sorted(codes.items())}


proof_rows = PointSummary(
    CASE,
    (
        *shared(*CASE, "expected"),
        Field("gates", lambda group: len(group.runs), always=True),
        Field("right", lambda group: len(group.runs) - group.wrong, always=True),  # ended with a code that is expected
        Field("exit_codes", _exit_codes, always=True),
    ),
).rows
