"""Looks at a run, as fast as they come, beside workers with yields injected: none goes back, none tells too much."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import Step, build
from streambench.pyx.machine.yield_points import inject

from streambench.execution import engines
from streambench.execution.glance import Glance, glance
from streambench.execution.options import Options
from streambench.execution.settled import settle

TUPLES = 3_000
SHAPE = (Step("Map"), Step("KeyedCount"), Step("Number"), Step("FreeCount"))  # a tuple out for each one in
WAYS: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "whole": {"plan": "whole"},
    "sharded": {"plan": "sharded"},
    "plans that change": {"plan": "cut"},
    "schemes": {"heuristic": "ct"},
    "shared worklists": {"heuristic": "lp", "partitioning": "shared", "reorder": "lock"},
}


def require_later(now: Glance, before: Glance) -> None:
    assert before.tuples <= now.tuples <= TUPLES
    assert before.markers <= now.markers
    assert before.marker_seconds <= now.marker_seconds * 1.001  # the clock's rate gets known better
    for row, old in zip(now.rows, before.rows, strict=True):
        assert row.operators == old.operators
        assert old.tuples_in <= row.tuples_in <= TUPLES
        assert old.tuples_out <= row.tuples_out <= TUPLES
        assert old.visits <= row.visits
        assert row.waiting is None or 0 <= row.waiting.units <= TUPLES
        assert row.waiting is None or 0 <= row.waiting.passed <= TUPLES


@pytest.mark.parametrize("way", WAYS)
def test_looks_under_stress_never_go_back_and_tell_of_no_tuple_twice(
    probes: SimpleNamespace, fickle: Callable[..., Any], way: str
) -> None:
    if way == "plans that change":
        fickle(1, 2, 10)
    looks = 0
    for seed in range(2):
        options = settle(Options(workers=4, unit=8, credit=8, partitions=3, rate=1e5, pin=False, **WAYS[way]))
        pipeline = build(probes, SHAPE, TUPLES)
        engine = engines.make(pipeline, options, profiled=False)
        inject(20, seed)
        before = glance(engine, options.engine)
        assert (before.tuples, before.markers) == (0, 0)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(engine.run, lambda tuples: None)
            while not running.done():
                now = glance(engine, options.engine)
                require_later(now, before)
                before, looks = now, looks + 1
        running.result()
        last = glance(engine, options.engine)
        require_later(last, before)
        assert last.tuples == TUPLES
        assert all(row.tuples_in == row.tuples_out == TUPLES for row in last.rows[:-1])
        assert all(row.waiting is None or row.waiting.units == 0 for row in last.rows)
    assert looks > 10, "nothing was looked at"
