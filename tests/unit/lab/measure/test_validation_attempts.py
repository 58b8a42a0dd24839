"""A comparison during which the host moves the cores is made again; the one counts in which most real runs do."""

from __future__ import annotations

from typing import Any

import pytest

from streambench.lab.measure.frame import BenchData
from streambench.lab.measure.validation.bench import ATTEMPTS, Comparisons
from streambench.lab.measure.validation.cases import cases
from streambench.lab.simulate.times import Times

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)


Attempt = tuple[bool, int, float | None]
"""Did the cores stay, how many real runs had them where the profile run had, and what was measured (None: wrong)."""


def compared(monkeypatch: pytest.MonkeyPatch, *attempts: Attempt) -> tuple[Any, int]:
    """What is kept of such attempts, and how many there were."""
    made = [
        {"stayed": stayed, "alike": alike, "sequence_ok": measured is not None, "measured_throughput": measured}
        for stayed, alike, measured in attempts
    ]
    left = iter(made)
    comparisons = Comparisons(BenchData(), TIMES, 0.25)
    monkeypatch.setattr(comparisons, "_compare_once", lambda _: next(left))
    (case,) = cases(["schemes"], ["q1"], 1)
    run = comparisons.compare(case)
    return run["measured_throughput"], len(made) - len(list(left))


def test_the_first_undisturbed_attempt_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compared(monkeypatch, (True, 2, 1.0), (True, 2, 3.0)) == (1.0, 1)
    assert compared(monkeypatch, (False, 1, 1.0), (True, 2, 3.0), (True, 2, 5.0)) == (3.0, 2)


def test_of_attempts_that_all_were_disturbed_that_with_most_alike_runs_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ATTEMPTS == 3
    assert compared(monkeypatch, (False, 1, 1.0), (False, 2, 2.0), (False, 1, 4.0)) == (2.0, 3)
    assert compared(monkeypatch, (False, 2, None), (False, 1, 2.0), (False, 0, 4.0)) == (2.0, 3)
    assert compared(monkeypatch, (False, 0, 1.0), (False, 1, 2.0), (False, 0, 4.0)) == (2.0, 3), "without any all count"
