"""The regression gate's verdicts."""

from __future__ import annotations

from mutation import Mutation

MUTATIONS = (
    Mutation(
        "gate: an interval pays for one side only",
        "streambench/lab/gate/decision.py",
        "        if stake(n, n - k + 1) < 2 / alpha:\n",
        "        if stake(n, n - k + 1) < 1 / alpha:\n",
        ("tests/unit/lab/gate/test_decision.py",),
    ),
    Mutation(
        "gate: each metric has the whole chance of a false alarm",
        "streambench/lab/gate/session.py",
        "        alpha = (1 - CONFIDENCE) / max(1, len(judged_metrics))\n",
        "        alpha = 1 - CONFIDENCE\n",
        ("tests/unit/lab/gate/test_session.py",),
    ),
    Mutation(
        "gate: flags do not tell builds apart",
        "streambench/lab/gate/checkouts.py",
        '        "flags": {name: os.environ.get(name) for name in FLAGS},\n',
        "",
        ("tests/unit/lab/gate/test_checkouts.py",),
    ),
    Mutation(
        "gate: packages do not tell builds apart",
        "streambench/lab/gate/checkouts.py",
        '        "packages": packages,\n',
        "",
        ("tests/unit/lab/gate/test_checkouts.py",),
    ),
)
