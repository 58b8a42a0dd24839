"""Sketches of distinct and most frequent values keep within the error that is stated, in windows of every shape."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import streambench
from streambench import Pipeline, TableSink, TableSource

SHAPES: tuple[dict[str, Any], ...] = (
    {"size": 5000}, {"size": 5000, "step": 700}, {"gap": 3}, {"rows": 4000, "step": 900},
)  # fmt: skip
HOW: tuple[dict[str, Any], ...] = ({"engine": "serial"}, {"workers": 2, "partitions": 3, "unit": 700, "pin": False})


def emitted(values: npt.NDArray[Any], aggregates: dict[str, Any], how: dict[str, Any], **options: Any) -> list[Any]:
    columns = [np.arange(len(values)), np.arange(len(values)) % 2, values]
    made = streambench.window(aggregates, **options)
    pipeline = Pipeline([TableSource(columns, ("ts", "k", "v")), made, TableSink()])
    pipeline.run(**how)
    return [column.tolist() for column in pipeline.sink.rows()]


@pytest.mark.parametrize("kind", ["int64", "float64", "int16"])
@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_distinct_values_are_estimated_within_five_standard_errors(options: dict[str, Any], kind: str) -> None:
    values = np.random.default_rng(2).zipf(1.2, 30_000) % 30_000
    aggregates = {"exact": ("distinct", "v"), "close": ("distinct", "v", 0.01), "rough": ("distinct", "v", 0.1)}
    for by in ((), ("k",)):
        *_, exact, close, rough = emitted(values.astype(kind), aggregates, HOW[0], by=by, **options)
        assert len(exact) > 1 or "gap" in options
        np.testing.assert_allclose(close, exact, rtol=5 * 0.01)
        np.testing.assert_allclose(rough, exact, rtol=5 * 0.1)
        assert emitted(values.astype(kind), aggregates, HOW[1], by=by, **options)[-2:] == [close, rough]


def test_the_standard_error_of_distinct_values_is_the_one_stated() -> None:
    """Over windows of as many different values each, and no bias at any number of them."""
    for distinct, windows in ((100, 300), (3000, 200), (20_000, 100)):
        values = np.arange(distinct * windows) * 7919
        (found,) = emitted(values, {"n": ("distinct", "v", 0.05)}, HOW[0], size=distinct)[2:]
        errors = np.array(found) / distinct - 1
        assert abs(errors.mean()) < 4 * 0.05 / windows**0.5
        assert errors.std() < 1.3 * 0.05


def test_few_distinct_values_are_counted_exactly() -> None:
    values = np.repeat(np.arange(40), 3)
    assert emitted(values, {"n": ("distinct", "v", 0.02)}, HOW[0], size=1000)[2] == [40]
    zeros = np.array([0.0, -0.0] * 2000)
    assert emitted(zeros, {"n": ("distinct", "v", 0.05)}, HOW[0], size=10_000)[2] == [1]


@pytest.mark.parametrize("kind", ["int64", "float64", "int16"])
@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_counts_of_top_values_are_too_high_by_the_error_at_most(options: dict[str, Any], kind: str) -> None:
    values = (np.random.default_rng(3).zipf(1.3, 30_000) % 30_000).astype(kind)
    aggregates = {"n": "count", "top": ("top_k", "v", 4, 0.01)}
    got = emitted(values, aggregates, HOW[0], **options)
    assert emitted(values, aggregates, HOW[1], **options) == got
    for start, end, n, *top in zip(*got, strict=True):
        held = Counter(values[max(start, 0) : end].tolist())
        assert sum(held.values()) == n
        listed = dict(zip(top[::2], top[1::2], strict=True))
        for value, count in listed.items():
            assert held[value] <= count <= held[value] + 0.01 * n
        often = [value for value, count in held.most_common(4) if count > min(listed.values()) and value not in listed]
        assert not often


def test_few_values_have_their_exact_counts() -> None:
    values = np.random.default_rng(4).integers(0, 30, 20_000)
    exact, sketched = (
        emitted(values, {"top": ("top_k", "v", 5, *error)}, HOW[0], size=6000, step=1000) for error in ((), (0.02,))
    )
    assert exact == sketched
