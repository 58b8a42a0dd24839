"""A handle stops its run, tells counts and latencies as it goes, and has the plain run's result."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sink_pipelines import ENGINES, numbered, plain, source

import streambench
from streambench.execution.run import Run

every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())


@streambench.mapped(emits={"n": "int64"}, numba=False)
def same(n: int) -> int:
    return n


def endless() -> Iterator[tuple[Any]]:
    for begin in range(0, 1 << 40, 64):
        yield (np.arange(begin, begin + 64),)


class Held(streambench.BatchSink):
    """Says when it has had a batch."""

    def __init__(self, batch_rows: int) -> None:
        super().__init__(batch_rows)
        self.batches: list[pa.RecordBatch] = []
        self.had = threading.Event()
        self.ended = ""

    def write(self, batch: pa.RecordBatch) -> None:
        self.batches.append(batch)
        self.had.set()

    def finish(self) -> None:
        self.ended = "finish"

    def abandon(self) -> None:
        self.ended = "abandon"


def started(sink: Held, **how: Any) -> Run:
    return streambench.Pipeline([streambench.BatchSource(endless(), ("n",)), same, sink]).start(pin=False, **how)


@every_engine
def test_a_handle_has_the_plain_runs_result(how: dict[str, Any]) -> None:
    expected, digest = plain(3000)
    pipeline = streambench.Pipeline([source(3000), numbered, streambench.TableSink()])
    with pipeline.start(pin=False, **how) as run:
        pass
    assert not run.is_running
    assert run.result().digest == digest
    assert run.result().tuples == run.glance().tuples == run.output_tuples == len(expected)


@every_engine
@pytest.mark.parametrize("batch_rows", [10, 1000])
def test_a_stopped_run_gives_a_beginning_of_the_stream(how: dict[str, Any], batch_rows: int) -> None:
    sink = Held(batch_rows)
    with started(sink, **how) as run:
        assert sink.had.wait(60)
        run.stop()
    rows = [row for batch in sink.batches for row in batch.column(0).to_pylist()]
    assert rows == list(range(len(rows)))
    assert run.result().tuples == len(rows) == sink.tuples
    assert sink.ended == "finish"


@every_engine
@pytest.mark.parametrize("flush", [False, True])
def test_what_operators_hold_comes_out_of_a_stopped_run_if_asked(how: dict[str, Any], flush: bool, probes: Any) -> None:
    sink = streambench.TableSink()
    at_hand = threading.Event()

    def some() -> Iterator[tuple[Any, Any]]:
        yield np.arange(40) % 4, np.arange(40)
        at_hand.wait(60)
        yield from ()

    stream = streambench.BatchSource(some(), ("key", "value"), read_ahead=1)
    run = streambench.Pipeline([stream, probes.KeyedHold(), sink]).start(pin=False, unit=8, **how)
    run.stop(flush=flush)
    at_hand.set()
    assert run.result().tuples in range(41)
    assert (sink.tuples > 0) == (flush and run.result().tuples > 0)


@every_engine
def test_a_cancelled_run_abandons_its_sinks(how: dict[str, Any]) -> None:
    sink = Held(10)
    run = started(sink, **how)
    assert sink.had.wait(60)
    run.cancel()
    with pytest.raises(streambench.StreambenchError, match="cancelled before its stream had ended"):
        run.result()
    assert sink.ended == "abandon"


@every_engine
@pytest.mark.parametrize("kind", ["batches", "gate", "heartbeats"])
def test_a_source_that_gives_nothing_for_ever_does_not_hold_up_a_stop(how: dict[str, Any], kind: str) -> None:
    looks = threading.Semaphore(0)

    def nothing() -> Iterator[Any]:
        while True:
            looks.release()
            yield streambench.Heartbeat(5) if kind == "heartbeats" else (np.arange(0),)

    source: Any = streambench.BatchSource(nothing(), ("ts",))
    if kind != "batches":
        source = streambench.GateSource([source, streambench.TableSource([np.array([7, 9])], ("ts",))])
    run = streambench.Pipeline([source, streambench.TableSink()]).start(pin=False, **how)
    for _ in range(200):
        assert looks.acquire(timeout=60)
    run.stop()
    assert run.wait(60)
    assert run.result().tuples == 0


@pytest.mark.parametrize("flush", [False, True])
def test_of_two_calls_to_stop_the_first_one_counts(flush: bool, probes: Any) -> None:
    sink, at_hand = streambench.TableSink(), threading.Event()

    def some() -> Iterator[tuple[Any, Any]]:
        yield np.arange(40) % 4, np.arange(40)
        at_hand.wait(60)
        yield from ()

    stream = streambench.BatchSource(some(), ("key", "value"), read_ahead=1)
    run = streambench.Pipeline([stream, probes.KeyedHold(), sink]).start(pin=False, workers=1, unit=40)
    while run.glance().tuples < 40:
        assert run.is_running
    run.stop(flush=flush)
    run.stop(flush=not flush)
    at_hand.set()
    assert run.result().tuples == 40
    assert (sink.tuples > 0) == flush


@every_engine
def test_the_time_of_a_run_ends_with_it(how: dict[str, Any]) -> None:
    run = streambench.Pipeline([source(300), numbered, streambench.TableSink()]).start(pin=False, **how)
    run.wait()
    seconds, metrics = run.glance().seconds, run.metrics()
    assert seconds >= run.result().seconds
    time.sleep(0.002)
    assert (run.glance().seconds, run.metrics()) == (seconds, metrics)


def test_what_is_raised_within_cancels_and_is_raised() -> None:
    sink = Held(10)
    with pytest.raises(ZeroDivisionError), started(sink, workers=2) as run:
        raise ZeroDivisionError
    assert not run.is_running
    assert sink.ended == "abandon"


def test_a_result_is_waited_for_no_longer_than_asked() -> None:
    sink = Held(10)
    run = started(sink, workers=2)
    with pytest.raises(TimeoutError):
        run.result(timeout=0.01)
    assert run.is_running
    run.stop()
    assert run.result().tuples == sink.tuples


def test_what_a_run_raises_is_raised_by_its_handle() -> None:
    def boom(batch: pa.RecordBatch) -> None:
        raise KeyError("gone")

    run = streambench.Pipeline([source(10), numbered, streambench.CallbackSink(boom)]).start()
    with pytest.raises(streambench.SinkError, match="KeyError: 'gone'"), run:
        run.wait()


@every_engine
def test_metrics_are_prometheus_text_that_only_grows(how: dict[str, Any]) -> None:
    def samples(run: Run) -> dict[str, float]:
        text = run.metrics()
        assert text.endswith("\n")
        found = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                assert re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"\n]*"\})?', name), line
                found[name] = float(value)
        return found

    sink = Held(100)
    with started(sink, **how) as run:
        assert sink.had.wait(60)
        seen = [samples(run) for _ in range(3)]
        run.stop()
    seen.append(samples(run))
    for name in ("streambench_tuples_total", "streambench_output_tuples_total", "streambench_latency_seconds_count"):
        values = [each[name] for each in seen]
        assert values == sorted(values)
    assert seen[0]["streambench_running"] == 1
    assert seen[-1]["streambench_running"] == 0
    assert seen[-1]["streambench_tuples_total"] == run.result().tuples
    assert (
        seen[-1]['streambench_latency_seconds_bucket{le="+Inf"}'] == seen[-1]["streambench_latency_seconds_count"] > 0
    )
    buckets = [value for name, value in seen[-1].items() if "_bucket" in name]
    assert buckets == sorted(buckets)
