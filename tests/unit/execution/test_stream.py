"""A loop gets the plain run's rows in its order, holds the run back, and ends it however it is left."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sink_pipelines import ENGINES, numbered, plain, source

import streambench
from streambench.errors import OptionError
from streambench.execution.execute import execute

every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
ROWS = 5_000


def runs() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "streambench run"]


class Endless:
    """Batches of ``rows`` numbers, counted on, for ever; counts those that were read."""

    def __init__(self, rows: int) -> None:
        self.rows, self.read = rows, 0

    def __iter__(self) -> Iterator[tuple[Any]]:
        while True:
            yield (np.arange(self.read, self.read + self.rows),)
            self.read += self.rows

    def source(self) -> streambench.BatchSource:
        return streambench.BatchSource(self, ("n",), read_ahead=1)


@streambench.mapped(emits={"n": "int64"}, numba=False)
def same(n: int) -> int:
    return n


@every_engine
@pytest.mark.parametrize("unit", [13, 4096])
def test_a_loop_gets_the_plain_runs_rows(how: dict[str, Any], unit: int) -> None:
    expected, digest = plain(ROWS)
    stream = streambench.Pipeline([source(ROWS), numbered]).stream(unit=unit, pin=False, batch_rows=97, **how)
    assert pa.Table.from_batches(list(stream), stream.schema).equals(expected)
    assert stream.run.result().digest == digest
    assert next(stream, None) is None


def test_a_source_alone_and_an_empty_one_can_be_looped_over() -> None:
    assert [len(each) for each in streambench.Pipeline([source(70)]).stream(batch_rows=30)] == [30, 30, 10]
    assert list(streambench.Pipeline([source(0), numbered]).stream()) == []


@every_engine
@pytest.mark.parametrize("unit", [5, 50])
def test_a_slow_loop_bounds_the_rows_in_flight(how: dict[str, Any], unit: int) -> None:
    rows, batch_rows, ahead, credit = 20, 30, 2, 8
    endless = Endless(rows)
    how = how if how.get("engine") == "serial" else {"credit": credit, **how}
    stream = streambench.Pipeline([endless.source(), same]).stream(
        unit=unit, pin=False, batch_rows=batch_rows, batches_ahead=ahead, batch_seconds=None, **how
    )
    taken = most = 0
    for batch in stream:
        taken += len(batch)
        most = max(most, endless.read - taken)
        assert batch.column(0).to_pylist() == list(range(taken - len(batch), taken))
        if taken >= 3000:
            break
    # Read ahead and being cut; admitted; the sink's batch under way, and those ahead.
    assert most <= 3 * rows + credit * unit + (1 + ahead) * batch_rows
    assert stream.run._execution.pipeline.sink.batches.most_waiting <= ahead
    stream.close()


@every_engine
def test_a_loop_that_is_left_early_ends_the_run(how: dict[str, Any]) -> None:
    for _ in streambench.Pipeline([Endless(100).source(), same]).stream(pin=False, batch_rows=10, **how):
        break
    assert runs() == []


def test_an_exception_in_the_loop_ends_the_run() -> None:
    stream = streambench.Pipeline([Endless(100).source(), same]).stream(workers=2, batch_rows=10)
    with pytest.raises(ZeroDivisionError), stream:
        assert [1 // 0 for _ in stream]
    assert runs() == []
    with pytest.raises(streambench.StreambenchError, match="cancelled"):
        stream.run.result()


def test_a_stream_that_nobody_loops_over_ends_with_its_object() -> None:
    stream = streambench.Pipeline([Endless(100).source(), same]).stream(workers=2, batch_rows=10)
    assert len(runs()) == 1
    del stream
    gc.collect()
    assert runs() == []


@every_engine
def test_an_operators_error_is_raised_behind_all_rows_from_before(how: dict[str, Any]) -> None:
    @streambench.mapped(emits={"n": "int64"}, numba=False)
    def refusing(n: int) -> int:
        if n == 777:
            raise ValueError("not this one")
        return n

    seen: list[int] = []
    stream = streambench.Pipeline([Endless(100).source(), refusing]).stream(pin=False, unit=64, batch_rows=50, **how)
    with pytest.raises(streambench.OperatorError, match="not this one"):
        seen.extend(value for batch in stream for value in batch.column(0).to_pylist())
    assert seen == list(range(777))
    assert runs() == []


def test_what_the_source_raises_is_raised_by_the_loop() -> None:
    def broken() -> Iterator[tuple[Any]]:
        yield (np.arange(7),)
        raise OSError("the disk is gone")

    seen: list[int] = []
    stream = streambench.Pipeline([streambench.BatchSource(broken(), ("n",)), same]).stream()
    with pytest.raises(OSError, match="the disk is gone"):
        seen.extend(len(batch) for batch in stream)
    assert sum(seen) == 7


def test_a_pipeline_without_a_sink_is_refused_by_run_and_one_with_by_stream() -> None:
    with pytest.raises(OptionError, match="add one, or take the output from stream"):
        streambench.Pipeline([source(5), numbered]).run()
    with pytest.raises(OptionError, match="not with a KeyedFunction: add one"):
        execute(streambench.Pipeline([source(5), numbered]), streambench.Options())
    with pytest.raises(OptionError, match="ends with a TableSink: leave that out"):
        streambench.Pipeline([source(5), streambench.TableSink()]).stream()
    pipeline = streambench.Pipeline([source(5)])
    assert len(list(pipeline.stream())) == 1
    with pytest.raises(OptionError, match="has been executed"):
        pipeline.stream()


def test_a_stream_that_is_closed_in_its_last_batch_is_cancelled() -> None:
    tapped: list[pa.RecordBatch] = []
    tap = streambench.tap(streambench.CallbackSink(tapped.append, batch_seconds=None))
    pipeline = streambench.Pipeline([source(30), tap, numbered])
    stream = pipeline.stream(batch_rows=20, batches_ahead=1, batch_seconds=None, workers=1, pin=False)
    while not tapped:  # which is when the workers have returned: the last ten wait for the twenty that nobody takes
        time.sleep(0.001)
    stream.close()
    with pytest.raises(streambench.StreambenchError, match="cancelled before its stream had ended"):
        stream.run.result()
    assert sum(map(len, tapped)) == 30


@every_engine
def test_an_async_loop_gets_the_plain_runs_rows_while_its_event_loop_goes_on(how: dict[str, Any]) -> None:
    expected, digest = plain(ROWS)
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async def main() -> pa.Table:
        other = asyncio.create_task(turn())
        stream = streambench.Pipeline([source(ROWS), numbered]).stream(pin=False, batch_rows=97, **how)
        batches = []
        async for batch in stream:
            turns_before = turns
            batches.append(batch)
            await asyncio.sleep(0)
            assert turns > turns_before or len(batches) == 1
        other.cancel()
        assert stream.run.result().digest == digest
        return pa.Table.from_batches(batches, stream.schema)

    assert asyncio.run(main()).equals(expected)


def test_an_async_loop_may_read_a_feed_of_its_own_event_loop() -> None:
    async def batches() -> AsyncIterator[pa.RecordBatch]:
        for k in range(40):
            await asyncio.sleep(0)
            yield pa.record_batch({"n": pa.array(range(10 * k, 10 * k + 10), pa.int64())})

    async def main() -> list[int]:
        feed = streambench.Feed(batches(), pa.schema({"n": pa.int64()}))
        stream = streambench.Pipeline([feed, same]).stream(workers=2, batch_rows=64)
        return [value async for batch in stream for value in batch.column(0).to_pylist()]

    assert asyncio.run(main()) == list(range(400))


@pytest.mark.parametrize("way", ["run", "result", "next", "exit"])
def test_who_keeps_a_feeds_event_loop_waiting_is_told(way: str) -> None:
    async def batches() -> AsyncIterator[pa.RecordBatch]:
        yield pa.record_batch({"n": pa.array([1], pa.int64())})

    async def main() -> None:
        feed = streambench.Feed(batches(), pa.schema({"n": pa.int64()}))
        if way == "next":
            stream = streambench.Pipeline([feed]).stream(workers=1)
            with stream:
                next(stream)
        pipeline = streambench.Pipeline([feed, streambench.TableSink()])
        if way == "run":
            pipeline.run(workers=1)
        run = pipeline.start(workers=1)
        try:
            if way == "exit":
                with run:
                    pass
            run.result()
        finally:
            run.cancel()
            run.wait()  # it needs nobody any more

    with pytest.raises(streambench.StreambenchError, match=r"event loop reads the async Feed.*asyncio\.to_thread"):
        asyncio.run(main())
    assert runs() == []


def test_an_async_loop_that_is_left_or_cancelled_ends_the_run() -> None:
    async def left() -> None:
        async with streambench.Pipeline([Endless(100).source(), same]).stream(workers=2, batch_rows=10) as stream:
            async for _ in stream:
                break
        assert runs() == []

    async def broken() -> None:
        async for _ in streambench.Pipeline([Endless(100).source(), same]).stream(workers=2, batch_rows=10):
            break
        while runs():
            await asyncio.sleep(0.01)

    async def cancelled() -> None:
        silent = threading.Event()

        def nothing() -> Iterator[pa.RecordBatch]:
            silent.wait(60)
            yield from ()

        feed = streambench.Feed(nothing(), pa.schema({"n": pa.int64()}))
        stream = streambench.Pipeline([feed]).stream(workers=1)
        task = asyncio.create_task(anext(stream))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        silent.set()
        assert not stream.run.is_running

    for each in (left, broken, cancelled):
        asyncio.run(each())


def test_what_a_run_raises_is_raised_by_an_async_loop() -> None:
    def broken() -> Iterator[tuple[Any]]:
        yield (np.arange(7),)
        raise OSError("the disk is gone")

    async def main() -> None:
        async for batch in streambench.Pipeline([streambench.BatchSource(broken(), ("n",)), same]).stream():
            seen.append(len(batch))

    seen: list[int] = []
    with pytest.raises(OSError, match="the disk is gone"):
        asyncio.run(main())
    assert sum(seen) == 7


SCRIPT = """
import sys
import numpy as np
import streambench

def endless():
    while True:
        yield (np.arange(100),)

def pipeline(*sink):
    return streambench.Pipeline([streambench.BatchSource(endless(), ("n",)), *sink])

"""
WAYS = {
    "loop": "for batch in pipeline().stream(workers=2, batch_rows=1000): print('on', flush=True)",
    "held": "s = pipeline().stream(workers=2)\nnext(s)\nprint('on', flush=True)\nfor each in s: pass",
    "handle": "with pipeline(streambench.TableSink(keep=False)).start(workers=2) as run: print('on', flush=True)",
    "callback": "pipeline(streambench.CallbackSink(lambda batch: print('on', flush=True))).run(workers=2)",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_ctrl_c_ends_the_run_and_the_program(way: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT + way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert told.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT, 1)


@pytest.mark.parametrize(
    "way",
    [
        "pipeline().stream(workers=2)",
        "pipeline(streambench.TableSink(False)).start()",
        "(s := pipeline().stream(workers=2, batch_rows=10), next(s))",
    ],
)
def test_a_program_that_ends_cancels_its_runs(way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + f"held = {way}\nprint('over')"],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("over\n", "")
