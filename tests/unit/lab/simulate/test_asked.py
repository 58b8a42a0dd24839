"""What ``simulate`` is asked: numbers of cores however they are given, a seed that the generator has, one stream."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import streambench
from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import Options
from streambench.lab.simulate.simulate import simulate
from streambench.lab.simulate.times import Times
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
OPTIONS = Options.of(engine="schemes", unit=64, preload=True)
_calls = itertools.count()


def steady() -> streambench.Pipeline:
    return streambench.Pipeline([TableSource([np.arange(640)], ["value"]), TableSink()])


def varying() -> streambench.Pipeline:
    return streambench.Pipeline([TableSource([np.arange(640) + next(_calls)], ["value"]), TableSink()])


def test_cores_may_come_one_by_one() -> None:
    found = simulate(OwnWorkload(f"{__name__}:steady"), OPTIONS, iter([1, 2]), times=TIMES)
    assert [each.cores for each in found] == [1, 2]


@pytest.mark.parametrize("seed", [-1, 1 << 63])
def test_a_seed_that_is_none_is_refused(seed: int) -> None:
    with pytest.raises(OptionError, match=rf"seed must be from 0 to 2\*\*63 - 1, not {seed}"):
        simulate(OwnWorkload(f"{__name__}:steady"), OPTIONS, [1], times=TIMES, seed=seed)


def test_a_function_that_builds_another_stream_each_time_is_told_so() -> None:
    with pytest.raises(StreambenchError, match="its function must build the same stream in every call"):
        simulate(OwnWorkload(f"{__name__}:varying"), OPTIONS, [1], times=TIMES)
