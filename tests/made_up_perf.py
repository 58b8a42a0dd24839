"""Result documents of `streambench bench perf` that nobody has measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.record import results
from streambench.lab.record.perf_summary import TIMES

MACHINE = {"cpu": {"model": "Example 9000", "allowed": [0, 1], "hypervisor": "none"}}
USUAL = {"to": None, "unit": TIMES, "target": None, "at_most": False, "note": ""}


def case(
    series: Mapping[str, Sequence[float]], rows: Sequence[Mapping[str, Any]], section: str = "micro"
) -> dict[str, Any]:
    """The record of a case: its series by name, and rows in which what is usual may be left out."""
    return {
        "section": section,
        "title": f"Of {section}",
        "case": "made up",
        "series": [{"name": name, "unit": "ns", "values": list(values)} for name, values in series.items()],
        "rows": [{**USUAL, **row} for row in rows],
        "core_round_trip_ns": [60.0, 350.0],
    }


def document(repeats: int = 9) -> dict[str, Any]:
    """Two sections; of four rows three have a target, two of which are met."""
    slow, fast = [2.0 + k / 100 for k in range(repeats)], [1.0] * repeats
    first = case(
        {"slow": slow, "fast": fast},
        [
            {"what": "fast", "how": "ratio", "of": "slow", "to": "fast", "target": 1.9},
            {"what": "not fast", "how": "ratio", "of": "fast", "to": "slow", "target": 1.9, "note": "why"},
            {"what": "for reading", "how": "median", "of": "slow", "unit": "µs"},
        ],
    )
    row = {"what": "little", "how": "excess", "of": "slow", "to": "fast", "unit": "MiB", "target": 4.0, "at_most": True}
    second = case({"slow": slow, "fast": fast}, [row], "memory")
    parameters = {"data": "sf1", "scale_factor": 1.0, "seconds": 0.3, "repeats": repeats, "queries": ["q1"]}
    made = results.document("perf", parameters, [first, second], MACHINE, [])
    return made | {"created": "2030-01-02T00:00:00+00:00", "version": "0.0.1", "git": "abc"}


def track() -> dict[str, Any]:
    """A run that was followed over time: four windows, one change, and a plan chosen after it."""
    return {
        "name": "rate",
        "band": 1e-3,
        "changes": [[0.2, "it steps"]],
        "plans": [[0.0, "whole"], [0.25, "cut"]],
        "seconds": [0.1, 0.2, 0.3, 0.4],
        "median": [1e-6, 4e-3, 1e-5, 0.0],
        "greatest": [2e-6, 5e-3, 2e-5, 1e-6],
    }
