"""A look at a run from outside: with every engine it never goes back, and in the end it is what the profile says."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import streambench
from streambench.execution.execute import execute
from streambench.execution.glance import Glance, Spectator
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TUPLES = 40_000


class Looks(Spectator):
    def __init__(self) -> None:
        self.seen: list[Glance] = []

    def look(self, glance: Glance) -> None:
        self.seen.append(glance)


@streambench.stateless(appends="twice", numba=False)
def doubled(value: Any, twice: Any) -> None:
    twice[:] = 2 * value


@streambench.stateful(state=[("so_far", "int64")], appends="total", numba=False)
def summed(state: Any, twice: Any, total: Any) -> None:
    total[:] = state.so_far + np.cumsum(twice)
    state.so_far = total[-1]


def looked_at(**how: Any) -> tuple[list[Glance], Any]:
    pipeline = Pipeline([TableSource([np.arange(TUPLES)], ["value"]), doubled, summed, TableSink(keep=False)])
    looks = Looks()
    measured = execute(pipeline, Options(pin=False, unit=64, rate=100_000.0, **how), looks)
    return looks.seen, measured


ENGINES = (
    {"engine": "serial"},
    {"workers": 2, "plan": "whole"},
    {"workers": 2, "plan": "cut"},
    {"workers": 2, "heuristic": "ct"},
)


@pytest.mark.parametrize("how", ENGINES, ids=["serial", "whole", "cut", "schemes"])
def test_looks_never_go_back_and_end_with_what_the_profile_says(how: dict[str, Any]) -> None:
    seen, measured = looked_at(**how)
    assert len(seen) > 1, "the run was looked at while it lasted"
    for before, after in pairwise(seen):
        assert before.seconds <= after.seconds
        assert before.tuples <= after.tuples
        assert before.markers <= after.markers
        for row, later in zip(before.rows, after.rows, strict=True):
            assert row.tuples_in <= later.tuples_in
            assert row.visits <= later.visits
            assert row.waiting is None or row.waiting.units >= 0
    last = seen[-1]
    assert last.tuples == measured.tuples == TUPLES
    assert last.markers == len(measured.markers[0])
    entered, left = measured.markers[1:]
    # The clock's rate is measured from look to look, and is known better after the run.
    assert last.marker_seconds == pytest.approx(float((left - entered).sum()), rel=1e-3)
    told = [(list(row.operators), row.tuples_in, row.tuples_out, row.visits) for row in last.rows]
    names = ("operators", "tuples_in", "tuples_out", "visits")
    of_profile = [tuple(each[name] for name in names) for each in measured.profile]
    assert told == ([] if how.get("engine") == "serial" else of_profile)
    assert all(row.waiting is None or row.waiting.units == 0 for row in last.rows)


def test_what_waits_stands_at_the_first_operator_of_a_segment() -> None:
    for plan, begins in (("whole", [False, True, False, False]), ("cut", [False, False, True, True])):
        seen, _ = looked_at(workers=2, plan=plan)
        assert [row.waiting is not None for row in seen[-1].rows] == begins


def test_what_an_operator_is_flushed_of_does_not_wait_at_those_before_it(probes: SimpleNamespace) -> None:
    source = TableSource([np.arange(100), np.arange(100)], ["key", "value"])
    pipeline = Pipeline([source, probes.Number(2), probes.Total(), TableSink(keep=False)])
    looks = Looks()
    execute(pipeline, Options(pin=False, workers=2, plan="cut"), looks)
    assert pipeline.sink.tuples == 101
    assert [row.waiting.units for row in looks.seen[-1].rows if row.waiting] == [0, 0, 0]
