"""A recorded run's decisions are decided again by the same controller, and any other one is told from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streambench.pyx.ordered.recorded_controller import DECIDED, TOLD

import streambench
import streambench.lab
from streambench.errors import OptionError
from streambench.execution.decisions import Decisions
from streambench.lab import MicroSpec, OperatorSpec
from streambench.lab.record import decision_log
from streambench.lab.record.replay import replay

SPEC = MicroSpec((OperatorSpec("sl", 0.1), OperatorSpec("ps", 0.3), OperatorSpec("ps", 0.1)), tuples=200_000)


@pytest.fixture(scope="module")
def result() -> streambench.lab.RunResult:
    return streambench.lab.run_micro(SPEC, workers=2, check=False, recorded=True)


@pytest.fixture(scope="module")
def decisions(result: streambench.lab.RunResult) -> Decisions:
    assert result.decisions is not None
    return result.decisions


def changed(decisions: Decisions, number: int, column: str, by: int) -> Decisions:
    """One number of a decision is another."""
    rows = decisions.rows.copy()
    place = TOLD.index(column) if column in TOLD else DECIDED.index(column) - len(DECIDED)
    rows[number, place] += by
    return replace(decisions, rows=rows)


def test_a_run_by_two_workers_is_decided_again_as_it_was(
    result: streambench.lab.RunResult, decisions: Decisions, tmp_path: Path
) -> None:
    assert len(decisions.rows) == decisions.asked > 10
    with (tmp_path / "log").open("wb") as file:
        decision_log.writer(decisions)(file)
    found = replay(decision_log.read(tmp_path / "log"))
    assert found.difference is None
    of_replay, of_run = ([{**each, "seconds": 0.0} for each in choices] for choices in (found.choices, result.choices))
    assert of_replay == of_run, "the engine's own list of choices, which nobody has replayed"


def test_a_log_holds_what_was_recorded(decisions: Decisions, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as file:
        decision_log.writer(decisions)(file)
    held = decision_log.read(tmp_path / "log")
    assert (held.rows == decisions.rows).all()
    for name in ("names", "kinds", "widths", "partitions", "workers", "ns_per_tick", "begun", "due", "asked"):
        assert getattr(held, name) == getattr(decisions, name), name
    assert held.constants == decisions.constants
    assert held.version == streambench.__version__


def test_a_changed_constant_is_told_by_the_first_decision_that_it_changes(decisions: Decisions) -> None:
    found = replay(decisions, {"early_look": 179_000.0, "calm_look": 4e6, "trial_look": 7e5, "paced_look": 0.4})
    assert found.difference is not None
    sooner = replay(decisions, {"first_look": 200_000.0}).difference
    assert sooner is not None
    assert sooner.number == -1
    assert "before the first decision" in str(sooner)


@pytest.mark.parametrize(
    ("column", "by", "what"),
    [
        ("unit", 1, "tuples to a unit"),
        ("in_flight", 3, "units that may be under way"),
        ("next_look", -1, "ticks until the next look"),
        ("heads", 2, "the plan"),
    ],
)
def test_a_changed_decision_is_found_where_it_stands(decisions: Decisions, column: str, by: int, what: str) -> None:
    number = len(decisions.rows) // 2
    difference = replay(changed(decisions, number, column, by)).difference
    assert difference is not None
    assert (difference.number, difference.what) == (number, what)
    assert f"from decision {number + 1} on" in str(difference)
    assert difference.now != difference.then
    if column == "unit":
        assert int(difference.then) == int(difference.now) + 1


def test_choices_end_where_the_first_difference_is(decisions: Decisions) -> None:
    whole = replay(decisions).choices
    found = replay(changed(decisions, 0, "unit", 1)).choices
    assert found == whole[: len(found)]
    assert len(found) < len(whole)


def test_nothing_is_kept_unless_asked_for() -> None:
    assert streambench.lab.run_micro(SPEC, workers=2, check=False).decisions is None


@pytest.mark.parametrize("engine", ["serial", "schemes"])
def test_engines_that_decide_nothing_are_refused(engine: str) -> None:
    with pytest.raises(OptionError, match="recorded keeps decisions of engine ordered"):
        streambench.lab.run_micro(SPEC, engine=engine, check=False, recorded=True)
