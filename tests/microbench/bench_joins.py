"""A gate's merge of two sources, and a join's chunk: probes compared with a full window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.perf.gates import compiled
from streambench.lab.measure.perf.sections.gates import BATCHES, KINDS, Traffic
from streambench.pyx.join.join_crew import TIERS, JoinCrew

TUPLES = 16_384
WINDOW, PROBES = 2048, 256


@pytest.mark.benchmark(group="gate")
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("kind", KINDS)
def bench_merge(once: Callable[..., Any], kind: str, batch: int) -> None:
    """16,384 tuples of two sources in and out again, by one thread."""
    traffic = Traffic(2, TUPLES)
    gate = compiled().TimedGate
    _, found = once(lambda: gate(kind, traffic.times, traffic.numbers, batch), lambda each: each.alone(), TUPLES)
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
