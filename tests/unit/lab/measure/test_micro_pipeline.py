"""The micro pipeline gives one sequence, that of a naive model, whoever executes it: loop, engines, oneTBB."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.queries.baselines.micro_loop import loop
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map
from streambench.queries.baselines.pace import Pace

from streambench.errors import OperatorError, StreambenchError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline, Run, iterations_for
from streambench.pyx.table_source import TableSource

pytestmark = pytest.mark.slow  # compiles and measures

MASK = (1 << 64) - 1
MICROS = st.builds(
    MicroPipeline,
    tuples=st.integers(1, 700),
    map_work=st.integers(0, 3),
    keyed_work=st.integers(0, 3),
    hot=st.sampled_from([0.0, 0.3, 1.0]),
    keys=st.sampled_from([1, 7, 500]),
    seed=st.integers(0, 1000),
    lap=st.integers(1, 700),
)
ENGINES = st.one_of(
    st.builds(Options, engine=st.just("serial"), unit=st.integers(1, 300)),
    st.builds(
        Options,
        workers=st.integers(1, 4),
        unit=st.one_of(st.none(), st.integers(1, 300)),
        partitions=st.one_of(st.none(), st.integers(1, 20)),
        partition_by=st.sampled_from(["hash", "range"]),
        reorder=st.sampled_from(["nonblocking", "ticket"]),
    ),
)


def work(x: int, iterations: int) -> int:
    for _ in range(iterations):
        x = (x * 6364136223846793005 + 1442695040888963407) & MASK
    return x


def naive(micro: MicroPipeline) -> str:
    """The digest, tuple by tuple."""
    keys, values = (column.tolist() for column in micro.columns())
    counts: dict[int, int] = {}
    total = sums = 0
    for key, value in list(zip(keys, values, strict=True)) * micro.laps:
        value &= MASK
        result = work(((value ^ (value >> 29)) + (key ^ (key << 17))) & MASK, micro.map_work)
        counts[key] = counts.get(key, 0) + 1
        total = (total + result + work(counts[key], micro.keyed_work)) & MASK
        sums = (sums + total) & MASK
    return f"{total:016x}{sums:016x}"


@settings(max_examples=60)
@given(micro=MICROS)
def test_the_loop_computes_what_a_naive_model_does(micro: MicroPipeline) -> None:
    assert micro.loop().digest == naive(micro)


@settings(max_examples=60)
@given(micro=MICROS, options=ENGINES)
def test_every_engine_gives_the_naive_sequence(micro: MicroPipeline, options: Options) -> None:
    run, measured = micro.engine(Options.of(options, laps=micro.laps, preload=True))
    assert run.digest == naive(micro)
    assert measured.tuples == micro.total


@settings(max_examples=60)
@given(
    micro=MICROS,
    threads=st.integers(1, 3),
    token=st.integers(1, 300),
    live=st.integers(1, 9),
)
def test_onetbb_gives_the_naive_sequence(micro: MicroPipeline, threads: int, token: int, live: int) -> None:
    if not onetbb.there():
        pytest.skip("oneTBB is not installed")
    onetbb.build()
    assert micro.peer(threads, token, live).digest == naive(micro)


@given(
    first=st.integers(0, 19),
    second=st.integers(0, 19),
    keys=st.lists(st.integers(0, 3), min_size=20, max_size=20),
)
def test_two_tuples_that_change_places_change_the_digest(first: int, second: int, keys: list[int]) -> None:
    key, value = np.array(keys, dtype=np.int64), np.arange(20, dtype=np.int64) ** 3
    swapped = np.arange(20)
    swapped[[first, second]] = [second, first]

    def digest(order: np.ndarray) -> str:
        found: str = loop(key[order], value[order], 4, 0, 0, Pace(20))[1]
        return found

    assert (digest(swapped) == digest(np.arange(20))) == (first == second)


@pytest.mark.parametrize("keyed_work", [0, 2])
@pytest.mark.parametrize("options", [Options(engine="serial", unit=16), Options(workers=2, unit=16)])
def test_a_key_outside_the_key_space_is_refused_in_order(options: Options, keyed_work: int) -> None:
    sink = DigestSink()
    key, value = np.arange(100) % 10, np.arange(100)
    right: str = loop(key[:57], value[:57], 10, 0, keyed_work, Pace(57))[1]
    key[57], key[80] = 10, -1
    pipeline = Pipeline([TableSource((key, value), ("key", "value")), Map(), Count(10, keyed_work), sink])
    with pytest.raises(OperatorError, match="Count failed at its tuple with serial number 57"):
        execute(pipeline, options)
    assert (sink.tuples, sink.digest) == (57, right)


def test_a_sequence_that_is_not_the_loops_has_no_number() -> None:
    micro = MicroPipeline(100)
    right = micro.loop()
    assert micro.checked(right, "the loop") is right
    with pytest.raises(StreambenchError, match="nobody: the output sequence"):
        micro.checked(Run(right.seconds, right.tuples, "0" * 32), "nobody")
    with pytest.raises(StreambenchError, match="nobody: the output sequence"):
        micro.checked(Run(right.seconds, right.tuples - 1, right.digest), "nobody")


def test_more_work_takes_more_iterations() -> None:
    assert iterations_for(0) == 0
    assert 0 < iterations_for(50) < iterations_for(5_000)
