"""The queries over the data directory of a plan, each loaded once."""

from __future__ import annotations

import functools
from pathlib import Path

from sections.section import Plan, Tell

from streambench.catalog import Catalog
from streambench.queries import query as queries
from streambench.workload import Workload


def query_names(plan: Plan) -> list[str]:
    """All queries; none without data."""
    return queries.names() if plan.data is not None else []


def load(plan: Plan, name: str, tell: Tell) -> Workload:
    """The query with its stream in memory. Raises DataError for data that does not fit."""
    assert plan.data is not None
    tell(f"loading {name}")
    return _loaded(plan.data, name)


@functools.cache
def _loaded(data: Path, name: str) -> Workload:
    return Workload(name, Catalog.open(data))
