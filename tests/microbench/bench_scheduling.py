"""One decision of the schemes' scheduler, by each heuristic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.schemes.heuristics import make

from streambench.execution.options import HEURISTICS
from streambench.host.limits import allowed_cpus
from streambench.lab.measure.perf.scheduling import compiled
from streambench.lab.measure.perf.sections.decisions import CAPACITY
from streambench.pyx.table_source import TableSource

STAGES = 6
DECISIONS = 10_000


@pytest.mark.benchmark(group="scheduler")
@pytest.mark.parametrize("heuristic", HEURISTICS)
def bench_decide(benchmark: Any, heuristic: str) -> None:
    """10,000 decisions over six stages that all have work, by a thread that is started for them."""
    scheduled = compiled().Scheduled(TableSource([np.arange(100_000)], ["a"]), STAGES, make(heuristic, CAPACITY))
    benchmark.extra_info["calls"] = DECISIONS
    assert benchmark(scheduled.time, DECISIONS, list(allowed_cpus())[:1]) > 0
