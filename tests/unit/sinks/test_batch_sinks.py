"""Batches hold the plain run's rows in its order, cut where they say, whoever takes them and however slowly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sink_pipelines import ENGINES, numbered, plain, source

import streambench
from streambench.errors import OptionError, SinkError

every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
ROWS = 5_000


class Gathered(streambench.BatchSink):
    """Keeps its batches; refuses the one numbered ``fails_at``; says what was called."""

    def __init__(self, batch_rows: int = 100, fails_at: int = -1, **how: Any) -> None:
        super().__init__(batch_rows, **how)
        self.batches: list[pa.RecordBatch] = []
        self.calls: list[str] = []
        self.fails_at = fails_at

    def begin(self, schema: pa.Schema) -> None:
        self.calls.append("begin")

    def write(self, batch: pa.RecordBatch) -> None:
        if len(self.batches) == self.fails_at:
            raise OSError("no space left")
        self.batches.append(batch)

    def finish(self) -> None:
        self.calls.append("finish")

    def abandon(self) -> None:
        self.calls.append("abandon")

    def table(self) -> pa.Table:
        return pa.Table.from_batches(self.batches, self.arrow_schema)


@every_engine
@pytest.mark.parametrize("unit", [1, 7, 64, 4096])
@pytest.mark.parametrize("batch_rows", [1, 97, 100_000])
def test_batches_are_the_plain_runs_rows_cut_evenly(how: dict[str, Any], unit: int, batch_rows: int) -> None:
    rows = 600 if unit == 1 or batch_rows == 1 else ROWS
    expected, digest = plain(rows)
    sink = Gathered(batch_rows)
    result = streambench.Pipeline([source(rows), numbered, sink]).run(unit=unit, pin=False, **how)
    assert sink.table().equals(expected)
    assert {len(each) for each in sink.batches[:-1]} <= {batch_rows}
    assert result.digest == digest
    assert result.output_tuples == sink.tuples == sink.written == rows
    assert sink.calls == ["begin", "finish"]


@settings(max_examples=40)
@given(rows=st.integers(0, 300), batch_rows=st.integers(1, 350), unit=st.integers(1, 90), workers=st.integers(1, 8))
def test_any_cut_of_any_stream_is_whole(rows: int, batch_rows: int, unit: int, workers: int) -> None:
    sink = Gathered(batch_rows)
    streambench.Pipeline([source(rows), numbered, sink]).run(unit=unit, workers=workers, pin=False)
    assert sink.table().equals(plain(rows)[0])
    assert len(sink.batches) == -(-rows // batch_rows)


@every_engine
def test_a_batch_with_a_time_is_given_while_the_source_is_silent(how: dict[str, Any]) -> None:
    given_out = threading.Event()

    def batches() -> Iterator[tuple[Any]]:
        yield (np.arange(10),)
        assert given_out.wait(60)
        yield (np.arange(10, 15),)

    seen: list[list[int]] = []

    def take(batch: pa.RecordBatch) -> None:
        seen.append(batch.column(0).to_pylist())
        given_out.set()

    stream = streambench.BatchSource(batches(), ("n",), read_ahead=1)
    sink = streambench.CallbackSink(take, batch_seconds=0.01)
    streambench.Pipeline([stream, sink]).run(pin=False, **how)
    assert list(chain.from_iterable(seen)) == list(range(15))
    assert len(seen) > 1


@every_engine
def test_what_a_sink_raises_while_the_source_is_silent_ends_the_run(how: dict[str, Any]) -> None:
    failed = threading.Event()

    def batches() -> Iterator[tuple[Any]]:
        yield (np.arange(10),)
        assert failed.wait(60)
        yield (np.arange(10, 15),)

    def refuse(batch: pa.RecordBatch) -> None:
        failed.set()
        raise ValueError("not these")

    stream = streambench.BatchSource(batches(), ("n",), read_ahead=1)
    sink = streambench.CallbackSink(refuse, batch_seconds=0.01)
    with pytest.raises(SinkError, match="CallbackSink failed after 0 rows: ValueError: not these"):
        streambench.Pipeline([stream, sink]).run(pin=False, **how)


@every_engine
@pytest.mark.parametrize("fails_at", [0, 3])
def test_what_a_sink_raises_ends_the_run(how: dict[str, Any], fails_at: int) -> None:
    sink = Gathered(100, fails_at)
    with pytest.raises(
        SinkError, match=rf"^the sink Gathered failed after {fails_at * 100} rows: OSError: no space"
    ) as told:
        streambench.Pipeline([source(ROWS), numbered, sink]).run(unit=64, pin=False, **how)
    assert isinstance(told.value.__cause__, OSError)
    assert told.value.rows == fails_at * 100
    assert sink.table().equals(plain(ROWS)[0].slice(0, fails_at * 100))
    assert sink.calls == ["begin", "abandon"]


def test_what_a_sink_raises_at_its_end_is_told_too() -> None:
    class Unfinished(Gathered):
        def finish(self) -> None:
            raise ValueError("torn")

    sink = Unfinished()
    with pytest.raises(SinkError, match="failed after 150 rows: ValueError: torn"):
        streambench.Pipeline([source(150), numbered, sink]).run()
    assert sink.calls == ["begin", "abandon"]


@every_engine
def test_all_before_a_refused_tuple_reaches_the_sink(how: dict[str, Any]) -> None:
    @streambench.mapped(emits={"user": "int64"}, numba=False)
    def refusing(user: int) -> int:
        if user == 1234:
            raise ValueError("not this one")
        return user

    sink = Gathered(100)
    table = pa.table({"user": np.arange(ROWS)})
    with pytest.raises(streambench.OperatorError, match="1234"):
        streambench.Pipeline([table, refusing, sink]).run(unit=64, pin=False, **how)
    assert sink.table()["user"].to_pylist() == list(range(1234))
    assert sink.calls == ["begin", "abandon"]


@every_engine
@pytest.mark.parametrize("place", [1, 2])
def test_a_tap_has_the_rows_of_its_place_and_changes_nothing(how: dict[str, Any], place: int) -> None:
    expected, digest = plain(ROWS)
    tapped = Gathered(333)
    operators: list[Any] = [numbered, streambench.TableSink()]
    operators.insert(place - 1, streambench.tap(tapped))
    assert streambench.Pipeline([source(ROWS), *operators]).run(unit=99, pin=False, **how).digest == digest
    assert tapped.table().equals(expected if place == 2 else expected.select(["page", "user"]))
    assert tapped.calls == ["begin", "finish"]


def test_a_tap_takes_a_function_and_a_table_sink() -> None:
    seen: list[pa.RecordBatch] = []
    kept = streambench.TableSink()
    pipeline = streambench.Pipeline(
        [source(500), streambench.tap(kept), numbered, streambench.tap(seen.append), streambench.TableSink()]
    )
    pipeline.run(workers=2)
    assert pa.Table.from_batches(seen).equals(plain(500)[0])
    assert kept.tuples == 500


def test_a_taps_error_ends_the_run_and_abandons_the_other_sinks() -> None:
    tapped, sink = Gathered(10, fails_at=2), Gathered(10)
    with pytest.raises(SinkError, match="after 20 rows"):
        streambench.Pipeline([source(500), streambench.tap(tapped), numbered, sink]).run(workers=2, unit=16)
    assert sink.calls == tapped.calls == ["begin", "abandon"]


def test_columns_come_back_under_other_names_or_not_at_all() -> None:
    @streambench.mapped(emits={"best": "int32", "user": "int64"}, numba=False)
    def renamed(page: int, user: int) -> tuple[int, int]:
        return page, user

    expected = plain(200)[0]
    restored = Gathered(restore={"best": "page"})
    streambench.Pipeline([source(200), renamed, restored]).run()
    assert restored.table()["best"].equals(expected["page"])
    held = Gathered(restore=False, nulls={"user": -1})
    streambench.Pipeline([source(200), renamed, held]).run()
    assert held.table()["best"].type == pa.int32()
    assert held.table()["user"].equals(expected["user"])


@pytest.mark.parametrize(
    ("names", "what"),
    [
        ({"best": "page"}, r"restore calls best the source's page, but the output has no such .* it has page, user"),
        ({"visit": "clock"}, "calls visit the source's clock, but the source has no such column"),
        ({5: "page"}, "restore calls 5 the source's page, but the output has no such column"),
    ],
)
def test_names_to_bring_back_that_are_none_are_refused_before_the_run(names: Any, what: str) -> None:
    sink = Gathered(restore=names)
    with pytest.raises(OptionError, match=what):
        streambench.Pipeline([source(10), numbered, sink]).run()
    assert sink.batches == []
    numbers = streambench.TableSource([np.arange(3)], ("n",))
    with pytest.raises(OptionError, match="restore calls n the source's page, but the source has no such column"):
        streambench.Pipeline([numbers, Gathered(restore={"n": "page"})]).run()
    gate = streambench.GateSource([{"ts": [1, 2]}])
    with pytest.raises(OptionError, match="calls ts the source's page, but its streams have no texts or times"):
        streambench.Pipeline([gate, Gathered(restore={"ts": "page"})]).run()


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Gathered(0), "batch_rows"),
        (lambda: Gathered(1 << 30), "batch_rows"),
        (lambda: Gathered(10, batch_seconds=0), "batch_seconds"),
        (lambda: Gathered(10, batch_seconds=float("nan")), "batch_seconds"),
        (lambda: Gathered(10, restore="page"), "restore"),
        (lambda: streambench.CallbackSink("print"), "cannot be called"),  # type: ignore[arg-type]
        (lambda: streambench.tap(3), "a Sink or a function"),  # type: ignore[arg-type]
    ],
)
def test_options_that_cannot_be_met_are_refused(make: Any, what: str) -> None:
    with pytest.raises(OptionError, match=what):
        make()
