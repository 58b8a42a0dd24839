"""From the gates of `tests/gate_proof/run.py` to a row for each case: how often a gate of it ended how."""

from __future__ import annotations

from collections import Counter

from streambench.lab.record.point_summary import Field, Group, PointSummary, shared

KIND = "gate-proof"
POINT = ("case", "neighbour")


def _exit_codes(group: Group) -> dict[str, int]:
    codes = Counter(run["exit_code"] for run in group.runs)
    return {str(code): times for code, times in sorted(codes.items())}


rows = PointSummary(
    POINT,
    (
        *shared(*POINT, "expected"),
        Field("gates", lambda group: len(group.runs), always=True),
        Field("right", lambda group: len(group.runs) - group.wrong, always=True),  # ended with a code that is expected
        Field("exit_codes", _exit_codes, always=True),
    ),
).rows
