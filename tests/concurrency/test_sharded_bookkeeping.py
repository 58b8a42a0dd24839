"""What the engine `ordered` tells its controller, admits at a time, and keeps of old plans."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streambench.pyx.ordered.ordered_engine import OrderedEngine

from streambench.pyx.table_source import BatchSource, TableSource

WHOLE = (0, 0)
CUT = (0b110, 0)
SHARDED = (0b110, 0b010)
PARTITIONS = 4
CREDIT = 16


def engine(operators: list[Any], cuts: tuple[int, int], *, workers: int, unit: int) -> Any:
    for each in operators:
        each.prepare(PARTITIONS)
    return OrderedEngine(
        operators,
        [PARTITIONS] * len(operators),
        workers=workers,
        unit_size=unit,
        credit=CREDIT,
        marker_interval=1024,
        cuts=cuts,
    )


def controller(kind: Any, operators: list[Any], *, workers: int, unit: int) -> Any:
    how = {"unit": unit, "free_plan": True, "credit": CREDIT, "latency_target": 1e-3}
    return kind(operators, [PARTITIONS] * len(operators), workers=workers, **how)


@pytest.mark.parametrize("cuts", [WHOLE, CUT, SHARDED])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("trickle", "full"), [(False, 960), (True, 0)])
def test_what_comes_in_full_units_is_told_apart(
    probes: SimpleNamespace, workers: int, cuts: tuple[int, int], trickle: bool, full: int
) -> None:
    """1000 tuples in units of 64, the last of them not full; or some at a time."""
    operators = [probes.Counting(1000, trickle=trickle), probes.KeyedSum(), probes.Recorder(keep=False)]
    running = engine(operators, cuts, workers=workers, unit=64)
    running.controller = controller(probes.Listener, operators, workers=workers, unit=64)
    running.run()
    assert running.egress.tuples_left() == 1000
    assert running.controller.in_full_units == full


@pytest.mark.parametrize("cuts", [WHOLE, CUT, SHARDED])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("laps", [1, 25])
def test_what_only_the_end_of_a_batch_or_a_lap_cuts_short_is_full(
    probes: SimpleNamespace, workers: int, cuts: tuple[int, int], laps: int
) -> None:
    """All of the first 20 units of 40 tuples, where a unit may have 64."""
    columns = [np.arange(1000 // laps), np.arange(1000 // laps)]
    batches = [[each[k : k + 40] for each in columns] for k in range(0, 1000, 40)]
    source = BatchSource(batches, ["key", "value"]) if laps == 1 else TableSource(columns, ["key", "value"], laps=laps)
    operators = [source, probes.KeyedSum(), probes.Recorder(keep=False)]
    running = engine(operators, cuts, workers=workers, unit=64)
    running.controller = controller(probes.Listener, operators, workers=workers, unit=64)
    running.run()
    assert running.egress.tuples_left() == 1000
    assert running.controller.in_full_units == 800


@pytest.mark.parametrize("workers", [1, 2])
def test_one_worker_takes_units_as_large_as_is_chosen_from_the_next_one_on(
    probes: SimpleNamespace, workers: int
) -> None:
    """Where no rate says when tuples come there is no backlog to be caught up with in steps."""
    source = probes.Noting(4_000)
    operators = [source, probes.KeyedSum(), probes.Recorder(keep=False)]
    running = engine(operators, WHOLE, workers=workers, unit=16)
    running.controller = controller(probes.Enlarging, operators, workers=workers, unit=0)
    running.run()
    assert source.units == [16] + [512] * 7 + [400]


@pytest.mark.parametrize("cuts", [CUT, SHARDED])
@pytest.mark.parametrize(("trickle", "peak"), [(False, CREDIT // 2 * 6), (True, 5)])
def test_units_are_taken_in_ahead_of_work_only_while_they_are_full(
    probes: SimpleNamespace, cuts: tuple[int, int], trickle: bool, peak: int
) -> None:
    """Then half of the credit. Of a stream that brings up to 5 tuples at a time one unit is under way: less latency."""
    gauge = probes.Gauge()
    operators = [
        probes.Counting(1000, trickle=trickle, gauge=gauge),
        probes.KeyedCount(2),
        probes.Recorder(gauge=gauge, keep=False),
    ]
    engine(operators, cuts, workers=1, unit=6).run()
    assert gauge.under_way == 0
    assert gauge.peak == peak


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_of_the_plans_there_have_been_few_stay_in_memory(probes: SimpleNamespace, workers: int) -> None:
    """The present one, and what each worker may still look at."""
    operators = [probes.Counting(1500), probes.KeyedSum(), probes.Total(), probes.Recorder(keep=False)]
    running = engine(operators, CUT, workers=workers, unit=1)
    running.controller = controller(probes.Fickle, operators, workers=workers, unit=1)
    running.controller.vary(7, 1, 1)
    running.run()
    assert running.egress.tuples_left() == 1500
    assert running.controller.changes > 100
    assert running.plans_in_memory <= workers + 1
