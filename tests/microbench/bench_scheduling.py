"""One decision of the schemes' scheduler, by each heuristic, over pipelines whose stages all have work.

*Alone*: nothing changes between two decisions. *Hammered*: on another core a thread makes visits of one tuple to all
stages, one after the other, without a pause; no worker does as little between two visits.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streambench.pyx.schemes.heuristics import make

from streambench.execution.options import HEURISTICS
from streambench.host.limits import allowed_cpus
from streambench.pyx.table_source import TableSource

DECISIONS = 10_000
CAPACITY = 8192.0


@pytest.mark.benchmark(group="scheduler")
@pytest.mark.parametrize("stages", [6, 24])
@pytest.mark.parametrize("cores", [1, 2], ids=["alone", "hammered"])
@pytest.mark.parametrize("heuristic", HEURISTICS)
def bench_decide(benchmark: Any, loops: SimpleNamespace, heuristic: str, cores: int, stages: int) -> None:
    """10,000 decisions by a thread that is started for them."""
    if len(allowed_cpus()) < cores:
        pytest.skip("there is one core")
    scheduled = loops.Scheduled(TableSource([np.arange(100_000)], ["a"]), stages, make(heuristic, CAPACITY))
    benchmark.extra_info["calls"] = DECISIONS
    assert benchmark(scheduled.time, DECISIONS, list(allowed_cpus())[:cores]) > 0
