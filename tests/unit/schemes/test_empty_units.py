"""Units of which nothing is left pass by: no heuristic sees them, and they reach the sink all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streambench
from streambench import Pipeline, TableSink, TableSource
from streambench.execution.options import HEURISTICS

TUPLES, MARKERS = 8_000, 100


def run(keep: int, **how: Any) -> tuple[Any, list[int]]:
    """A filter, a running count by key and a sink, over tuples of which those with a key below ``keep`` are left."""

    @streambench.keyed(key="key", state=[("n", "int64")], appends="n", numba=False)
    def counted(state: Any, key: int) -> int:
        state["n"] += 1
        return int(state["n"])

    source = TableSource([np.arange(TUPLES) % 1000], ["key"])
    pipeline = Pipeline([source, streambench.filtered(lambda key: key < keep, numba=False), counted, TableSink()])
    options = {"unit": 1, "partitions": 4, "fuse": False, "markers": MARKERS, "pin": False, **how}
    result = pipeline.run(engine="schemes", **options)
    return result, [each.tolist() for each in pipeline.sink.rows()]


@pytest.mark.parametrize("reorder", ["nonblocking", "lock", "ticket"])
@pytest.mark.parametrize("heuristic", [*HEURISTICS, "lp:2000"])
@pytest.mark.parametrize(("workers", "credit"), [(1, 2), (2, 16), (8, 16), (2, 16384)])
@pytest.mark.parametrize("keep", [0, 1])
def test_a_stream_of_which_little_is_left_ends(
    keep: int, workers: int, credit: int, heuristic: str, reorder: str
) -> None:
    result, rows = run(keep, workers=workers, credit=credit, heuristic=heuristic, reorder=reorder)
    assert result.tuples == TUPLES
    assert (rows[-1] if rows else []) == list(range(1, keep * TUPLES // 1000 + 1))


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_operators_are_visited_for_tuples_and_markers_alone(heuristic: str) -> None:
    result, _ = run(1, workers=1, heuristic=heuristic)
    left = TUPLES // 1000
    counted, sink = result.profile[-2:]
    assert counted["tuples_in"] == left
    assert counted["visits"] <= left + MARKERS + 1
    assert sink["visits"] <= 2 * (left + MARKERS) + 1
