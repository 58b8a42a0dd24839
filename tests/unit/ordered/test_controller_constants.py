"""The controller's constants, as a test or a simulator sets them; and the controller from Python."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, operators, segments_pay
from streambench.pyx.ordered.controller import Controller
from streambench.pyx.ordered.controller_constants import standard
from streambench.pyx.ordered.cost_model import predict

from streambench.pyx.machine.clock import ticks_per_second
from streambench.pyx.operator import Stateful
from streambench.pyx.ordered import controller

PAIR = [(2, 50.0, 1.0, 8.0, 4), (1, 50.0, 1.0, 8.0, 4), (2, 1.0, 1.0, 8.0, 4)]  # kind, ns, rows, bytes, partitions


def made(**how: Any) -> Any:
    given = {"workers": 2, "unit": 0, "free_plan": True, "credit": 16, "latency_target": 1e-3, **how}
    return Controller(operators(Stateful), [4, 4, 4], **given)


def test_a_controller_has_the_constants_that_it_is_given_and_else_the_standard_ones() -> None:
    assert made().constants == standard()
    assert made(constants={"first_unit": 7}).constants == {**standard(), "first_unit": 7}
    assert made(constants={"first_unit": 7}).unit == 7
    assert standard()["first_unit"] != 7, "one controller's constants are not another's"


def test_constants_that_are_given_are_gone_by() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"constants": {"largest_unit": 100, "hopeless": 0.0}})
    run.run(2)
    assert run.controller.unit == 100
    assert run.changes == 0, "no plan is worth a trial"


def test_what_handing_over_costs_is_given_to_the_model() -> None:
    usual, dearer = (predict(PAIR, 2, 64, [1], [], constants) for constants in (None, {"handoff_lines": 200.0}))
    assert dearer > usual + 20.0


@pytest.mark.parametrize(
    ("constants", "problem"),
    [
        ({"larger_unit": 1}, "the controller has no constant 'larger_unit': choose from first_unit, "),
        ({"unusual": -1.0}, "the controller's unusual must be no less than 0, not -1.0."),
        ({"unusual": float("nan")}, "the controller's unusual must be no less than 0, not nan."),
        ({"first_unit": 0}, "the controller's first_unit must be 1 or more, not 0."),
        ({"averaged": 0}, "the controller's averaged must be 1 or more, not 0."),
    ],
)
def test_constants_that_cannot_be_are_refused(constants: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem.replace(".", r"\.")):
        made(constants=constants)


def test_meters_of_other_operators_are_refused() -> None:
    fresh = made()
    fresh.begin_at(0)
    with pytest.raises(ValueError, match="there are meters of 2 operators, but the pipeline has 3"):
        fresh.decide_on(10**9, 10**6, [(1, 1, 1)] * 2)


def test_a_plan_may_be_given_by_its_bits() -> None:
    assert made(cuts=(0b110, 0b010), free_plan=False).plan == ([1, 2], [1])


def test_ticks_are_the_machines_unless_they_are_given() -> None:
    for ns_per_tick in (0.0, 4.0):
        begun = made(ns_per_tick=ns_per_tick)
        begun.begin_at(1000)
        ns = (begun.next_decision - 1000) * (ns_per_tick or 1e9 / ticks_per_second())
        assert ns == pytest.approx(standard()["first_look"], rel=1e-4)


def test_the_example_of_the_controller_is_right() -> None:
    found = doctest.testmod(controller)
    assert (found.failed, found.attempted > 5) == (0, True)
