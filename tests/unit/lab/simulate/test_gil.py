"""Functions that need the GIL gain nothing from simulated cores, as they gain nothing from real ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streambench
from streambench.execution.options import Options
from streambench.lab.simulate.simulate import SimulatedRun, simulate
from streambench.lab.simulate.times import Times
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.pyx.operator import Operator
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

CORES = 8
TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000, hand_over=5_000)


@streambench.mapped(emits=("value",), numba=False)
def tripled(value: int) -> int:
    return 3 * value


@streambench.keyed(key="value", state=[("seen", "int64")], emits=("value",), numba=False)
def counted(state: Any, value: int) -> int:
    state.seen += 1
    return value


def _over_values(operator: Operator) -> streambench.Pipeline:
    return streambench.Pipeline([TableSource([np.arange(12_800) % 100], ["value"]), operator, TableSink()])


def mapped_values() -> streambench.Pipeline:
    return _over_values(tripled)


def counted_values() -> streambench.Pipeline:
    return _over_values(counted)


def simulated(function: str, engine: str, cores: int) -> SimulatedRun:
    options = Options.of(engine=engine, unit=64, preload=True)
    (found,) = simulate(OwnWorkload(f"{__name__}:{function}"), options, [cores], times=TIMES)
    return found


@pytest.mark.parametrize("engine", ["schemes", "ordered"])
@pytest.mark.parametrize("function", ["mapped_values", "counted_values"])
def test_one_core_at_a_time_is_in_a_function_under_the_gil(function: str, engine: str) -> None:
    found = simulated(function, engine, CORES)
    assert found.first == "the GIL"
    assert 0.5 < found.parts["the GIL"] <= 1
    assert found.busy < 2 / CORES
    assert found.busy + found.waited + found.idle == pytest.approx(1, abs=0.1)


def test_of_one_core_nobody_waits_for_it() -> None:
    found = simulated("mapped_values", "schemes", 1)
    assert "the GIL" not in found.parts
    assert found.first == "the cores"
