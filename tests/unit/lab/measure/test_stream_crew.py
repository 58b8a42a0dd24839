"""A read that finds no item is tried again, no sooner than it is said to take; every item is counted all the same."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.lab.measure.topk.designs import OF_ONE_STREAM
from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.pyx.topk.designs import DESIGNS, design_named

ITEMS = 200


@pytest.mark.parametrize("wait", [1e-6, 1e-3])
def test_a_read_that_fails_takes_as_long_as_is_said(wait: float) -> None:
    streams = [np.arange(ITEMS, dtype=np.uint64) % 7 for _ in range(2)]
    summary = design_named("shared")(100, 2)
    crew = StreamCrew(summary, streams, 0, 0.5, 1, (), 1, wait)
    crew.run()
    assert crew.counted == [ITEMS, ITEMS]
    assert crew.seconds >= 50 * wait, "of 200 reads that succeed at least 50 have failed before"


@pytest.mark.parametrize("wait", [-1.0, 1.1, float("nan")])
def test_an_impossible_wait_is_refused(wait: float) -> None:
    summary = design_named("shared")(100, 1)
    with pytest.raises(ValueError, match="a thread waits for 0 to 1 second, not"):
        StreamCrew(summary, [np.zeros(1, dtype=np.uint64)], wait=wait)


@pytest.mark.parametrize("design", DESIGNS)
def test_each_query_tells_its_latency_and_what_its_answer_lacks(design: str) -> None:
    threads = 1 if design in OF_ONE_STREAM else 3
    streams = [np.arange(10_000, dtype=np.uint64) % 77 for _ in range(threads)]
    crew = StreamCrew(design_named(design)(100, threads), streams, 3000, laps=2)
    crew.run()
    assert crew.asked == threads * 20_000 // 3000
    assert len(crew.query_seconds) == len(crew.stale_items) == crew.asked
    assert (crew.query_seconds > 0).all()
    assert ((crew.stale_items >= 0) & (crew.stale_items <= threads * 20_000)).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_one_thread_that_asks_finds_all_that_it_has_counted(design: str) -> None:
    crew = StreamCrew(design_named(design)(100), [np.arange(10_000, dtype=np.uint64) % 77], 2000)
    crew.run()
    assert crew.stale_items.tolist() == [0] * 5


def test_without_queries_nothing_is_told_of_them() -> None:
    crew = StreamCrew(design_named("shared")(100), [np.arange(10_000, dtype=np.uint64)])
    crew.run()
    assert (crew.asked, len(crew.query_seconds), len(crew.stale_items)) == (0, 0, 0)
