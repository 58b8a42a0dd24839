"""Space-Saving's update, by the designs that one thread uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streambench.pyx.topk.designs import design_named

ITEMS = 65_536
COUNTERS = 1000


@pytest.mark.benchmark(group="top-k")
@pytest.mark.parametrize("alpha", [1.1, 2.0])
@pytest.mark.parametrize("design", ["fast", "sequential", "lossy"])
def bench_update(benchmark: Any, design: str, alpha: float) -> None:
    """65,536 items by Zipf's law, counted by 1000 counters that are in use."""
    items = np.random.default_rng(1).zipf(alpha, ITEMS).astype(np.uint64)
    summary = design_named(design)(COUNTERS)
    summary.add(items)
    benchmark.extra_info["tuples"] = ITEMS
    benchmark(summary.add, items)
    assert len(summary.snapshot()[0]) > 0
