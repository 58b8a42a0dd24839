"""Windows equal those of a naive model, whatever the definition, the stream, the engine, the workers and the units.

STREAMBENCH_STRESS=8 draws 10,000 definitions with their streams instead of 1,250.
"""

from __future__ import annotations

import math
import os
from typing import Any

import naive_windows as naive
import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from naive_windows import Naive, Tuple
from streambench.queries.baselines.window_loops import sliding, tumbling

import streambench
from streambench import Pipeline, TableSink, TableSource
from streambench.windows.window import Window

BLOCKS = 5 * int(os.environ.get("STREAMBENCH_STRESS", "1"))
NULL = -7
AGGREGATES: dict[str, Any] = {
    "rows": "count",
    **{each: (each, "value") for each in ("count", "sum", "mean", "var", "min", "max", "first", "last", "distinct")},
    "var0": ("var", "value", 0),
    "median": ("quantile", "value", 0.5),
    "low": ("quantile", "value", 0.1),
    "top": ("top_k", "value", 2),
}
PLANS: tuple[dict[str, Any], ...] = (
    {"engine": "serial"},
    {"workers": 1},
    *({"workers": workers, "partitions": partitions, "plan": plan, "pin": False}
      for workers, partitions in ((2, 3), (4, 7), (8, 2))
      for plan in ("auto", "whole", "cut", "sharded")),
    {"workers": 2, "partitions": 4, "heuristic": "ct", "pin": False},
)  # fmt: skip


