"""What a controller decided on simulated cores, it decides again where it is told the same: it is the one that runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.simulated_cores import MOST_CORES, SimulatedCores

import streambench
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.record.replay import replay
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

TIMES = {"near_line": 80.0, "far_line": 200.0, "stream_line": 10.0, "pause": 20.0, "to_yield": 400.0}
TIMES |= {"wake_up": 40_000.0, "account": 1_000.0}
NOTHING = Costs(np.empty((0, 3), dtype=np.int64), np.empty((0, 2)))


def made_up(keyed: float) -> Costs:
    """ns of a tuple in the operator in the middle, beside 10 before it and 1 behind it."""
    work = [(kind, place, 64) for place in (1, 2, 3) for kind in (Work.APPLY, Work.PROCESS)]
    times = [[0.0, 64 * each] for each in (10.0, keyed, 1.0)]
    return Costs(np.array(work, dtype=np.int64), np.repeat(times, 2, axis=0))


@pytest.mark.parametrize("laps", [1, 400])
def test_short_batches_and_short_laps_have_their_plan_chosen_by_trials(probes: Any, laps: int) -> None:
    """Of 675 tuples, less than half of the unit that is wanted: no unit is full, but there always is a next one."""
    tuples = 675 * 400 // laps
    columns = [np.arange(tuples) % 97, np.arange(tuples)]
    batches = [[each[k : k + 675] for each in columns] for k in range(0, tuples, 675)]
    source = BatchSource(batches, ["key", "value"]) if laps == 1 else TableSource(columns, ["key", "value"], laps=laps)
    pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
    with SimulatedCores(made_up(80.0), TIMES):
        found = execute(pipeline, settle(Options(engine="ordered", workers=2, pin=False), 2))
    plans = [each["plan"] for each in found.choices]
    assert found.choices[-1]["unit"] > 2 * 675
    assert sum(plans[k] != plans[k - 1] for k in range(1, len(plans))) >= 3, plans


def slow_to_share(tuples: int) -> tuple[streambench.Pipeline, Costs]:
    """Two keyed operators of 50 ns a tuple, of 150 where tuples or state come from another core."""
    work = [(kind, k, 64, moved) for k in (1, 2) for kind in (Work.APPLY, Work.PROCESS) for moved in range(4)]
    costs = Costs(np.array(work, dtype=np.int64), np.array([[0.0, 64 * 50.0 * (3 if each[3] else 1)] for each in work]))
    spec = MicroSpec((OperatorSpec("ps", 0.0), OperatorSpec("ps", 0.0)), tuples=tuples, tuple_size=2)
    return MicroWorkload(spec).pipeline(Options(engine="ordered", preload=True), keep=False), costs


def test_a_slow_segment_is_not_hidden_by_the_one_that_goes_ahead_of_it() -> None:
    """In a cut the first operator may go ahead for as many units as may be under way. As long as it does, more work is
    done than reaches the sink, and the plan whole that comes after it has to do the rest."""
    seconds = {}
    for plan in ("auto", "whole", "cut"):
        pipeline, costs = slow_to_share(1_000_000)
        with SimulatedCores(costs, TIMES):
            found = execute(
                pipeline, settle(Options(engine="ordered", workers=2, pin=False, preload=True, plan=plan), 2)
            )
        seconds[plan] = found.seconds
        if plan == "auto":
            assert len(found.choices) > 2, "it never tried another plan"
            assert found.choices[-1]["plan"] == "whole"
    assert seconds["cut"] > 1.3 * seconds["whole"]
    assert seconds["auto"] < 1.1 * seconds["whole"]


def test_its_decisions_are_those_of_a_controller_that_is_told_the_same(probes: Any) -> None:
    source = TableSource([np.arange(300_000) % 97, np.arange(300_000)], ["key", "value"])
    pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
    with SimulatedCores(made_up(400.0), TIMES):
        found = execute(pipeline, settle(Options(engine="ordered", workers=12, pin=False), 12), recorded=True)
    assert found.core_costs == {"line": 80.0, "byte": 10.0 / 64}
    assert found.decisions is not None
    assert found.decisions.how["costs"] == found.core_costs
    assert len(found.decisions.rows) > 10
    assert found.choices[-1]["plan"] != "whole"
    assert replay(found.decisions).difference is None


@pytest.mark.parametrize(("per_socket", "line"), [(MOST_CORES, 80.0), (2, 140.0)])
def test_it_is_told_what_the_simulated_cores_take_to_share(per_socket: int, line: float) -> None:
    """The mean of the way to the next core and to the last one."""
    assert SimulatedCores(NOTHING, TIMES, per_socket).core_costs(12) == {"line": line, "byte": 10.0 / 64}
