"""Columns of pairs against those that Arrow takes."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from streambench.joins import gathering

N = 50
COLUMNS = {
    "int8": pa.array(np.arange(N), pa.int8()),
    "float16": pa.array(np.arange(N).astype(np.float16)),
    "int32": pa.array(np.arange(N), pa.int32()),
    "timestamps": pa.array(np.arange(N), pa.timestamp("us", "UTC")),
    "date": pa.array([datetime.date(2026, 1, 1 + k % 28) for k in range(N)]),
    "bool": pa.array([k % 3 == 0 for k in range(N)]),
    "decimal": pa.array([Decimal(k) / 4 for k in range(N)], pa.decimal128(9, 2)),
    "interval": pa.array([pa.MonthDayNano([k, 1, 2]) for k in range(N)]),
    "nothing wide": pa.array([b""] * N, pa.binary(0)),
    "3 bytes": pa.array([b"%03d" % k for k in range(N)], pa.binary(3)),
    "9 bytes": pa.array([b"%09d" % k for k in range(N)], pa.binary(9)),
    "20 bytes": pa.array([b"%020d" % k for k in range(N)], pa.binary(20)),
    "with nulls": pa.array([None if k % 5 == 0 else k for k in range(N)]),
    "texts": pa.array(["text" * (k % 4) for k in range(N)]),
    "lists": pa.array([[k] * (k % 3) for k in range(N)]),
    "nulls": pa.nulls(N),
}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("pairs", [0, 1, 8, 77])
def test_columns_are_those_that_arrow_takes(pairs: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "AT_ONCE", 16)
    rows = np.random.default_rng(1).integers(0, N - 3, pairs)
    columns = {name: pa.chunked_array([each[3:]]) for name, each in COLUMNS.items()}
    found = {name: gathering.gathered(each, rows) for name, each in columns.items()}
    gathering.gather(list(found.values()), pairs, threads)
    for name, column in columns.items():
        values = found[name].values()
        values.validate(full=True)
        assert pa.chunked_array([values] if isinstance(values, pa.Array) else values).equals(
            column.take(pa.array(rows))
        ), name


def test_a_pair_has_the_later_tuples_time() -> None:
    ts = np.array([1, 5, 9]), np.array([2, 5, 7])
    places = np.array([0, 1, 2, 2]), np.array([0, 1, 2, 0])
    times = gathering.LaterTimes(ts, places)
    gathering.gather([times], 4, 1)
    assert times.values().to_pylist() == [2, 5, 9, 9]


def test_what_goes_wrong_in_a_thread_is_raised() -> None:
    wrong = gathering.gathered(pa.chunked_array([pa.array(["a"])]), np.array([7]))
    with pytest.raises(pa.ArrowException):
        gathering.gather([wrong], 1, 2)


def test_what_arrow_cannot_take_at_once_is_taken_in_pieces() -> None:
    class Small:
        """A column of which at most five rows can be taken at once."""

        def take(self, rows: pa.Array) -> pa.ChunkedArray:
            if len(rows) > 5:
                raise pa.ArrowInvalid("Take operation overflowed binary array capacity")
            return pa.chunked_array([np.arange(100)]).take(rows)

    rows = np.arange(99, -1, -1)
    taken = gathering._taken(Small(), rows)  # type: ignore[arg-type]
    assert pa.chunked_array(taken).to_pylist() == rows.tolist()
