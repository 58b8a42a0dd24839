"""The regression gate's verdicts."""

from __future__ import annotations

from mutation import drop, of, swap

MUTATIONS = (
    *of(
        "streambench/lab/gate/decision.py",
        (
            "gate: an interval pays for one side only",
            ("tests/unit/lab/gate/test_decision.py",),
            swap("n - k + 1) < 2", "n - k + 1) < 1"),
        ),
    ),
    *of(
        "streambench/lab/gate/session.py",
        (
            "gate: each metric has the whole chance of a false alarm",
            ("tests/unit/lab/gate/test_session.py",),
            swap("(1 - CONFIDENCE) / max(1, len(judged_metrics))", "1 - CONFIDENCE"),
        ),
    ),
    *of(
        "streambench/lab/gate/checkouts.py",
        ("gate: flags do not tell builds apart", ("tests/unit/lab/gate/test_checkouts.py",), drop('"flags": {name')),
        (
            "gate: packages do not tell builds apart",
            ("tests/unit/lab/gate/test_checkouts.py",),
            drop('"packages": packages'),
        ),
    ),
)
