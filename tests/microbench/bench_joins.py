"""A gate's merge of some sources, and a join's chunk: probes compared with a full window."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streambench.host.limits import allowed_cpus
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.pyx.join.join_crew import TIERS, JoinCrew

TUPLES = 16_384
WINDOW, PROBES = 2048, 256


class Traffic:
    """Times of ``sources`` that alternate at random, ``TUPLES`` in all, and what a reader must find."""

    def __init__(self, sources: int) -> None:
        order = np.random.default_rng(1).permutation(np.repeat(np.arange(sources), TUPLES // sources))
        self.times = [np.flatnonzero(order == source).astype(np.int64) for source in range(sources)]
        self.numbers = np.arange(TUPLES // sources, dtype=np.int64)
        values = np.empty(len(order), np.uint64)
        for source, times in enumerate(self.times):
            values[times] = times + source + self.numbers
        self.sum = int((np.arange(1, len(order) + 1, dtype=np.uint64) * values).sum())


@pytest.mark.benchmark(group="gate")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sources", [2, 16])
@pytest.mark.parametrize("batch", [1, 64], ids=["one by one", "64 at a time"])
@pytest.mark.parametrize("kind", ["ring", "skip-list"])
def bench_merge(
    once: Callable[..., Any], loops: SimpleNamespace, kind: str, batch: int, sources: int, threads: int
) -> None:
    """16,384 tuples in and out again, by one thread, or fed by one and read by another."""
    cores = list(allowed_cpus())[:threads]
    if len(cores) < threads:
        pytest.skip("there is one core")
    traffic = Traffic(sources)

    def run(gate: Any) -> Any:
        return gate.alone() if threads == 1 else gate.together(cores)

    _, found = once(lambda: loops.TimedGate(kind, traffic.times, traffic.numbers, batch), run, TUPLES)
    assert found == traffic.sum


@pytest.mark.benchmark(group="join")
@pytest.mark.parametrize("tier", TIERS)
def bench_chunk(once: Callable[..., Any], tier: str) -> None:
    """256 tuples of each side against windows of 2048, filled in the same time; by a thread that is started."""
    definition = PaperStreams(WINDOW + PROBES).definition(WINDOW, PROBES)

    def run(crew: JoinCrew) -> JoinCrew:
        crew.run()
        return crew

    crew = once(lambda: JoinCrew(definition, tier, 1), run, 2 * PROBES)
    assert len(crew.matches()[0]) <= definition.pairs
