"""From a unit's keys to partitions, and to the index that a partitioned operator is given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROWS = 2048
TIMES = 10


def keys() -> Any:
    return np.random.default_rng(1).integers(0, 1 << 40, ROWS)


@pytest.mark.benchmark(group="partitioning")
def bench_partitions_of_a_unit(loops: SimpleNamespace, benchmark: Any) -> None:
    """The partition of each of 2048 keys, ten times."""
    to = np.empty(ROWS, np.uint32)
    benchmark.extra_info["tuples"] = ROWS * TIMES
    benchmark(loops.Partitions(keys(), 64).of_all, to, TIMES)
    assert to.max() < 64


@pytest.mark.benchmark(group="partitioning")
@pytest.mark.parametrize("partitions", [4, 64, 1024])
def bench_scatter(loops: SimpleNamespace, benchmark: Any, partitions: int) -> None:
    """The index of a unit of 2048 rows, ten times."""
    benchmark.extra_info["tuples"] = ROWS * TIMES
    assert 0 < benchmark(loops.Partitions(keys(), partitions).scatter, TIMES) <= partitions
