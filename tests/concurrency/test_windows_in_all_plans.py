"""Windows in every plan, with plans that change while they run, and any workers and units: one sequence."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streambench
from streambench import Pipeline, TableSink, TableSource
from streambench.pyx.windows.window_operators import KeyedWindows

SHAPES: tuple[dict[str, Any], ...] = (
    {"size": 20}, {"size": 20, "step": 7}, {"size": 3, "step": 5}, {"gap": 4}, {"rows": 5, "step": 2},
)  # fmt: skip
AGGREGATES: dict[str, Any] = {
    "n": "count", "total": ("sum", "v"), "low": ("min", "v"), "last": ("last", "v"), "distinct": ("distinct", "v"),
    "mean": ("mean", "v"),
}  # fmt: skip
SUMS: dict[str, Any] = {"n": "count", "total": ("sum", "v")}


def windows(
    aggregates: dict[str, Any], tuples: int, keys: int, options: dict[str, Any], by: str | tuple[str, ...], **how: Any
) -> list[list[Any]]:
    draw = np.random.default_rng(tuples)
    columns = [np.sort(draw.integers(0, tuples // 3, tuples)), draw.integers(0, keys, tuples), np.arange(tuples) % 17]
    made = streambench.window(aggregates, time="ts", by=by, **options)
    pipeline = Pipeline([TableSource(columns, ("ts", "k", "v")), made, TableSink()])
    pipeline.run(pin=False, **how)
    return [column.tolist() for column in pipeline.sink.rows()]


@pytest.mark.parametrize("seed", range(20))
def test_windows_are_the_same_while_plans_change(fickle: Callable[..., list[Any]], seed: int) -> None:
    draw = random.Random(seed)
    options, aggregates = SHAPES[seed % len(SHAPES)], draw.choice((AGGREGATES, SUMS))
    keys, tuples = draw.choice((1, 40, 3000, 20_000, 10**9)), draw.choice((500, 4000))
    by = draw.choice(("k", "k", ("k", "v"), ()))
    wanted = windows(aggregates, tuples, keys, options, by, engine="serial")
    controllers = fickle(draw.randrange(1 << 32), draw.choice((1, 2, 8)), draw.choice((1, 7, 60)))
    got = windows(
        aggregates, tuples, keys, options, by, workers=draw.choice((2, 4, 8)), partitions=draw.choice((2, 5, 16))
    )
    assert got == wanted
    assert controllers[0].changes > 0


@pytest.mark.parametrize("shape", [each for each in SHAPES if "rows" not in each], ids=str)
def test_a_state_that_is_divided_again_and_again_does_not_grow(shape: dict[str, Any]) -> None:
    columns = [np.arange(3000) // 3, np.arange(3000) % 11, np.arange(3000)]
    made = streambench.window(SUMS, time="ts", by="k", flush=False, **shape)
    pipeline = Pipeline([TableSource(columns, ("ts", "k", "v")), made, TableSink()])
    pipeline.run(engine="serial")
    windows = next(each for each in pipeline.operators if isinstance(each, KeyedWindows))
    saved = windows.save()
    sizes = []
    for _ in range(4):
        windows.prepare(5)
        windows.load(saved)
        saved = windows.save()
        sizes.append(len(saved["words"]))
    assert len({*sizes}) == 1
