"""A gate's session with runs that are made up, on a clock that is made up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from streambench.lab.gate.decision import CONFIDENCE, Verdict, rank
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.gate import Outcome, outcome
from streambench.lab.gate.session import COMPARED, SAME, SAME_PAIRS, Judged, Session
from streambench.lab.gate.side import Side
from streambench.lab.gate.trials import Pair, Record, Trial, compare_answers, in_turn
from streambench.lab.gate.workload import Workload

SIDES = [Side(name, "0" * 40, Path(), ()) for name in ("base", "new")]


class Made:
    """Runs of one second each: ``speed`` of the new side, and how far a run of any may be off."""

    def __init__(self, speed: float, noise: float = 0.01, wrong_after: int = 1_000_000) -> None:
        self.speed, self.wrong_after = speed, wrong_after
        self._noise = itertools.cycle([1 + noise, 1 - noise, 1 - noise, 1, 1, 1 + noise, 1])
        self.time = 0.0
        self.order: list[tuple[str, str]] = []

    def pair(self, trial: Trial, base: Side, other: Side, phase: str, number: int) -> Pair:
        first, second = in_turn([self.run(side, phase) for side in in_turn((base, other), number)], number)
        return [(first, second)]

    def run(self, side: Side, phase: str) -> Record:
        self.time += 1
        self.order.append((phase, side.name))
        if len(self.order) > self.wrong_after:
            raise NoAnswerError("wrong")
        speed = (self.speed if side.name == "new" else 1) * next(self._noise)
        return {"side": side.name, "throughput": 1e6 * speed, "latency": {"p50": 1e-3 / speed}}


def decided(made: Made, budget: float = 200.0, names: tuple[str, ...] = ("q1",)) -> list[Judged]:
    trials = [Trial(Workload(name, "run q"), 1, {}, ("throughput", "p50"), 1.0) for name in names]
    lost = {"throughput": 0.05, "p50": 0.05}
    return Session(made, SIDES[0], SIDES[1], lost, budget, [], clock=lambda: made.time).decide(trials)


@pytest.mark.parametrize(
    ("speed", "verdict", "code"),
    [(1.0, Verdict.PASS, Outcome.PASS), (1.2, Verdict.PASS, Outcome.PASS), (0.9, Verdict.REGRESSED, Outcome.REGRESSED)],
)
def test_what_is_slower_regresses_and_what_is_not_passes(speed: float, verdict: Verdict, code: Outcome) -> None:
    made = Made(speed)
    rows = decided(made)
    assert {row.verdict for row in rows} == {verdict}
    assert outcome(rows) is code
    assert made.time < 200  # it did not wait for the budget's end
    throughput, latency = rows
    assert throughput.ratio.median == pytest.approx(speed, rel=0.02)  # new to base, whatever is better
    assert latency.ratio.median == pytest.approx(1 / speed, rel=0.02)
    assert throughput.as_ratio(throughput.limit) == pytest.approx(0.95)


def test_the_base_runs_against_itself_first_and_sides_take_turns() -> None:
    made = Made(1.0)
    decided(made)
    assert made.order[: 2 * SAME_PAIRS] == [(SAME, "base")] * 2 * SAME_PAIRS
    compared = [side for phase, side in made.order if phase == COMPARED]
    assert compared[:8] == ["base", "new", "new", "base"] * 2


def test_workloads_take_turns_until_each_is_decided() -> None:
    rows = decided(Made(1.0), names=("q1", "q4"))
    assert [row.query for row in rows] == ["q1", "q1", "q4", "q4"]
    assert {row.verdict for row in rows} == {Verdict.PASS}


@pytest.mark.parametrize("names", [("q1",), ("q1", "q4"), ("q1", "q2", "q3", "q4", "q15")])
def test_all_metrics_together_have_one_chance_of_a_false_alarm(names: tuple[str, ...]) -> None:
    rows = decided(Made(1.0), budget=1000, names=names)
    assert len(rows) == 2 * len(names)
    for row in rows:
        assert row.worse.coverage is not None
        assert (1 - row.worse.coverage) * len(rows) == pytest.approx(1 - CONFIDENCE)
        assert row.worse.n >= next(n for n in range(200) if rank(n, (1 - CONFIDENCE) / len(rows)))


def test_a_spent_budget_cannot_tell() -> None:
    made = Made(0.9)
    rows = decided(made, budget=18)
    assert {row.verdict for row in rows} == {Verdict.OPEN}
    assert outcome(rows) is Outcome.INCONCLUSIVE
    assert made.time <= 18


def test_a_base_that_differs_from_itself_widens_the_limits() -> None:
    rows = decided(Made(0.95, noise=0.3))
    assert all(row.limit > row.usual_limit for row in rows)
    assert Verdict.REGRESSED not in {row.verdict for row in rows}


def test_a_wrong_run_ends_the_session() -> None:
    with pytest.raises(NoAnswerError):
        decided(Made(1.0, wrong_after=15))


class NoisyFirst(Made):
    """The base differs from itself fourfold, and then everything is quiet."""

    def run(self, side: Side, phase: str) -> Record:
        found = super().run(side, phase)
        factor = 4 if phase == SAME and len(self.order) % 2 else 1
        return {
            **found,
            "throughput": factor * found["throughput"],
            "latency": {"p50": found["latency"]["p50"] / factor},
        }


@pytest.mark.parametrize(("speed", "verdict"), [(0.5, Verdict.OPEN), (1.0, Verdict.PASS)])
def test_what_passes_only_by_the_bases_own_noise_is_left_open(speed: float, verdict: Verdict) -> None:
    rows = decided(NoisyFirst(speed))
    assert min(row.limit for row in rows) > 3
    assert {row.verdict for row in rows} == {verdict}


@pytest.mark.parametrize(
    ("base", "new", "told"),
    [
        ({"answer_ok": True, "digest": "1"}, {"answer_ok": True, "digest": "2"}, None),  # SQL says so
        ({"digest": "1"}, {"digest": "1"}, None),
        ({"digest": "1"}, {"digest": "2"}, "is not the base's"),
        ({"answer_ok": None, "digest": "1"}, {"answer_ok": None, "digest": "2"}, "is not the base's"),
        ({"answer_ok": True, "digest": "1"}, {"answer_ok": None, "digest": "1"}, "no longer says answer_ok"),
        ({"sequence_ok": True, "digest": "1"}, {"digest": "1"}, "no longer says sequence_ok"),
    ],
)
def test_an_output_that_nothing_else_judges_is_that_of_the_base(
    base: dict[str, Any], new: dict[str, Any], told: str | None
) -> None:
    workload = Workload("mine", "run mine:build")
    if told is None:
        compare_answers(workload, base, new)
        return
    with pytest.raises(NoAnswerError, match=told):
        compare_answers(workload, base, new)


@pytest.mark.parametrize("command", ["run mine:build", "join a b", "bench topk"])
@pytest.mark.parametrize("new", [{}, {"digest": "1"}])
def test_answers_that_nothing_can_judge_have_no_verdict(command: str, new: dict[str, Any]) -> None:
    with pytest.raises(NoVerdictError, match="prints no digest"):
        compare_answers(Workload("mine", command), {}, new)
    compare_answers(Workload("mine", command), {}, {**new, "verified": True})
    compare_answers(Workload("mine", "topk {items} --column item"), {}, {})  # counts are exact
