"""What cores take to share is told to the controller, decides what is worth a trial, and is part of a recording."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, operators, segments_pay
from streambench.pyx.ordered.controller import Controller
from streambench.pyx.ordered.core_costs import assumed
from streambench.pyx.ordered.cost_model import choose, predict
from streambench.pyx.ordered.recorded_controller import RecordedController

from streambench.execution.decisions import Decisions
from streambench.pyx.operator import Stateful, Stateless

NEAR = {"line": 15.0, "byte": 0.02}
FAR = {"line": 220.0, "byte": 0.1}
CHEAP = [(2, 1.0, 1.0, 8.0, 1), (2, 4.0, 1.0, 16.0, 1), (2, 4.0, 1.0, 16.0, 1)]  # kind, ns, rows, bytes, partitions


def ratio(costs: dict[str, float] | None, unit: int = 4096) -> float:
    """What the best plan with segments takes by the model, over what one worker takes."""
    time, _, _, whole = choose(CHEAP, 2, unit, costs=costs)
    return float(time / whole)


def test_cheap_operators_are_worth_a_cut_between_cores_that_are_near_and_none_between_cores_that_are_far() -> None:
    assert ratio(NEAR, unit=128) < 0.97 < ratio(FAR, unit=128)
    assert ratio(NEAR) < ratio(FAR)


def test_a_keyed_operator_is_shared_out_unless_each_visit_of_a_partition_takes_lines_that_are_dear() -> None:
    keyed = [(2, 1.0, 1.0, 8.0, 1), (1, 60.0, 1.0, 16.0, 8), (2, 1.0, 1.0, 16.0, 1)]
    sharded = [choose(keyed, 2, 512, costs={"line": line, "byte": 0.02})[2] for line in (15.0, 2_000.0)]
    assert sharded == [[1], []]


def test_a_plan_takes_the_lines_and_the_bytes_of_each_boundary() -> None:
    heads, sharded, unit = [1, 2], [], 100
    free, lines, both = (
        predict(CHEAP, 1, unit, heads, sharded, costs=each)
        for each in ({"line": 0.0, "byte": 0.0}, {"line": 7.0, "byte": 0.0}, {"line": 7.0, "byte": 0.5})
    )
    assert lines - free == pytest.approx(2 * 3 * 7.0 / unit)
    assert both == lines, "one worker takes nothing from another"


def test_bytes_come_while_the_operator_computes_and_take_time_only_where_they_take_longer() -> None:
    heads, sharded = [1, 2], []
    free, less, as_long, longer = (
        predict(CHEAP, 2, 100, heads, sharded, costs={"line": 0.0, "byte": byte}) for byte in (0.0, 0.3, 0.5, 2.0)
    )
    assert free == less == as_long == 4.5, "every second unit's 16 bytes come from the other core, in 4 ns at most"
    assert longer == pytest.approx(free + 0.5 * 2 * (0.5 * 2.0 * 16.0 - 4.0))


def test_the_controller_tries_no_plan_that_far_cores_make_hopeless() -> None:
    changes = []
    for line in (15.0, 1e6):
        run = Simulated(keyed_pair(), COSTS, segments_pay, how={"costs": {"line": line, "byte": 0.02}})
        run.run(1)
        changes.append(run.changes)
    assert changes[0] > 0 == changes[1]


def test_narrow_columns_are_worth_a_trial_where_as_many_wide_ones_are_not() -> None:
    """Two columns each: of 8 bytes a value, if nothing else is said, or of one."""
    changes = []
    for row_bytes in (None, [16] * 5, [2] * 5):
        how = {"costs": {"line": 15.0, "byte": 60.0}, "row_bytes": row_bytes}
        run = Simulated(keyed_pair(), COSTS, segments_pay, how=how)
        run.run(1)
        changes.append(run.changes)
    assert changes[0] == changes[1] == 0 < changes[2]


def test_an_operator_tells_the_bytes_of_a_row_that_it_emits() -> None:
    found = Stateless()
    found.reads = {"day": "int16", "cents": "int32"}
    found.columns = ("cents", "sum", "share")
    found.types = ("=cents", "int64", "float32")
    assert found.row_bytes == 24, "nothing is known of it yet"
    found.bind((("day", np.dtype("int16")), ("cents", np.dtype("int32"))))
    assert found.row_bytes == 4 + 8 + 4


def test_who_is_told_nothing_goes_by_what_is_assumed() -> None:
    assert ratio(None) == ratio(assumed())
    runs = [Simulated(keyed_pair(), COSTS, segments_pay, how={"costs": each}) for each in (None, assumed())]
    for run in runs:
        run.run(1)
    assert runs[0].spent == runs[1].spent


def test_a_recording_has_them_and_a_controller_made_of_it_too() -> None:
    made = operators(Stateful)
    how: dict[str, Any] = {"unit": 0, "free_plan": True, "credit": 16, "latency_target": 1e-3, "costs": FAR}
    controller = RecordedController(made, [4, 4, 4], workers=2, **how)
    controller.begin_at(0)
    decisions = Decisions.of(made, controller)
    assert decisions.how["costs"] == FAR
    assert Decisions(**vars(decisions)).controller().unit == controller.unit


@pytest.mark.parametrize(
    "costs",
    [{}, {"line": 30.0}, {**NEAR, "page": 1.0}, {**NEAR, "line": -1.0}, {**NEAR, "byte": float("nan")}],
)
def test_costs_that_cannot_be_are_refused(costs: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="what cores take to share"):
        Controller(operators(Stateful), [4, 4, 4], workers=2, unit=0, free_plan=True, credit=16, latency_target=1e-3,
                   costs=costs)  # fmt: skip
