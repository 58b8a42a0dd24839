"""Neighbouring functions of a tuple run as one loop, keyed ones among them, and give what they give one by one.

That is: rows, counts, refusals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import NEEDS_NUMBA, TUPLE_BY_TUPLE, Row, expected, operators

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

pytestmark = NEEDS_NUMBA
WAYS: list[dict[str, Any]] = [
    {"engine": "serial"},
    {"workers": 1},
    {"workers": 2, "plan": "whole", "pin": False},
    {"workers": 2, "plan": "cut", "pin": False},
    {"workers": 3, "plan": "sharded", "pin": False},
]
KEYED = ("summed", "highest", "ranked", "marked_by_key")
UNFUSED = Options(engine="serial", trace=True)
CHAINS = [
    ["raised", "kept"],
    ["labelled"],
    ["kept", "labelled", "summed", "raised", "kept", "raised"],
    ["odd", "raised", "labelled", "kept", "highest"],
    ["kept", "rekeyed", "summed", "labelled", "highest", "raised", "kept"],
    ["raised", "ranked", "summed", "kept"],
]


def pipeline(names: list[str], rows: list[Row]) -> Pipeline:
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    between = [each for name in names for each in operators(name, True)]
    return Pipeline([TableSource(tuple(columns), ("key", "value")), *between, TableSink()])


def random_rows(seed: int, n: int) -> list[Row]:
    random = np.random.default_rng(seed)
    return list(zip(random.integers(-3, 20, n).tolist(), random.integers(0, 10_000, n).tolist(), strict=True))


def run(names: list[str], rows: list[Row], options: Options) -> tuple[list[Row], list[int], tuple[Any, ...] | None]:
    """Rows at the sink, tuples that each operator was given, and what was refused."""
    built, refused, given_each = pipeline(names, rows), None, []
    try:
        profile = execute(built, options).profile
        given_each = [each["tuples_in"] for each in profile]
    except OperatorError as error:
        refused = (error.operator, error.serial, tuple(value for _, value in error.values), error.reason)
    return list(zip(*(column.tolist() for column in built.sink.rows()), strict=True)), given_each, refused


def fused(built: Pipeline) -> list[list[str]]:
    """Names of the operators of each loop."""
    for each in built.operators:
        each.prepare(1)
    found, end = [], len(built.operators)
    while end > 1:
        one = built.operators[end - 1].fused_behind(tuple(reversed(built.operators[1 : end - 1])))
        if one is not None:
            found.append([each.name for each in one.operators])
        end -= 1 if one is None else len(one.operators)
    return found[::-1]


def test_neighbours_are_one_loop_and_others_are_left_alone() -> None:
    built = pipeline(["odd", "raised", "labelled", "kept", "odd", "kept", "raised"], [(1, 1)])
    assert fused(built) == [["raised", "labelled", "unlabelled", "kept"], ["kept", "raised"]]


def test_a_loop_has_one_keyed_function_with_its_neighbours() -> None:
    built = pipeline(["raised", "kept", "summed", "raised", "kept", "highest", "kept", "odd", "ranked"], [(1, 1)])
    assert fused(built) == [["raised", "kept", "summed"], ["raised", "kept", "highest", "kept"]]


def test_where_a_keyed_function_is_called_apart_those_behind_it_are_one_loop() -> None:
    built = pipeline(["raised", "summed", "raised", "kept"], [(1, 1)])
    for each in built.operators:
        each.prepare(1)
    raised, kept = built.operators[3:5]
    assert kept.fused_behind((raised,)).operators == (raised, kept)


def test_a_keyed_function_is_in_no_loop_where_a_tuple_may_be_refused() -> None:
    assert fused(pipeline(["raised", "marked_by_key"], [(1, 1)])) == []
    built = pipeline(["raised", "summed", "raised", "choosy"], [(1, 1)])
    assert fused(built) == [["raised", "summed"], ["raised", "choosy"]]


def test_a_keyed_function_is_in_no_loop_where_its_states_are_far_or_cannot_be_asked_for() -> None:
    @streambench.mapped(emits=("page", "value"), numba=True)
    def paged(key, value):  # type: ignore[no-untyped-def]
        return value, key

    def built(high_key: int, key: str) -> Pipeline:
        keyed = streambench.keyed(key=key, state=[("n", "int64")], reads=(key,), appends="n", high_key=high_key)
        first = paged if key == "page" else operators("raised", True)[0]
        return Pipeline([pipeline([], [(1, 1)]).source, first, keyed(counted), TableSink()])

    assert fused(built(0, "key")) == []
    assert fused(built(1 << 12, "page")) == [["paged", "counted"]]
    assert fused(built(1 << 13, "page")) == []
    assert fused(built(1 << 13, "key")) == [["raised", "counted"]]


def counted(state, key):  # type: ignore[no-untyped-def]
    state.n += 1
    return state.n


@pytest.mark.parametrize("names", CHAINS, ids="-".join)
def test_one_loop_gives_what_the_operators_give_one_by_one(names: list[str]) -> None:
    rows = random_rows(1, 500)
    plain, refusal = expected(names, rows)
    assert refusal is None
    for way in WAYS:
        for unit in (1, 7, 512):
            assert run(names, rows, Options(**way, unit=unit)) == (plain, run(names, rows, UNFUSED)[1], None)


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    names=st.lists(
        st.sampled_from([*TUPLE_BY_TUPLE, *TUPLE_BY_TUPLE, "rekeyed", "odd", *KEYED]), min_size=2, max_size=5
    ),
    rows=st.builds(random_rows, st.integers(0, 1 << 32), st.integers(0, 300)),
    way=st.sampled_from(WAYS),
    unit=st.sampled_from([1, 7, 64, 1024]),
)
def test_any_chain_is_the_same_fused_and_one_by_one(
    names: list[str], rows: list[Row], way: dict[str, Any], unit: int
) -> None:
    assert run(names, rows, Options(**way, unit=unit)) == run(names, rows, UNFUSED)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    "before",
    [["raised"], ["kept", "labelled"], ["labelled", "summed", "kept"], ["kept", "summed", "raised"]],
    ids="-".join,
)
def test_a_refused_tuple_names_its_operator_within_a_loop(before: list[str], way: dict[str, Any]) -> None:
    names, rows = [*before, "choosy", "raised"], random_rows(2, 400)
    plain, refusal = expected(names, rows)
    assert refusal is not None
    out, _, refused = run(names, rows, Options(**way, unit=64))
    assert out == plain
    assert refused == refusal.told


def test_partitions_by_range_give_what_one_worker_gives() -> None:
    names, rows = ["raised", "rekeyed", "summed", "raised", "kept"], random_rows(4, 500)
    plain, _ = expected(names, rows)
    for plan in ("whole", "sharded"):
        options = Options(workers=2, unit=64, partitions=3, partition_by="range", plan=plan, pin=False)
        assert run(names, rows, options)[0] == plain


@pytest.mark.parametrize(
    ("dtype", "bits", "least"), [("bool", 1, 0), ("int8", 7, -4), ("uint16", 7, 0), ("uint64", 7, 0)]
)
def test_keys_of_any_type_find_the_same_state_in_a_loop(dtype: str, bits: int, least: int) -> None:
    @streambench.mapped(emits={"key": dtype, "step": "int8"}, numba=True)
    def narrowed(key, value):  # type: ignore[no-untyped-def]
        return (key & bits) + least, (value & 127) - 64  # never beyond their columns: else there is no loop

    @streambench.keyed(
        key="key", state=[("total", "int16"), ("half", "float32")], appends={"sum": "int64"}, high_key=4, numba=True
    )
    def added(state, step):  # type: ignore[no-untyped-def]
        state.total += step
        state.half = (state.half + step) / 2
        return state.total + np.int64(state.half)

    rows = random_rows(5, 300)
    given = TableSource(tuple(np.array(rows, np.int64).T), ("key", "value"))
    built = [Pipeline([given, narrowed, added, TableSink()]) for _ in range(2)]
    assert fused(built[0]) == [["narrowed", "added"]]
    for each, options in zip(built, (Options(engine="serial"), UNFUSED), strict=True):
        execute(each, options)
    for one, other in zip(*(each.sink.rows() for each in built), strict=True):
        assert one.tolist() == other.tolist()


def test_columns_between_two_functions_have_the_types_they_say() -> None:
    @streambench.mapped(emits={"low": "int8", "half": "float32", "sign": "bool"}, numba=True)
    def cut(key, value):  # type: ignore[no-untyped-def]
        return value % 256 - 128, value / 3, value > 5000

    @streambench.mapped(emits={"low": "int64", "third": "float64", "sign": "int64"}, numba=True)
    def widened(low, half, sign):  # type: ignore[no-untyped-def]
        return low, half, sign

    rows = random_rows(3, 200)
    built = [Pipeline([*pipeline([], rows).operators[:1], cut, widened, TableSink()]) for _ in range(2)]
    for each, options in zip(built, (Options(engine="serial"), UNFUSED), strict=True):
        execute(each, options)
    columns = [each.sink.rows() for each in built]
    for one, other in zip(*columns, strict=True):
        assert one.tolist() == other.tolist()
    assert columns[0][0].tolist() == [value % 256 - 128 for _, value in rows]
    assert columns[0][1].tolist() == [np.float32(value / 3) for _, value in rows]


def test_a_function_whose_values_do_not_fit_is_refused_as_the_pipeline_is_built() -> None:
    @streambench.mapped(emits=("key", "value"), numba=True)
    def short(key, value):  # type: ignore[no-untyped-def]
        return key

    source = pipeline([], [(1, 1)]).source
    with pytest.raises(OptionError, match="operator short returns int64, as Numba has it: return for each tuple 2 val"):
        Pipeline([source, short, TableSink()])
