"""A pipeline over a join gets the naive join's pairs, in every engine, plan, tier and size of units."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawn_joins import ENGINES, problems, through
from hypothesis import given
from hypothesis import strategies as st
from naive_join import ROWS, Stream, naive_join
from sanitized import examples

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import TIERS
from streambench.pyx.join.join_source import JoinSource
from streambench.pyx.table_sink import TableSink

INT = np.int64


def definition_of(left: Stream, right: Stream, widths: Any, window: int, rule: str = "exact") -> Definition:
    return Definition(left.ts, right.ts, list(zip(left.columns, right.columns, widths, strict=True)), window, rule)


def source_of(left: Stream, right: Stream, widths: Any, window: int, rule: str = "exact", tier: str = "codes") -> Any:
    """A source that emits the rows."""
    definition = definition_of(left, right, widths, window, rule)
    return JoinSource(definition, {"l": np.arange(len(left.ts))}, {"r": np.arange(len(right.ts))}, tier)


def rows_of(source: Any, **options: Any) -> ROWS:
    columns = through(source, **options).rows()
    return list(zip(*(each.tolist() for each in columns[1:]), strict=True)) if columns else []


@examples(80)
@given(
    problem=problems(),
    tier=st.sampled_from(sorted(TIERS)),
    unit=st.sampled_from([1, 16, 1024]),
    options=st.sampled_from(ENGINES),
)
def test_any_small_join_is_the_naive_one(problem: Any, tier: str, unit: int, options: dict[str, Any]) -> None:
    assert rows_of(source_of(*problem, tier), **options, unit=unit) == naive_join(*problem)


def far_apart(n: int) -> tuple[Stream, Stream]:
    """Nothing matches before the last tuples."""
    ts = np.arange(n)
    left, right = np.arange(n), np.arange(n) + n
    right[-1] = left[-1]
    return Stream(ts, (left,)), Stream(ts, (right,))


@pytest.mark.parametrize("options", [ENGINES[0], ENGINES[2], ENGINES[-1]], ids=["serial", "ordered", "schemes"])
def test_a_long_stretch_without_matches_is_gone_through(options: dict[str, Any]) -> None:
    n = 300_000
    assert rows_of(source_of(*far_apart(n), [None], 3000, tier="index"), **options) == [(n - 1, n - 1)]


@pytest.mark.parametrize("unit", [16, 1024])
def test_one_tuple_may_match_many(unit: int) -> None:
    left = Stream(np.zeros(5000, INT), (np.zeros(5000, INT),))
    right = Stream(np.array([0, 1, 1]), (np.array([0, 1, 0]),))
    wanted = [(row, each) for each in (0, 2) for row in range(5000)]
    assert rows_of(source_of(left, right, [None], 1, tier="index"), workers=2, engine="ordered", unit=unit) == wanted


def test_columns_are_gathered_in_their_types_behind_the_later_time() -> None:
    random = np.random.default_rng(1)
    n = 300
    sides = [Stream(np.sort(random.integers(-50, 50, n)), (random.integers(0, 9, n),)) for _ in range(2)]
    types = ["int8", "uint16", "int32", "uint64", "float32", "float64"]
    left: dict[str, Any] = {name: random.integers(0, 99, n).astype(name) for name in types}
    right: dict[str, Any] = {
        "flag": random.integers(0, 2, n).astype(bool),
        "bytes": np.array([bytes([k % 256]) * 20 for k in range(n)], "V20"),
        "odd": np.array([bytes([k % 256]) * 3 for k in range(n)], "V3"),
    }
    source = JoinSource(definition_of(*sides, [None], 9), left, right, time="later")
    assert source.columns == ("later", *left, *right)
    pairs = naive_join(*sides, [None], 9, "exact")
    rows = [np.array(each) for each in zip(*pairs, strict=True)]
    found = through(source, workers=2, engine="ordered", unit=16).rows()
    assert found[0].tolist() == np.maximum(sides[0].ts[rows[0]], sides[1].ts[rows[1]]).tolist()
    wanted = [each[rows[0]] for each in left.values()] + [each[rows[1]] for each in right.values()]
    for got, column in zip(found[1:], wanted, strict=True):
        assert got.dtype == column.dtype
        assert got.tobytes() == column.tobytes()


def test_units_carry_the_pairs_event_time(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(3)
    sides = [Stream(np.sort(random.integers(0, 900, 300)), (random.integers(0, 9, 300),)) for _ in range(2)]
    source = source_of(*sides, [None], 20)
    pipeline = Pipeline([source, probes.Copies({"ts": "int64"}), probes.Times("ts"), TableSink()])
    execute(pipeline, Options(engine="ordered", workers=2, unit=8, pin=False))
    found = dict(zip(pipeline.operators[-2].emitted, pipeline.sink.rows(), strict=True))
    assert len(found["ts"]) > 100
    assert np.all((found["first"] <= found["ts"]) & (found["ts"] <= found["last"]))
    assert np.any(found["first"] < found["ts"])
    assert np.all(np.isin(found["first"], found["ts"]) & np.isin(found["last"], found["ts"]))


@pytest.mark.parametrize("tier", sorted(TIERS))
def test_a_further_run_begins_anew(tier: str) -> None:
    random = np.random.default_rng(4)
    sides = [Stream(np.sort(random.integers(0, 300, 200)), (random.integers(0, 9, 200),)) for _ in range(2)]
    source = source_of(*sides, [None], 20, tier=tier)
    first = rows_of(source)
    assert len(first) > 100
    assert rows_of(source, engine="ordered", workers=2, unit=16) == first


def test_the_join_goes_on_as_its_pairs_are_taken() -> None:
    """Of a thousand million pairs a run that is interrupted has made few."""
    n = 1 << 15
    zeros = Stream(np.zeros(n, INT), (np.zeros(n, INT),))
    pipeline = Pipeline([source_of(zeros, zeros, [None], 0, tier="index"), TableSink(keep=False)])

    def interrupt(tuples: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(pipeline, Options(engine="ordered", workers=2, pin=False), interrupt)
    assert pipeline.sink.tuples < n * n // 2


def test_ctrl_c_ends_a_run_whose_join_finds_nothing() -> None:
    n = 400_000
    pipeline = Pipeline([source_of(*far_apart(n), [None], n, tier="simd"), TableSink()])

    def interrupt(tuples: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(pipeline, Options(engine="serial", pin=False), interrupt)
    assert pipeline.sink.tuples == 0


def test_what_does_not_fit_is_refused() -> None:
    two = Stream(np.array([1, 2]), (np.array([1, 2]),))
    definition, columns = definition_of(two, two, [None], 5), {"a": np.array([1, 2])}
    with pytest.raises(ValueError, match="there is no tier 'gpu'"):
        JoinSource(definition, columns, {}, "gpu")
    with pytest.raises(ValueError, match="two columns of the pairs are called a"):
        JoinSource(definition, columns, columns)
    with pytest.raises(ValueError, match="two columns of the pairs are called ts"):
        JoinSource(definition, {"ts": np.array([1, 2])}, {})
    with pytest.raises(ValueError, match="column b has 3 values, but its side 2 rows"):
        JoinSource(definition, columns, {"b": np.array([1, 2, 3])})
    with pytest.raises(ValueError, match="an index needs a band or an equality"):
        JoinSource(definition_of(two._replace(columns=()), two._replace(columns=()), [], 5), columns, {}, "index")
    with pytest.raises(ValueError, match="at most 64 are possible"):
        JoinSource(definition, {f"c{k}": np.array([1, 2]) for k in range(64)}, {})
