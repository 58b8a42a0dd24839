"""CT (section 6.4, equation 3) against the formula in plain Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.scheduler import HEURISTICS, CurrentThroughput, Heuristic

amounts = st.floats(0.001, 1e6)
one = st.fixed_dictionaries(
    {
        "schedulable": st.booleans(),
        "worklist": st.integers(0, 10_000),
        "workers": st.integers(0, 64),
        "max_workers": st.integers(1, 64),
        "cost": st.one_of(st.just(0.0), amounts),
        "selectivity": st.one_of(st.just(0.0), st.floats(0.001, 100)),
        "window_time": st.one_of(st.just(0.0), amounts),
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


@given(st.lists(one, max_size=24), st.floats(0.0, 1e6))
def test_ct_takes_the_lowest_normalised_throughput(states: list[dict[str, Any]], time_slice: float) -> None:
    chosen = CurrentThroughput().choose_from(states, time_slice)
    open_to_work = [k for k, each in enumerate(states) if each["schedulable"]]
    if not open_to_work:
        assert chosen == -1
        return
    values = throughputs(states, time_slice)
    assert chosen == min(open_to_work, key=lambda k: (values[k], k))


@given(st.lists(one, min_size=1, max_size=24), st.floats(0.0, 1e6), st.sampled_from([0.5, 2.0, 1024.0]))
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
    assert set(HEURISTICS) == {"ct"}
    with pytest.raises(KeyError):
        CurrentThroughput().choose_from([{}], 1.0)
