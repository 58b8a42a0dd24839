"""Batches that come when they come give the plain run's rows, never make workers wait, and end with their run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sink_pipelines import ENGINES, numbered, plain, visits

import streambench
from streambench.errors import DataError, OptionError
from streambench.pyx.table_source import NOT_YET

every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
ROWS = 1_000
SCHEMA = pa.schema([("n", pa.int64())])


def numbers(begin: int, end: int) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(range(begin, end), pa.int64())})


def gave(data: Any, **how: Any) -> list[int]:
    sink = streambench.TableSink()
    streambench.Pipeline([data, sink]).run(pin=False, **how)
    return [int(each) for column in sink.rows()[:1] for each in column]


@every_engine
@pytest.mark.parametrize("kind", ["batches", "tables", "async"])
def test_a_feed_gives_the_plain_runs_rows(how: dict[str, Any], kind: str) -> None:
    table = visits(ROWS)
    cuts = [table.slice(k, 90) for k in range(0, ROWS, 90)]

    async def later() -> AsyncIterator[pa.Table]:
        for each in cuts:
            await asyncio.sleep(0)
            yield each

    given: Any = {"batches": (b for t in cuts for b in t.to_batches()), "tables": iter(cuts), "async": later()}[kind]
    feed = streambench.ArrowSource(streambench.Feed(given, table.schema), nulls={"user": -1})
    sink = streambench.TableSink()
    assert streambench.Pipeline([feed, numbered, sink]).run(pin=False, **how).digest == plain(ROWS)[1]


def test_an_async_iterator_of_a_running_loop_is_read_by_that_loop() -> None:
    async def main() -> tuple[list[int], set[int]]:
        threads = set()
        gate = asyncio.Event()

        async def later() -> AsyncIterator[pa.RecordBatch]:
            for k in range(5):
                threads.add(threading.get_ident())
                await gate.wait()
                yield numbers(10 * k, 10 * k + 10)

        feed = streambench.Feed(later(), SCHEMA)
        run = asyncio.to_thread(gave, feed, workers=2)
        asyncio.get_running_loop().call_soon(gate.set)
        return await run, threads

    rows, threads = asyncio.run(main())
    assert rows == list(range(50))
    assert threads == {threading.get_ident()}


def test_an_async_feed_takes_no_thread_of_its_loop() -> None:
    async def main() -> list[int]:
        loop, held = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        holder = loop.run_in_executor(None, held.wait, 120)

        async def later() -> AsyncIterator[pa.RecordBatch]:
            for k in range(50):
                yield numbers(10 * k, 10 * k + 10)

        feed = streambench.Feed(later(), SCHEMA, batches_ahead=1)
        with ThreadPoolExecutor(1) as others:
            try:
                return await asyncio.wait_for(loop.run_in_executor(others, gave, feed), 30)
            finally:
                held.set()
                await holder

    assert asyncio.run(main()) == list(range(500))


@pytest.mark.parametrize("kind", ["generator", "iterable", "full"])
def test_a_generator_is_closed_when_its_run_has_ended(kind: str) -> None:
    closed, seen = threading.Event(), threading.Event()

    def endless() -> Iterator[pa.RecordBatch]:
        try:
            while True:
                yield numbers(0, 10)
        finally:
            closed.set()

    class Rows:
        __iter__ = staticmethod(endless)

    feed = streambench.Feed(Rows() if kind == "iterable" else endless(), SCHEMA, batches_ahead=1)
    if kind == "full":  # and nobody takes
        next(feed.batches())
        feed.close()
    else:
        sink = streambench.CallbackSink(lambda batch: seen.set(), batch_rows=10)
        with streambench.Pipeline([feed, sink]).start(workers=1, pin=False) as run:
            assert seen.wait(60)
            run.stop()
    assert closed.wait(60)


@pytest.mark.parametrize("with_loop", [False, True])
@pytest.mark.parametrize("kind", ["silent", "full"])
def test_an_async_generator_is_closed_at_once_and_whole(with_loop: bool, kind: str) -> None:
    closed, seen = threading.Event(), threading.Event()

    async def later() -> AsyncIterator[pa.RecordBatch]:
        try:
            while not seen.is_set() or kind == "full":
                yield numbers(0, 10)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            closed.set()

    def stop(feed: streambench.Feed) -> None:
        sink = streambench.CallbackSink(lambda batch: seen.set(), batch_rows=10)
        with streambench.Pipeline([feed, sink]).start(workers=1, pin=False) as run:
            assert seen.wait(60)
            run.stop()
        feed.close()
        assert closed.wait(30)

    async def main() -> None:
        await asyncio.to_thread(stop, streambench.Feed(later(), SCHEMA, batches_ahead=1))

    if with_loop:
        asyncio.run(main())
    else:
        stop(streambench.Feed(later(), SCHEMA, batches_ahead=1))


@every_engine
def test_a_silent_feed_does_not_hold_up_a_stop(how: dict[str, Any]) -> None:
    silent, seen = threading.Event(), threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        yield numbers(0, 10)
        silent.wait(60)

    sink = streambench.CallbackSink(lambda batch: seen.set(), batch_rows=10)
    with streambench.Pipeline([streambench.Feed(batches(), SCHEMA), sink]).start(pin=False, **how) as run:
        assert seen.wait(60)
        run.stop()
    assert run.result().tuples == 10
    silent.set()


def test_rows_ahead_of_a_slow_run_are_bounded_and_the_feeds_thread_ends() -> None:
    given = 0

    def endless() -> Iterator[pa.RecordBatch]:
        nonlocal given
        while True:
            yield numbers(given, given + 10)
            given += 10

    feed = streambench.ArrowSource(streambench.Feed(endless(), SCHEMA, batches_ahead=2), read_ahead=1)
    stream = streambench.Pipeline([feed]).stream(
        batch_rows=10, batches_ahead=1, workers=2, unit=10, credit=2, pin=False, batch_seconds=None
    )
    taken = most = 0
    for batch in stream:
        taken += len(batch)
        most = max(most, given - taken)
        if taken >= 1000:
            break
    stream.close()
    # In the channel and in hand; read ahead and being cut; admitted; the batch under way, and the one ahead.
    assert most <= 10 * ((2 + 1) + (1 + 1) + 2 + (1 + 1))
    for each in threading.enumerate():
        if each.name == "streambench feed":
            each.join(60)
            assert not each.is_alive()


def test_heartbeats_of_a_silent_feed_let_other_streams_go_on() -> None:
    silent = threading.Event()
    schema = pa.schema([("ts", pa.int64())])

    def quiet() -> Iterator[Any]:
        yield pa.record_batch({"ts": pa.array([1, 5])})
        yield streambench.Heartbeat(100)
        assert silent.wait(60)

    busy = streambench.TableSource([np.array([2, 50, 99])], ("ts",))
    gate = streambench.GateSource([streambench.ArrowSource(streambench.Feed(quiet(), schema)), busy], time="ts")
    seen: list[int] = []

    def take(batch: pa.RecordBatch) -> None:
        seen.extend(batch.column(0).to_pylist())
        if len(seen) == 5:
            silent.set()

    streambench.Pipeline([gate, streambench.CallbackSink(take, batch_rows=1)]).run(workers=2)
    assert seen == [1, 2, 5, 50, 99]


@every_engine
def test_a_batch_source_may_say_that_nothing_is_there_yet(how: dict[str, Any]) -> None:
    def hesitant() -> Iterator[Any]:
        for k in range(5):
            yield NOT_YET
            yield (np.arange(3 * k, 3 * k + 3),)
            yield NOT_YET

    assert gave(streambench.BatchSource(hesitant(), ("n",)), **how) == list(range(15))


def test_what_a_feed_raises_comes_after_all_rows_from_before() -> None:
    def broken() -> Iterator[Any]:
        yield numbers(0, 7)
        raise OSError("the line is dead")

    seen: list[int] = []
    stream = streambench.Pipeline([streambench.Feed(broken(), SCHEMA)]).stream()
    with pytest.raises(DataError, match="beyond their first 7 rows: the line is dead"):
        seen.extend(value for batch in stream for value in batch.column(0).to_pylist())
    assert seen == list(range(7))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ([pa.record_batch({"m": [1]})], "has the columns m"),
        ([3], "gives a int, no RecordBatch"),
    ],
)
def test_what_is_no_batch_of_the_schema_is_refused(given: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        gave(streambench.Feed(given, SCHEMA))


def test_a_feed_is_read_once_and_takes_iterators_only() -> None:
    feed = streambench.Feed([numbers(0, 3)], SCHEMA)
    assert gave(feed) == [0, 1, 2]
    with pytest.raises(DataError, match="can be only once"):
        gave(feed)
    with pytest.raises(OptionError, match="not a int"):
        streambench.Feed(3, SCHEMA)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"schema of a Feed must be a pyarrow\.Schema, not 'a'"):
        streambench.Feed([], "a")


def placed(folder: Path, name: str, begin: int, end: int) -> None:
    """A file that is whole as soon as it has its name."""
    pq.write_table(pa.table({"n": pa.array(range(begin, end), pa.int64())}), folder / f".{name}")
    (folder / f".{name}").rename(folder / name)


@every_engine
def test_files_that_come_later_are_read_in_the_order_of_their_names(how: dict[str, Any], tmp_path: Path) -> None:
    placed(tmp_path, "a.parquet", 0, 10)
    (tmp_path / ".half.parquet").write_bytes(b"PAR1")
    seen: list[int] = []

    def take(batch: pa.RecordBatch) -> None:
        seen.extend(batch.column(0).to_pylist())
        if seen[-1] == 9:
            placed(tmp_path, "b.parquet", 10, 30)
        elif seen[-1] == 29:
            placed(tmp_path, "d.parquet", 30, 40)
            (tmp_path / "_SUCCESS").touch()

    folder = streambench.GrowingFolder(tmp_path, look_seconds=0.01)
    streambench.Pipeline([folder, streambench.CallbackSink(take, batch_rows=10)]).run(pin=False, **how)
    assert seen == list(range(40))


def test_a_parquet_sinks_folder_grows_into_another_run(tmp_path: Path) -> None:
    sink = streambench.ParquetSink(tmp_path, file_rows=150)
    out = streambench.TableSink()
    follower = streambench.Pipeline([streambench.GrowingFolder(tmp_path, schema=SCHEMA, look_seconds=0.01), out])
    with follower.start(workers=2) as run:
        streambench.Pipeline([pa.table({"n": range(1000)}), sink]).run(workers=2)
        (tmp_path / "_SUCCESS").touch()
    assert run.result().tuples == 1000
    assert out.rows()[0].tolist() == list(range(1000))


def test_a_name_before_one_that_was_read_ends_the_run(tmp_path: Path) -> None:
    placed(tmp_path, "b.parquet", 0, 10)
    folder = streambench.GrowingFolder(tmp_path, look_seconds=0.01)
    sink = streambench.CallbackSink(lambda batch: placed(tmp_path, "a.parquet", 0, 1), batch_rows=10)
    with pytest.raises(DataError, match=r"a\.parquet came, or a file went, when b\.parquet had been read"):
        streambench.Pipeline([folder, sink]).run(workers=2)


def test_a_growing_folder_needs_columns_that_are_equal(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="name the columns by schema="):
        streambench.GrowingFolder(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        streambench.GrowingFolder(tmp_path / "none")
    placed(tmp_path, "a.parquet", 0, 10)
    for wrong in (0, "1", True, float("nan"), None):
        with pytest.raises(OptionError, match="look_seconds"):
            streambench.GrowingFolder(tmp_path, look_seconds=wrong)  # type: ignore[arg-type]
    pq.write_table(pa.table({"m": [1]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet are not those of the stream"):
        gave(streambench.GrowingFolder(tmp_path, look_seconds=0.01))


def test_a_growing_folder_without_an_end_is_stopped(tmp_path: Path) -> None:
    placed(tmp_path, "a.parquet", 0, 10)
    seen = threading.Event()
    sink = streambench.CallbackSink(lambda batch: seen.set(), batch_rows=10)
    with streambench.Pipeline([streambench.GrowingFolder(tmp_path, end=None), sink]).start() as run:
        assert seen.wait(60)
        run.stop()
    assert run.result().tuples == 10


LINES = [b'{"n": %d}\n' % k for k in range(100)]


@every_engine
@pytest.mark.parametrize("cut", [3, 10, 11, 950])
def test_lines_that_are_appended_are_rows_once_they_are_whole(how: dict[str, Any], cut: int, tmp_path: Path) -> None:
    text = b"".join(LINES).replace(b'{"n": 50}\n', b'\n  \r\n{"n": 50, "more": [1]}\r\n').rstrip()
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"")

    def write() -> None:
        for begin in range(0, len(text), cut):
            with file.open("ab") as end:
                end.write(text[begin : begin + cut])
        (tmp_path / "_SUCCESS").touch()

    writer = threading.Thread(target=write)
    writer.start()
    assert gave(streambench.GrowingFile(file, SCHEMA, look_seconds=0.001), **how) == list(range(100))
    writer.join()


def test_a_growing_file_without_an_end_gives_what_is_there_and_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"".join(LINES) + b'{"n": 7')
    seen: list[int] = []
    with streambench.Pipeline([streambench.GrowingFile(file, SCHEMA, end=None)]).stream(batch_seconds=0.01) as stream:
        while len(seen) < 100:
            seen += next(stream).column(0).to_pylist()
    assert seen == list(range(100))


def test_lines_of_another_format_are_rows_by_a_decoder(tmp_path: Path) -> None:
    def of_csv(lines: Any, schema: pa.Schema) -> pa.RecordBatch:
        return pa.record_batch([pa.array([int(each.split(b",")[0]) for each in lines])], schema=schema)

    (tmp_path / "log.csv").write_bytes(b"1,a\n2,b\n")
    (tmp_path / "end").touch()
    assert gave(streambench.GrowingFile(tmp_path / "log.csv", SCHEMA, end="end", batch_of=of_csv)) == [1, 2]


@pytest.mark.parametrize("change", ["shorter", "another", "gone"])
def test_a_growing_file_that_becomes_another_ends_the_run(change: str, tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(LINES[1] + LINES[2])

    def take(batch: pa.RecordBatch) -> None:
        if change == "shorter":
            file.write_bytes(LINES[3])
        else:
            file.rename(tmp_path / "log.1")
        if change == "another":
            file.write_bytes(LINES[1] + LINES[2] + LINES[3])

    sink = streambench.CallbackSink(take, batch_rows=2)
    told = "cannot be read" if change == "gone" else "has become another file, or shorter, when 18 bytes had been read"
    with pytest.raises(DataError, match=told):
        streambench.Pipeline([streambench.GrowingFile(file, SCHEMA, look_seconds=0.001), sink]).run(workers=1)


@pytest.mark.parametrize("line", [b"no row", b"[1]", b'{"n": "a"}'])
def test_lines_that_are_no_rows_are_named(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(LINES[1] + b"\n" + line + b"\n")
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(DataError, match=r"log has what is no row in its lines 1 to 3: "):
        gave(streambench.GrowingFile(tmp_path / "log", SCHEMA))


def test_a_growing_file_has_to_be_one(tmp_path: Path) -> None:
    for each in (tmp_path, tmp_path / "none"):
        with pytest.raises(DataError, match=r"there is no file .* that could grow"):
            streambench.GrowingFile(each, SCHEMA)
    (tmp_path / "log").touch()
    with pytest.raises(OptionError, match="look_seconds"):
        streambench.GrowingFile(tmp_path / "log", SCHEMA, look_seconds=0)
