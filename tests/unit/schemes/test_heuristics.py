"""The heuristics (paper 000, section 6; walking on: paper 004) against their formulas, on hand-made states."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.schemes.heuristics import (
    CurrentThroughput,
    EstimatedTime,
    LastInPipeline,
    QueueSizeThrottling,
    Walking,
)
from streambench.pyx.schemes.scheduler import Heuristic

from streambench.execution.options import HEURISTICS
from streambench.pyx.schemes import heuristics

amounts = st.floats(0.001, 1e6)
amount_or_none = st.one_of(st.just(0.0), amounts)
one = st.fixed_dictionaries(
    {
        "schedulable": st.booleans(),
        "worklist": st.integers(0, 10_000),
        "workers": st.integers(0, 64),
        "max_workers": st.integers(1, 64),
        "cost": amount_or_none,
        "selectivity": st.one_of(st.just(0.0), st.floats(0.001, 100)),
        "window_time": amount_or_none,
    }
)


def throughputs(states: list[dict[str, Any]], time_slice: float) -> list[float]:
    """Equation 3, but with the cumulative selectivity of the operators *before* each: see CurrentThroughput."""
    found, before = [], 1.0
    for each in states:
        spent = each["window_time"] + each["workers"] * time_slice
        found.append(spent / (each["cost"] * before) if each["cost"] else float("-inf"))
        before = max(before * each["selectivity"], 1e-9)
    return found


@given(st.lists(one, max_size=24), amount_or_none)
def test_ct_takes_the_lowest_normalised_throughput(states: list[dict[str, Any]], time_slice: float) -> None:
    chosen = CurrentThroughput().choose_from(states, time_slice)
    open_to_work = [k for k, each in enumerate(states) if each["schedulable"]]
    if not open_to_work:
        assert chosen == -1
        return
    values = throughputs(states, time_slice)
    assert chosen == min(open_to_work, key=lambda k: (values[k], k))


@given(st.lists(one, min_size=1, max_size=24), amount_or_none, st.sampled_from([0.5, 2.0, 1024.0]))
def test_ct_does_not_care_for_the_unit_of_time(states: list[dict[str, Any]], time_slice: float, unit: float) -> None:
    """Powers of two, so that nothing is rounded."""
    scaled = [{**each, "cost": each["cost"] * unit, "window_time": each["window_time"] * unit} for each in states]
    heuristic = CurrentThroughput()
    assert heuristic.choose_from(scaled, time_slice * unit) == heuristic.choose_from(states, time_slice)


def test_ct_balances_a_pipeline_by_cost() -> None:
    """Alone and with one worker, each operator is given time in proportion to its cost per stream tuple."""
    costs, selectivities = [1.0, 4.0, 2.0], [1.0, 0.5, 1.0]
    states = [
        {
            "schedulable": True,
            "worklist": 1,
            "workers": 0,
            "max_workers": 8,
            "cost": cost,
            "selectivity": selectivity,
            "window_time": 0.0,
        }
        for cost, selectivity in zip(costs, selectivities, strict=True)
    ]
    for _ in range(6000):
        states[CurrentThroughput().choose_from(states, 0.0)]["window_time"] += 1.0
    times = [each["window_time"] for each in states]
    assert [round(time / 1000) for time in times] == [1, 4, 1]


def test_the_base_heuristic_chooses_nothing_and_names_are_known() -> None:
    assert Heuristic().choose_from([], 1.0) == -1
    for name in HEURISTICS:
        made = heuristics.make(name, 100.0)
        assert made.choose_from([], 1.0) == -1
        assert made.walks == (name == "walk")
    with pytest.raises(KeyError):
        heuristics.make("fifo", 1.0)
    with pytest.raises(KeyError):
        CurrentThroughput().choose_from([{}], 1.0)


def state(schedulable: bool = True, worklist: int = 1, **rest: Any) -> dict[str, Any]:
    known = {"workers": 0, "max_workers": 8, "cost": 1.0, "selectivity": 1.0, "window_time": 0.0}
    return {"schedulable": schedulable, "worklist": worklist, **known, **rest}


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=24), st.floats(1, 1e6))
def test_qst_thresholds_are_equation_1(selectivities: list[float], capacity: float) -> None:
    found = QueueSizeThrottling(capacity).thresholds(selectivities)
    cumulative = [math.prod(selectivities[: k + 1]) for k in range(len(selectivities))]
    assert found == pytest.approx([capacity * each / sum(cumulative) for each in cumulative])
    assert sum(found) == pytest.approx(capacity)


@given(st.lists(one, max_size=24), st.integers(1, 100_000))
def test_qst_takes_the_earliest_whose_output_queue_is_below_its_threshold(
    states: list[dict[str, Any]], capacity: int
) -> None:
    qst = QueueSizeThrottling(capacity)
    cumulative = [math.prod(each["selectivity"] for each in states[: k + 1]) for k in range(len(states))]
    total = sum(cumulative)

    def below(k: int) -> bool:
        if k == len(states) - 1 or states[k + 1]["worklist"] == 0:
            return True
        # Multiplied out, as nothing may flow behind an operator that drops everything.
        return states[k + 1]["worklist"] * total < capacity * cumulative[k]

    wanted = [k for k, each in enumerate(states) if each["schedulable"] and below(k)]
    assert qst.choose_from(states) == (wanted[0] if wanted else -1)


def test_qst_pushes_from_the_entry_until_a_queue_is_full_and_then_goes_on() -> None:
    qst = QueueSizeThrottling(30)  # three operators that pass all on: 10 tuples each
    assert qst.choose_from([state(), state(worklist=9), state()]) == 0
    assert qst.choose_from([state(), state(worklist=10), state(worklist=3)]) == 1
    assert qst.choose_from([state(), state(worklist=10), state(worklist=10)]) == 2
    assert qst.choose_from([state(), state(False, worklist=10), state(False, worklist=10)]) == -1


def test_qst_refuses_a_capacity_of_nothing() -> None:
    for capacity in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="capacity must be more than 0"):
            QueueSizeThrottling(capacity)


@given(st.lists(one, max_size=24), st.sampled_from([1, 8, 1000, 999_999_999]))
def test_lp_takes_the_latest_with_its_least_worklist_or_else_with_any(states: list[dict[str, Any]], least: int) -> None:
    open_to_work = [k for k, each in enumerate(states) if each["schedulable"]]
    full = [k for k in open_to_work if states[k]["worklist"] >= least]
    wanted = max(full or open_to_work, default=-1)
    assert heuristics.make(f"lp:{least}", 1.0).choose_from(states) == wanted
    if least == 1:
        assert LastInPipeline().choose_from(states) == wanted
        assert Walking().choose_from(states) == wanted  # so admission, the source, comes last


@given(st.lists(one, max_size=24), st.sampled_from([0.5, 2.0, 1024.0]))
def test_et_takes_the_longest_estimated_time_of_equation_2(states: list[dict[str, Any]], unit: float) -> None:
    def time(each: dict[str, Any]) -> float:
        return each["worklist"] * each["cost"] / (each["workers"] + 1) if each["cost"] else math.inf

    open_to_work = [k for k, each in enumerate(states) if each["schedulable"]]
    wanted = max(open_to_work, key=lambda k: (time(states[k]), -k), default=-1)
    assert EstimatedTime().choose_from(states) == wanted
    assert EstimatedTime().choose_from([{**each, "cost": each["cost"] * unit} for each in states]) == wanted


def test_et_prefers_fewer_workers_and_longer_worklists() -> None:
    assert EstimatedTime().choose_from([state(worklist=10, workers=1), state(worklist=6)]) == 1
    assert EstimatedTime().choose_from([state(worklist=14, workers=1), state(worklist=6)]) == 0
