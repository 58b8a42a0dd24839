"""From the gates of `tests/gate_proof/run.py` to a row for each case: how often a gate of it ended how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KIND = "gate-proof"

Run = Mapping[str, Any]


def rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """In the order of the runs. ``right``: so many ended with a code that is ``expected``."""
    cases: dict[tuple[str, bool], list[Run]] = {}
    for run in runs:
        cases.setdefault((run["case"], run["neighbour"]), []).append(run)
    return [
        {
            "case": case,
            "neighbour": neighbour,
            "expected": gates[0]["expected"],
            "gates": len(gates),
            "right": sum(run["verified"] for run in gates),
            "exit_codes": _counted(run["exit_code"] for run in gates),
        }
        for (case, neighbour), gates in cases.items()
    ]


def _counted(codes: Iterable[int]) -> dict[str, int]:
    return {str(code): times for code, times in sorted(Counter(codes).items())}
