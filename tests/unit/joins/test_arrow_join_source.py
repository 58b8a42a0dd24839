"""A pipeline over an ``ArrowJoinSource`` gets the rows of ``streambench.join``, and gives them back as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import streambench
from streambench.errors import DataError, OptionError
from streambench.pyx.table_sink import TableSink

N = 300


def sides() -> tuple[pa.Table, pa.Table]:
    """Texts, nulls, times, bytes, and a column that both have."""
    random = np.random.default_rng(7)
    texts = [f"u{k}" for k in range(9)]
    left = {
        "ts": np.sort(random.integers(-500, 500, N)),
        "x": random.integers(1, 200, N).astype(np.int32),
        "z": pa.array([bytes([65 + k % 26]) * 20 for k in range(N)], pa.binary(20)),
        "user": pa.array([texts[k] for k in random.integers(0, 9, N)]),
        "note": pa.array([None if k % 3 == 0 else f"n{k % 4}" for k in range(N)]),
    }
    right = {
        "ts": np.sort(random.integers(-500, 500, N)),
        "a": pa.array([None if k % 5 == 0 else k for k in range(N)], pa.int16()),
        "d": random.integers(0, 2, N).astype(bool),
        "user": pa.array([texts[k] for k in random.integers(0, 9, N)]),
        "at": pa.array(np.arange(N), pa.timestamp("us")),
    }
    return pa.table(left), pa.table(right)


def output(source: Any, *between: Any, **options: Any) -> pa.Table:
    pipeline = streambench.Pipeline([source, *between, TableSink()])
    pipeline.run(pin=False, **options)
    table: pa.Table = source.restore(pipeline.sink.to_arrow())
    return table


@pytest.mark.parametrize("rule", ["exact", "three-step", "count"])
def test_a_pipeline_gets_the_rows_of_the_join(rule: str) -> None:
    left, right = sides()
    how: dict[str, Any] = {"equal": [("user", "user")], "bands": [("x", "x_of_it", 60)], "window": 40, "rule": rule}
    right = right.append_column("x_of_it", pa.array(np.arange(N) % 200, pa.int32()))
    wanted = streambench.join(left, right, **how)
    source = streambench.ArrowJoinSource(left, right, nulls={"a": -1}, **how)
    found = output(source, workers=2, unit=16)
    assert len(wanted) > 20
    assert found.column_names == wanted.column_names
    assert [each.to_pylist() for each in found.columns] == [each.to_pylist() for each in wanted.columns]
    assert found.schema.field("at").type == pa.timestamp("us")
    assert set(source.dictionaries) == {"user", "note", "user_right"}
    assert output(source, engine="serial").equals(found), "a further run"


def test_operators_stand_behind_a_join() -> None:
    left, right = sides()

    @streambench.keyed(key="user", state=[("pairs", "int64")], emits={"user": "int32", "pairs": "int64"}, numba=False)
    def counted(state: Any, user: Any) -> Any:
        state.pairs += 1
        return user, state.pairs

    source = streambench.ArrowJoinSource(left, right, equal=[("user", "user")], window=40, columns=["user"])
    assert source.columns == ("ts", "user")
    found = output(source, counted, workers=2, unit=16, plan="sharded", partitions=4)
    users = streambench.join(left, right, equal=[("user", "user")], window=40)["user"].to_pylist()
    wanted = [{"user": user, "pairs": users[: k + 1].count(user)} for k, user in enumerate(users)]
    assert found.to_pylist() == wanted


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({}, DataError, r"column a has a null in row 0, counted from 0: say by nulls="),
        ({"nulls": {"b": 0}}, OptionError, "there is no column b to have nulls"),
        (
            {"columns": ["q"]},
            OptionError,
            "the pairs have no column 'q'; beside the time they have x, z, user, note, a",
        ),
        ({"tier": "gpu"}, OptionError, "there is no tier 'gpu': choose from auto"),
        ({"tier": "index", "columns": []}, OptionError, "an index needs a band or an equality"),
        ({"window": -1}, OptionError, "window must be a whole number"),
        ({"equal": [("user", "q")]}, DataError, "the right side has no column 'q'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        streambench.ArrowJoinSource(*sides(), **{"window": 1, **how})
    assert str(refused.value).endswith(".")


def test_pairs_of_sides_with_times_only_have_no_other_column() -> None:
    only = pa.table({"ts": [1, 2]})
    with pytest.raises(OptionError, match=r"the pairs have no column 'q'; beside the time they have no columns\."):
        streambench.ArrowJoinSource(only, only, window=1, columns=["q"])
