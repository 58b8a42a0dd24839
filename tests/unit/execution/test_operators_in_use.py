"""What a rude user does with operators of a run that has not ended is refused, and does no harm."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import streambench
from streambench import BatchSource, CallbackSink, OptionError, Pipeline, StreambenchError, TableSink


class Gate:
    """A source of one batch after another, the second of which waits until it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def batches(self) -> Iterator[tuple[Any]]:
        yield (np.arange(5),)
        assert self.opened.wait(60)
        yield (np.arange(5, 10),)


def test_a_source_in_a_run_is_refused_to_another_one() -> None:
    gate = Gate()
    source = BatchSource(gate.batches(), ("n",))
    run = Pipeline([source, TableSink()]).start(workers=1)
    with pytest.raises(OptionError, match="this BatchSource is in a run that has not ended"):
        Pipeline([source, TableSink()]).start()
    gate.opened.set()
    assert run.result().tuples == 10


def test_what_a_run_had_is_free_again_however_it_ended() -> None:
    source = streambench.ArrowSource(pa.table({"n": [1, 2, 3]}))

    def refuse(batch: pa.RecordBatch) -> None:
        raise OSError("no room")

    for _ in range(2):
        with pytest.raises(streambench.SinkError):
            Pipeline([source, CallbackSink(refuse)]).run()
        with pytest.raises(OptionError):
            Pipeline([source, TableSink()]).run(engine="serial", plan="nowhere")
    assert Pipeline([source, TableSink()]).run().tuples == 3


def test_one_sink_in_two_places_is_refused() -> None:
    sink = CallbackSink(lambda batch: None)
    pipeline = Pipeline([pa.table({"n": [1]}), streambench.tap(sink), sink])
    with pytest.raises(OptionError, match="one CallbackSink stands in two places"):
        pipeline.run()


def test_a_table_sinks_rows_are_refused_while_workers_append_to_them() -> None:
    gate, sink = Gate(), TableSink()
    run = Pipeline([BatchSource(gate.batches(), ("n",)), sink]).start(workers=1)
    for read in (sink.rows, sink.to_arrow, sink.__arrow_c_stream__):
        with pytest.raises(StreambenchError, match="the run of this sink has not ended"):
            read()
    gate.opened.set()
    run.result()
    assert sink.to_arrow().num_rows == 10


def test_a_second_stream_is_refused_and_the_first_goes_on() -> None:
    pipeline = Pipeline([BatchSource(([np.arange(1000)] for _ in range(20)), ("n",))])
    stream = pipeline.stream(batch_rows=100_000, workers=2)
    with pytest.raises(OptionError, match="has been executed"):
        pipeline.stream(batch_rows=7)
    assert sum(batch.num_rows for batch in stream) == 20_000


def test_a_stream_that_fails_flushes_no_operator() -> None:
    def batches() -> Iterator[tuple[Any]]:
        yield (np.array([0, 5, 11, 12]),)
        raise OSError("gone")

    emitted: list[Any] = []
    window = streambench.window({"n": "count"}, time="n", size=10)
    with pytest.raises(OSError, match="gone"):
        Pipeline(
            [BatchSource(batches(), ("n",)), window, CallbackSink(lambda batch: emitted.extend(batch.to_pylist()))]
        ).run()
    assert emitted == [{"start": 0, "end": 10, "n": 2}]


def test_a_refused_tuple_is_told_before_what_the_source_fails_with_later() -> None:
    def batches() -> Iterator[tuple[Any]]:
        yield (np.arange(3),)
        raise ValueError("far ahead")

    def refuse(n: int) -> int:
        if n == 1:
            raise ArithmeticError("one")
        return n

    refusing = streambench.mapped(emits="m", numba=False)(refuse)
    with pytest.raises(streambench.OperatorError, match="one"):
        Pipeline([BatchSource(batches(), ("n",)), refusing, TableSink()]).run(workers=1)


@pytest.mark.parametrize("timeout", [-1, math.inf, math.nan, "5"])
def test_a_timeout_that_is_none_is_refused_and_the_run_goes_on(timeout: Any) -> None:
    gate = Gate()
    run = Pipeline([BatchSource(gate.batches(), ("n",)), TableSink()]).start()
    with pytest.raises(OptionError, match="a timeout is a number of seconds"):
        run.result(timeout=timeout)
    gate.opened.set()
    assert run.result().tuples == 10


def test_a_callback_cannot_wait_for_its_own_run() -> None:
    runs: list[Any] = []
    ready = threading.Event()

    def wait(batch: pa.RecordBatch) -> None:
        assert ready.wait(60)
        runs[0].result()

    runs.append(Pipeline([pa.table({"n": [1, 2]}), CallbackSink(wait)]).start())
    ready.set()
    with pytest.raises(streambench.SinkError, match="cannot wait for its end"):
        runs[0].result()


def test_a_sink_that_began_is_told_where_a_later_one_cannot_begin() -> None:
    told: list[str] = []

    class First(streambench.BatchSink):
        def begin(self, schema: pa.Schema) -> None:
            told.append("begin")

        def abandon(self) -> None:
            told.append("abandon")

    class Second(streambench.BatchSink):
        def begin(self, schema: pa.Schema) -> None:
            raise OptionError("it cannot begin.")

    with pytest.raises(OptionError, match="it cannot begin"):
        Pipeline([pa.table({"n": [1]}), streambench.tap(First()), Second()]).start()
    assert told == ["begin", "abandon"]


def test_a_sink_without_its_bases_init_gets_its_rows() -> None:
    class Mine(streambench.BatchSink):
        def __init__(self) -> None:
            self.count = 0

        def write(self, batch: pa.RecordBatch) -> None:
            self.count += batch.num_rows

    sink = Mine()
    Pipeline([pa.table({"n": [1, 2, 3]}), sink]).run(workers=1)
    assert sink.count == 3