@st.composite
def definitions(draw: st.DrawFn) -> Naive:
    shape = draw(st.sampled_from(("tumbling", "sliding", "session", "counted")))
    size = draw(st.one_of(st.integers(1, 12), st.sampled_from((100, 10**9, 2**40))))
    step = size
    if shape == "sliding" or (shape == "counted" and draw(st.booleans())):
        step = draw(st.one_of(st.integers(max(1, size // 40), max(1, size // 40) + 12), st.just(max(1, size // 3))))
    origin = draw(st.integers(0, 20)) if shape in ("tumbling", "sliding") else 0
    return Naive(shape, min(size, 12) if shape == "counted" else size, step, origin % step, draw(st.booleans()))


@st.composite
def streams(draw: st.DrawFn) -> list[Tuple]:
    floating = draw(st.booleans())
    steps = st.sampled_from((0, 0, 0, 1, 1, 2, 3, 5, 12, draw(st.sampled_from((13, 1000, 10**12)))))
    value = st.floats(-1e6, 1e6, width=32) if floating else st.one_of(st.integers(-5, 5), st.integers(-(2**31), 2**31))
    keys = draw(st.sampled_from((1, 2, 7, 1000)))
    time = draw(st.sampled_from((0, -17, 5, -(2**50), 2**61)))
    found: list[Tuple] = []
    for _ in range(draw(st.integers(0, 60))):
        time += draw(steps)
        given = draw(value)
        found.append((time, draw(st.integers(-keys, keys)), None if given == NULL or draw(st.booleans()) else given))
    return found


def operator(of: Naive, by: tuple[str, ...], aggregates: dict[str, Any], **more: Any) -> Window:
    options: dict[str, Any] = {"rows": of.size, "step": of.step} if of.shape == "counted" else {"gap": of.size}
    if of.shape in ("tumbling", "sliding"):
        options = {"size": of.size, "step": of.step, "origin": of.origin, "fill": of.fill}
    return streambench.window(aggregates, time="time", by=by, flush=of.flush, **options, **more)


def source(tuples: list[Tuple], floating: bool) -> TableSource:
    null = math.nan if floating else NULL
    columns = [
        np.array([time for time, _, _ in tuples], np.int64),
        np.array([key for _, key, _ in tuples], np.int64),
        np.array([null if value is None else value for _, _, value in tuples], "float64" if floating else "int64"),
    ]
    return TableSource(columns, ("time", "key", "value"))


def emitted(tuples: list[Tuple], made: Window, floating: bool, how: dict[str, Any]) -> list[tuple[Any, ...]]:
    pipeline = Pipeline([source(tuples, floating), made, TableSink()])
    pipeline.run(**how)
    return list(zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True))


def expected(
    tuples: list[Tuple], of: Naive, keyed: bool, floating: bool, names: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    given = tuples if keyed else [(time, (), value) for time, _, value in tuples]
    computed = naive.aggregates(math.nan if floating else NULL, floating)
    return [
        (start, end, *([key] if keyed else []), *(each for name in names for each in computed[name](values)))
        for start, end, key, values in naive.windows(given, of)
    ]


def alike(got: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> None:
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-3, nan_ok=True)


DRAWN: dict[str, Any] = {
    "of": definitions(),
    "tuples": streams(),
    "keyed": st.booleans(),
    "how": st.sampled_from(PLANS),
    "unit": st.integers(1, 70),
    "names": st.sampled_from((tuple(AGGREGATES), ("rows", "sum"), ("sum",), ("sum", "rows", "count"))),
    "apart": st.sampled_from((1, 700, 10**12)),
}


def equal_the_model(
    of: Naive, tuples: list[Tuple], keyed: bool, how: dict[str, Any], unit: int, names: tuple[str, ...], apart: int
) -> None:
    """``apart``: from one key to the next; keys that are small integers are held in another way."""
    floating = any(isinstance(value, float) for _, _, value in tuples)
    with_nulls = "count" in names
    tuples = [(time, key * apart, value if with_nulls else value or 0) for time, key, value in tuples]
    nulls = {"value": NULL} if with_nulls and not floating else None
    made = operator(of, ("key",) if keyed else (), {name: AGGREGATES[name] for name in names}, nulls=nulls)
    alike(emitted(tuples, made, floating, {**how, "unit": unit}), expected(tuples, of, keyed, floating, names))


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("keys", [3, 5000, 60_000])
@pytest.mark.parametrize("shape", ["tumbling", "sliding"])
def test_windows_of_many_keys_are_those_of_a_loop(shape: str, keys: int, workers: int) -> None:
    """Which keys are held by themselves, and which in a hash table, changes while the stream goes on."""
    random = np.random.default_rng(5)
    n, step, panes = 100_000, 2500, 6
    key = np.where(np.arange(n) < n // 2, random.integers(0, 1 + keys // 50, n), random.integers(0, keys, n))
    columns = [np.sort(random.integers(0, n, n)), key, random.integers(-(2**62), 2**62, n)]
    out = np.empty((5, 3_000_000), np.int64)
    found = tumbling(*columns, step, keys, out) if shape == "tumbling" else sliding(*columns, step, panes, keys, out)
    more = {"size": panes * step, "step": step} if shape == "sliding" else {"size": step}
    made = streambench.window({"n": "count", "total": ("sum", "value")}, time="time", by="key", **more)
    pipeline = Pipeline([TableSource(columns, ("time", "key", "value")), made, TableSink()])
    pipeline.run(**({"workers": workers, "pin": False} if workers else {"engine": "serial"}))
    for got, wanted in zip(pipeline.sink.rows(), out[:, :found], strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("unit", [50, 4096])
@pytest.mark.parametrize("gap", [1, 500, 5000])
@pytest.mark.parametrize("how", [{"engine": "serial"}, {"workers": 2, "partitions": 3, "pin": False}], ids=str)
def test_many_sessions_equal_the_model(how: dict[str, Any], gap: int, unit: int) -> None:
    """Some end at once, as time leaps, most while others go on."""
    random = np.random.default_rng(6)
    times = np.sort(random.integers(-5000, 5000, 8000))
    times[5000:] += 10**12
    keys = random.integers(0, 900, 8000)
    tuples = [(time, key, 1) for time, key in zip(times.tolist(), keys.tolist(), strict=True)]
    of = Naive("session", gap, gap)
    made = operator(of, ("key",), {"rows": "count"})
    expected = [(start, end, key, len(values)) for start, end, key, values in naive.windows(tuples, of)]
    assert emitted(tuples, made, False, {**how, "unit": unit}) == expected


@settings(max_examples=120, deadline=None)
@given(**DRAWN)
def test_windows_equal_the_naive_model(**drawn: Any) -> None:
    equal_the_model(**drawn)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(BLOCKS))
def test_many_random_windows_equal_the_naive_model(number: int) -> None:
    drawn = settings(max_examples=250, deadline=None, derandomize=False, database=None)(given(**DRAWN)(equal_the_model))
    seed(number)(drawn)()
