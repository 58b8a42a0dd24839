"""A stream in memory: laps, nulls, units; and the digest of what arrives."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sanitized import examples

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.plans import NAMED
from streambench.pyx.table_sink import TableSink, digest_rows
from streambench.pyx.table_source import BatchSource, TableSource, most_laps

NAMES = ("ts", "user", "ticket")
SHIFTS = (10_000, 0, 500)
rows = st.lists(st.tuples(st.integers(0, 9999), st.integers(-1, 99), st.integers(-1, 499)), max_size=60)


def columns(table: list[tuple[int, ...]]) -> list[Any]:
    return [np.array([row[k] for row in table], dtype=np.int64) for k in range(3)]


def through(source: Any, **options: Any) -> TableSink:
    pipeline = Pipeline([source, TableSink()])
    execute(pipeline, Options(**{"pin": False, **options}))
    sink: TableSink = pipeline.sink
    return sink


@examples(60)
@given(table=rows, laps=st.integers(1, 5), unit=st.integers(1, 70), engine=st.sampled_from(["serial", "ordered"]))
def test_laps_are_the_stream_again_and_again_moved_on(
    table: list[tuple[int, ...]], laps: int, unit: int, engine: str
) -> None:
    wanted = [
        tuple(value + lap * shift if value >= 0 else value for value, shift in zip(row, SHIFTS, strict=True))
        for lap in range(laps)
        for row in table
    ]
    source = TableSource(columns(table), NAMES, SHIFTS, laps)
    assert source.total() == len(wanted)
    sink = through(source, engine=engine, workers=2, unit=unit)
    assert sink.tuples == len(wanted)
    if wanted:
        assert list(zip(*(column.tolist() for column in sink.rows()), strict=True)) == wanted


@examples(60)
@given(table=rows, units=st.tuples(st.integers(1, 70), st.integers(1, 70)))
def test_the_digest_does_not_depend_on_how_the_stream_is_cut(
    table: list[tuple[int, ...]], units: tuple[int, int]
) -> None:
    one, other = (through(TableSource(columns(table), NAMES), unit=unit, workers=2) for unit in units)
    assert one.digest == other.digest


@examples(60)
@given(table=rows, data=st.data())
def test_the_digest_notices_order_values_and_length(table: list[tuple[int, ...]], data: st.DataObject) -> None:
    table = [*table, (1, 2, 3)]
    k = data.draw(st.integers(0, len(table) - 1))
    changed = list(table)
    match data.draw(st.sampled_from(["value", "swap", "drop", "double"])):
        case "value":
            changed[k] = (changed[k][0], changed[k][1] + 1, changed[k][2])
        case "swap":
            j = data.draw(st.integers(0, len(table) - 1))
            changed[k], changed[j] = changed[j], changed[k]
        case "drop":
            del changed[k]
        case "double":
            changed.insert(k, changed[k])
    digests = {through(TableSource(columns(each), NAMES), engine="serial").digest for each in (table, changed)}
    assert len(digests) == (1 if changed == table else 2)


def test_a_run_leaves_the_users_arrays_as_they_were(probes: SimpleNamespace) -> None:
    """Units borrow the columns: an operator that works in place must not reach them."""
    table = [np.arange(500, dtype=np.int64) % 7, np.arange(500, dtype=np.int64)]
    copies = [column.copy() for column in table]
    for unit, plan in itertools.product((1, 64), NAMED):
        for laps in (1, 3):
            fresh = [probes.Tag(2), probes.KeyedCount(3), probes.Number(4), probes.Map(), probes.KeyedSum()]
            source = TableSource(table, ("key", "value"), (0, 500), laps)
            pipeline = Pipeline([source, *fresh, probes.Recorder()])
            execute(pipeline, Options(workers=3, unit=unit, plan=plan, partitions=10, credit=4, pin=False))
            assert all(np.array_equal(a, b) for a, b in zip(table, copies, strict=True))


@pytest.mark.parametrize(
    "arguments",
    [
        ([], ()),
        ([np.zeros(3, dtype=np.int64)], ("a", "b")),
        ([np.zeros(3, dtype=np.int64)] * 65, tuple(f"c{k}" for k in range(65))),
        ([np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64)], ("a", "b")),
        ([np.zeros(3, dtype=np.int64)], ("a",), None, 0),
        ([np.zeros(3, dtype=np.int64)], ("a",), (1, 2)),
        ([np.zeros(3, dtype=np.int64)] * 2, ("a", "b"), (1,)),
    ],
)
def test_tables_that_are_none_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match=r"column|laps"):
        TableSource(*arguments)


def test_a_batch_whose_columns_differ_in_length_is_an_error() -> None:
    batch = (np.zeros(5, dtype=np.int64), np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match="equally long"):
        through(BatchSource(iter([batch]), ("a", "b")))


LARGEST = (1 << 63) - 2


@pytest.mark.parametrize(
    ("largest", "shift", "most"), [(0, LARGEST, 2), (19 * 10**17, 19 * 10**17 + 1, 4), (7, 1, LARGEST - 6)]
)
def test_no_lap_wraps(largest: int, shift: int, most: int) -> None:
    column = np.array([-1, largest, 0], dtype=np.int64)
    assert most_laps(column, shift) == most
    if most < 100:
        sink = through(TableSource([column], ("id",), (shift,), most))
        assert sink.rows()[0].tolist()[-3:] == [-1, largest + (most - 1) * shift, (most - 1) * shift]
    for laps in (most + 1, 1 << 62):
        if laps > most:
            with pytest.raises(ValueError, match=r"laps"):
                TableSource([column], ("id",), (shift,), laps)


def test_a_column_of_nulls_and_one_that_stays_take_any_number_of_laps() -> None:
    nulls, ids = np.full(2, -1, dtype=np.int64), np.array([LARGEST, 5])
    assert most_laps(nulls, 1 << 60) == most_laps(ids, 0) == LARGEST
    assert through(TableSource([nulls, ids], ("a", "b"), (1 << 60, 0), 50)).tuples == 100


def test_a_lap_that_would_be_earlier_is_refused() -> None:
    with pytest.raises(ValueError, match="column a cannot shift by -5"):
        TableSource([np.arange(3)], ("a",), (-5,), 2)


@given(
    values=st.lists(st.integers(-1, LARGEST), min_size=1, max_size=5),
    shift=st.integers(0, LARGEST),
    laps=st.integers(1, 1 << 30),
)
def test_laps_fit_exactly_when_their_largest_value_does(values: list[int], shift: int, laps: int) -> None:
    column = np.array(values, dtype=np.int64)
    held = [value + (laps - 1) * shift for value in values if value >= 0]
    assert (laps <= most_laps(column, shift)) == all(value <= LARGEST for value in held)


@given(table=rows, cut=st.integers(0, 60))
def test_rows_have_the_digest_that_their_sink_has(table: list[tuple[int, ...]], cut: int) -> None:
    sink = through(TableSource(columns(table), NAMES), engine="serial")
    assert digest_rows(columns(table)) == sink.digest
    assert digest_rows(columns(table[cut:]), digest_rows(columns(table[:cut]))) == sink.digest


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([1, None], TypeError, "column b.* object"),
        ([1, 1 << 70], TypeError, "column b.* object"),
        (["1", "2"], TypeError, "column b.* <U1|str"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[s]"), TypeError, "datetime64"),
        (np.zeros((2, 1), dtype=np.int64), ValueError, "column b must have one dimension, not 2"),
        (np.int64(2), ValueError, "column b must have one dimension, not 0"),
    ],
    ids=str,
)
def test_what_no_column_holds_is_refused_by_the_columns_name(values: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        TableSource([[1, 2], values], ("a", "b"))
    if np.ndim(values):
        with pytest.raises(error, match=words):
            through(BatchSource([([1, 2], values)], ("a", "b")), engine="serial")


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([1.0, 2.0], TypeError, "column b must hold int64, not float64: convert it with astype"),
        (np.array([1, 2], dtype=np.float32), TypeError, "not float32"),
        (np.array([1, 1 << 63], dtype=np.uint64), ValueError, "column b holds 9223372036854775808, which does not fit"),
    ],
    ids=str,
)
def test_batches_are_64_bit_integers_where_nothing_else_is_said(values: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        through(BatchSource([([1, 2], values)], ("a", "b")), engine="serial")


@pytest.mark.parametrize(
    "values",
    [
        [3, 1],
        np.array([3, 1], dtype=np.int8),
        np.array([3, 1], dtype=np.uint64),
        np.array([3, 1], dtype=">i4"),
        np.array([3, 0, 1], dtype=np.int64)[::2],
    ],
    ids=repr,
)
def test_integers_of_any_kind_arrive_as_they_are(values: Any) -> None:
    for source in (TableSource([values], ("a",)), BatchSource([(values,)], ("a",))):
        assert through(source, engine="serial").rows()[0].tolist() == [3, 1]
    assert through(TableSource([np.array([True, False])], ("a",))).rows()[0].tolist() == [1, 0]
    assert through(TableSource([[]], ("a",))).tuples == 0


@pytest.mark.parametrize("names", [(), tuple(f"c{k}" for k in range(65))])
def test_a_batch_source_has_as_many_columns_as_fit(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 64 columns"):
        BatchSource([], names)
