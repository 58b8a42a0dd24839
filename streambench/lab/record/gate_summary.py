"""From the runs of `streambench gate` to a row for each workload, phase and side: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.record.statistics import summary

KIND = "gate"
KEY = ("query", "phase", "side")

Run = Mapping[str, Any]


def rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """In the order of the runs; of each metric that was measured its median and interval."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run[name] for name in KEY), []).append(run)
    found = []
    for key, group in groups.items():
        values: dict[str, list[float]] = {}
        for run in group:
            measured = {name: run.get(name) for name in ("throughput", "instructions")} | dict(run.get("latency") or {})
            for name, value in measured.items():
                if value is not None:
                    values.setdefault(name, []).append(float(value))
        metrics = {name: summary(each).plain() for name, each in values.items()}
        found.append({**dict(zip(KEY, key, strict=True)), "runs": len(group), **metrics})
    return found
