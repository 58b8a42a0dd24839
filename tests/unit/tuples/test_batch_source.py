"""Batches are read in place, held until their tuples have reached the sink, and no longer."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streambench
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import NOT_YET, BatchSource

ENGINES: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "whole": {"workers": 3, "plan": "whole"},
    "cut": {"workers": 3, "plan": "cut"},
    "sharded": {"workers": 3, "plan": "sharded"},
    "auto": {"workers": 2},
    "schemes": {"engine": "schemes", "workers": 3},
}
every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
ROWS = 100


class Batches:
    """``n`` batches of ``ROWS`` numbers, counted on; says which of them are still in memory."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.given: list[weakref.ref[Any]] = []
        self.most = 0

    def __iter__(self) -> Iterator[tuple[Any]]:
        for k in range(self.n):
            batch = np.arange(k * ROWS, (k + 1) * ROWS)
            self.given.append(weakref.ref(batch))
            self.most = max(self.most, self.held())
            yield (batch,)
            del batch

    def held(self) -> int:
        return sum(each() is not None for each in self.given)


@every_engine
@pytest.mark.parametrize("unit", [7, 100, 1000])
def test_a_batch_is_dropped_once_its_tuples_have_reached_the_sink(
    probes: SimpleNamespace, how: dict[str, Any], unit: int
) -> None:
    batches = Batches(400)
    source = BatchSource(batches, ("value",), read_ahead=2)
    pipeline = Pipeline([source, probes.Same({"value": "int64"}), TableSink()])
    execute(pipeline, Options(pin=False, unit=unit, credit=8 if how.get("engine") != "serial" else None, **how))
    assert pipeline.sink.rows()[0].tolist() == list(range(400 * ROWS))
    # Ahead, being cut, and those that the units of the last two rounds through the credit lie in.
    assert batches.most <= 2 + 1 + 2 * (8 * min(unit, ROWS) // ROWS + 2)


@given(sizes=st.lists(st.integers(0, 60), max_size=8), unit=st.integers(1, 50), read_ahead=st.integers(1, 5))
def test_an_error_comes_after_all_that_was_read_before_it(sizes: list[int], unit: int, read_ahead: int) -> None:
    def broken() -> Iterator[tuple[Any]]:
        count = itertools.count()
        for size in sizes:
            yield (np.array([next(count) for _ in range(size)], dtype=np.int64),)
        raise OSError("the disk is gone")

    pipeline = Pipeline([BatchSource(broken(), ("a",), read_ahead), TableSink()])
    with pytest.raises(OSError, match="the disk is gone"):
        execute(pipeline, Options(pin=False, unit=unit, workers=2))
    assert [value for column in pipeline.sink.rows() for value in column.tolist()] == list(range(sum(sizes)))


def test_a_source_begins_again_with_the_batches_that_it_is_given() -> None:
    source = BatchSource([], ("a",))
    for values in ([1, 2], [3]):
        source.restart([(values,)])
        pipeline = Pipeline([source, TableSink()])
        execute(pipeline, Options(pin=False, engine="serial"))
        assert pipeline.sink.rows()[0].tolist() == values


class MadeAhead:
    """``n`` batches of ``ROWS`` numbers, made by whoever calls ``work_ahead``, up to ``ahead``; one may fail."""

    def __init__(self, n: int, ahead: int, fails_at: int = -1) -> None:
        self.n, self.ahead, self.fails_at = n, ahead, fails_at
        self.lock = threading.Lock()
        self.begun = self.given = self.most = 0
        self.made: dict[int, Any] = {}

    def __iter__(self) -> Iterator[Any]:
        return self

    def work_ahead(self) -> bool:
        with self.lock:
            if self.begun == min(self.n, self.given + self.ahead):
                return False
            number, self.begun = self.begun, self.begun + 1
        values = np.arange(number * ROWS, (number + 1) * ROWS)
        with self.lock:
            self.made[number] = values
            self.most = max(self.most, len(self.made))
        return True

    def __next__(self) -> Any:
        with self.lock:
            if self.given == self.n:
                raise StopIteration
            if self.given not in self.made:
                return NOT_YET
            if self.given == self.fails_at:
                raise OSError("the disk is gone")
            self.given += 1
            return (self.made.pop(self.given - 1),)


class Promised(MadeAhead):
    """Before its batches it promises a time. Nothing is left to make by then: a worker that looks finds nothing."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self.work_ahead()
        self.promised = False

    def __next__(self) -> Any:
        if not self.promised:
            self.promised = True
            return streambench.Heartbeat(0)
        return super().__next__()


def test_a_look_that_found_nothing_says_nothing_of_the_next_run() -> None:
    def watch(tuples: int) -> None:
        if next(looks) > 100:  # ten a second
            raise TimeoutError("nobody makes the batch: the run would never end")

    source = BatchSource([], ("value",), 1, time="value")
    for batches in (Promised(), MadeAhead(1, 1)):
        looks = itertools.count()
        source.restart(batches)
        pipeline = Pipeline([source, TableSink()])
        execute(pipeline, Options(pin=False, engine="serial"), watch=watch)
        assert pipeline.sink.rows()[0].tolist() == list(range(ROWS))


@every_engine
@pytest.mark.parametrize("ahead", [1, 4])
def test_batches_that_workers_make_ahead_reach_the_sink_in_order(
    probes: SimpleNamespace, how: dict[str, Any], ahead: int
) -> None:
    batches = MadeAhead(300, ahead)
    pipeline = Pipeline([BatchSource(batches, ("value",), 1), probes.Same({"value": "int64"}), TableSink()])
    execute(pipeline, Options(pin=False, unit=64, **how))
    assert pipeline.sink.rows()[0].tolist() == list(range(300 * ROWS))
    assert 1 <= batches.most <= ahead


@every_engine
def test_what_the_making_of_a_batch_raises_comes_after_all_batches_before(how: dict[str, Any]) -> None:
    pipeline = Pipeline([BatchSource(MadeAhead(90, 4, fails_at=60), ("value",), 1), TableSink()])
    with pytest.raises(OSError, match="the disk is gone"):
        execute(pipeline, Options(pin=False, unit=64, **how))
    assert pipeline.sink.rows()[0].tolist() == list(range(60 * ROWS))


@pytest.mark.parametrize("how", [each for each in ENGINES.values() if each.get("engine") != "serial"])
def test_the_other_worker_makes_batches_while_one_has_the_pipeline(how: dict[str, Any]) -> None:
    """It goes on only once two threads are in the making of batches at the same time."""
    both = threading.Barrier(2)

    class Slow(MadeAhead):
        met = False

        def work_ahead(self) -> bool:
            if not self.met and not both.broken:
                both.wait(timeout=60)
                self.met = True  # once: a worker that came back would wait for one that has the pipeline
            return super().work_ahead()

    pipeline = Pipeline([BatchSource(Slow(8, 8), ("value",), 1), TableSink()])
    execute(pipeline, Options(pin=False, unit=64, **{**how, "workers": 2}))
    assert pipeline.sink.rows()[0].tolist() == list(range(8 * ROWS))
    assert not both.broken
