"""Engines side by side on small streams in many laps: `pytest tests/benchmarks --benchmark-only` (skipped otherwise).

For figures that are to be trusted use `streambench bench`, which interleaves, repeats and checks.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from streambench.catalog import Catalog
from streambench.options import Options
from streambench.queries import query as queries
from streambench.workload import Workload

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "queries"))
import small_data

LAPS = 200


@pytest.mark.parametrize("query", queries.names())
@pytest.mark.parametrize(("engine", "workers"), [("serial", 1), ("ordered", 1), ("ordered", 2)])
def test_query(benchmark: BenchmarkFixture, tmp_path: Path, query: str, engine: str, workers: int) -> None:
    small_data.make(tmp_path, seed=1)
    workload = Workload(query, Catalog.open(tmp_path))
    options = Options(engine=engine, workers=workers, laps=LAPS, preload=True)
    reference = workload.serial_digest(LAPS)
    _, pipeline = benchmark.pedantic(workload.run, args=(options,), kwargs={"keep": False}, rounds=5, warmup_rounds=1)
    assert pipeline.sink.digest == reference
