"""What both sides of a workload measure, and how long a run is waited for, with commands that are made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.side import Side
from streambench.lab.gate.trials import MOST_LAPS, GateTrials, Trial
from streambench.lab.gate.workload import Workload

SAID = {"throughput": 1.0, "latency": {"p50": 1.0, "p99": 2.0}, "seconds": 0.5, "digest": "1"}
PROGRAM = "import sys; sys.exit(2) if '--resident' in sys.argv else print(sys.argv[1])"


def prepared(tmp_path: Path, base: dict[str, Any], new: dict[str, Any] | None, laps: str = "") -> Trial:
    """``new``: None for a command that does not end."""
    texts = [json.dumps(SAID | said) for said in (base, new or {})]
    programs = [PROGRAM, PROGRAM if new is not None else "import time; time.sleep(1000)"]
    sides = [
        Side(name, "0" * 40, tmp_path, [sys.executable, "-c", program, text])
        for name, program, text in zip(("base", "new"), programs, texts, strict=True)
    ]
    return GateTrials(1, None, tmp_path, 0.5).prepared(Workload("w", f"run w{laps}"), *sides)


def test_a_metric_of_the_new_side_alone_is_named(tmp_path: Path) -> None:
    trial = prepared(tmp_path, {"latency": {"p50": 1.0}}, {})
    assert (trial.metrics, trial.unmatched) == (("throughput", "p50"), ("p99",))


@pytest.mark.parametrize("said", [{"throughput": "1,5"}, {"latency": {"p99": 0}}, {"latency": [1, 2]}])
def test_what_is_no_number_is_the_sides_fault_that_says_it(tmp_path: Path, said: dict[str, Any]) -> None:
    with pytest.raises(NoVerdictError, match="nothing to compare with, w: the base's"):
        prepared(tmp_path, said, {})
    with pytest.raises(NoAnswerError, match="w: the new side's"):
        prepared(tmp_path, {}, said)


@pytest.mark.parametrize(("seconds", "laps"), [(0, 1), (None, 1), (0.1, 5), (1e-90, MOST_LAPS), (10**90, 1)])
def test_laps_follow_from_the_seconds_of_one(tmp_path: Path, seconds: float, laps: int) -> None:
    assert prepared(tmp_path, {"seconds": seconds}, {}, " --laps {laps}").laps == laps


@pytest.mark.parametrize("seconds", ["abc", float("nan"), -1, [1]])
def test_seconds_that_are_no_number_have_no_verdict(tmp_path: Path, seconds: object) -> None:
    with pytest.raises(NoVerdictError, match=r"w: the base's seconds is .*, which is no number above 0"):
        prepared(tmp_path, {"seconds": seconds}, {}, " --laps {laps}")


def test_a_new_side_that_hangs_is_waited_for_no_longer_than_the_base_suggests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streambench.lab.gate.trials.PATIENCE", 0)
    monkeypatch.setattr("streambench.lab.gate.trials.LEAST_PATIENCE", 1.0)
    with pytest.raises(NoAnswerError, match="w: the new side was not done after 1 s"):
        prepared(tmp_path, {}, None)
