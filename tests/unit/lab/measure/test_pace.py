"""At a rate a loop takes what has arrived, in chunks, computes the same, and its markers say when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import small_data
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.queries.baselines.micro_loop import loop
from streambench.queries.baselines.pace import Pace

from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline
from streambench.lab.measure.perf.query_loop import QueryLoop, same
from streambench.lab.workloads.workload import Workload

pytestmark = pytest.mark.slow  # compiles and measures

RATES = st.sampled_from([1e5, 1e6, 1e7, 1e12])  # slower than the loop, and faster


@settings(max_examples=60)
@given(
    micro=st.builds(MicroPipeline, tuples=st.integers(1, 700), lap=st.integers(1, 700), keyed_work=st.integers(0, 2)),
    rate=RATES,
    most=st.integers(1, 300),
)
def test_a_rate_changes_nothing_but_when(micro: MicroPipeline, rate: float, most: int) -> None:
    pace = micro.paced(rate, most)
    assert micro.loop(pace).digest == micro.loop().digest
    index, entered, left = pace.markers()
    assert index.tolist() == list(range(micro.total))  # few tuples: each is marked
    assert (entered >= index / rate - 1e-9).all()  # never before it has arrived
    assert (left >= entered).all()
    assert (np.diff(entered) >= 0).all()
    assert (np.diff(left) >= 0).all()


def test_a_chunk_holds_no_more_than_it_may() -> None:
    micro = MicroPipeline(700, map_work=300)  # so much work that no two chunks begin within one tick of the clock
    pace = micro.paced(1e12, 7)
    micro.loop(pace)
    index, entered, _ = pace.markers()
    assert len(index) == 700
    assert np.unique(entered, return_counts=True)[1].tolist() == [1] + [7] * 99 + [6]  # one was there at once


def test_markers_are_spread_over_a_long_stream() -> None:
    micro = MicroPipeline(25_001, lap=25_001)
    pace = micro.paced(1e9, 100)
    micro.loop(pace)
    index, entered, left = pace.markers()
    assert index.tolist() == list(range(0, 25_001, 2))
    assert (left >= entered).all()
    assert left[-1] > 0


@pytest.mark.parametrize("query", ["q1", "q2", "q3", "q4", "q15", "ysb"])
def test_a_querys_loop_leaves_the_same_at_a_rate(query: str, tmp_path: Path) -> None:
    one = QueryLoop(Workload(query, Catalog.open(small_data.make(tmp_path / "d", 1).path)))
    pace = one.paced(1e7, 7)
    assert same(one.run(pace)[1], one.run()[1])
    index, entered, left = pace.markers()
    assert len(index) == len(one.columns[0])
    assert (left > 0).all()
    assert (left >= entered).all()


@pytest.mark.parametrize("wrong", [(-1, 1.0, 1), (1, -1.0, 1), (1, 1.0, 0)])
def test_what_is_no_stream_is_refused(wrong: tuple[int, float, int]) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        Pace(*wrong)


def test_no_tuples_are_not_replayed_for_ever() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert loop(nothing, nothing, 1, 0, 0, Pace(0))[1] == "0" * 32
    with pytest.raises(ValueError, match="no tuples to replay"):
        loop(nothing, nothing, 1, 0, 0, Pace(1))
