"""A worker's account has all of its time on a core, however short the run: the system's ticks are longer than some."""

from __future__ import annotations

import numpy as np

import streambench
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

SHORT, TIMES = 500, 20


@streambench.mapped(emits=("value",), numba=False)
def tripled(value: int) -> int:
    return 3 * value


def on_core(tuples: int) -> int:
    """Nanoseconds that the one worker had a core for."""
    pipeline = streambench.Pipeline([TableSource([np.arange(tuples)], ["value"]), tripled, TableSink()])
    measured = execute(pipeline, Options(engine="serial", pin=False))
    ((cpu_ns, _, _),) = measured.accounts
    return int(cpu_ns)


def test_short_runs_take_what_a_long_one_takes_for_as_many_tuples() -> None:
    assert sum(on_core(SHORT) for _ in range(TIMES)) > on_core(SHORT * TIMES) / 2
