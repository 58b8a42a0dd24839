"""Each operator of each query, called on one unit, after two that went through it.

The data is small and made up (``tests/queries/small_data.py``): it has every edge case more often than real data. So
times are to be compared with times of the same operator at another commit, and with nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import small_data

from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

ROWS = 1024
BEFORE = 2
OPTIONS = Options(engine="serial")


def operators() -> dict[tuple[str, int], str]:
    """By query and place what each operator is called, of pipelines that are never run."""
    nothing = queries.Inputs(
        facts={"tickets_ascend": True},
        bound=lambda name: 1,
        categories=lambda: np.zeros(1, np.int64),
        page_types=lambda: np.zeros(1, np.int64),
        campaigns=lambda: np.zeros(1, np.int64),
    )
    found = {}
    for name in queries.names():
        query = queries.find(name)
        made = query.operators(query.parameters["paper"], nothing)
        found |= {(name, place): f"{name}-{type(each).__name__}" for place, each in enumerate(made, start=1)}
    return found


OPERATORS = operators()


@pytest.fixture(scope="session")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Workload]:
    folder: Path = tmp_path_factory.mktemp("data")
    small_data.make(folder, 1, tickets=2500, users=80, events=4 * ROWS)
    catalog, known = Catalog.open(folder), dict[str, Workload]()

    def of(query: str) -> Workload:
        if query not in known:
            known[query] = Workload(query, catalog)
        return known[query]

    return of


@pytest.mark.benchmark(group="operators")
@pytest.mark.parametrize(("query", "place"), list(OPERATORS), ids=OPERATORS.values())
def bench_operator(
    loops: SimpleNamespace,
    once: Callable[..., Any],
    benchmark: Any,
    workload: Callable[[str], Workload],
    query: str,
    place: int,
) -> None:
    """A unit of 1024 stream tuples; ``given``: those that get as far as the operator."""
    of = workload(query)

    def ready() -> Any:
        made = of.pipeline(OPTIONS, keep=False).operators
        for each in made:
            each.prepare(1)
        return loops.OneUnit(made, place, ROWS, BEFORE)

    benchmark.extra_info["given"] = ready().given
    assert once(ready, lambda one: one.process(), ROWS) == -1
