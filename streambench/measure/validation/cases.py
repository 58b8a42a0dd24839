"""What the simulator is compared with real runs by: all schemes, over queries and parametric pipelines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, Options
from streambench.host.limits import default_workers
from streambench.queries.query import PAPER_QUERIES
from streambench.workloads.micro import MicroSpec, OperatorSpec

UNITS = (1, 64, 1024)
MOST_WORKERS = 2  # as many cores as every machine has
TUPLES = 100_000
MICRO = {
    "sl": MicroSpec((OperatorSpec("sl", 1.0),), tuples=TUPLES),
    "ps": MicroSpec((OperatorSpec("ps", 1.0),), tuples=TUPLES, keys="zipf"),
    "sl-ps": MicroSpec((OperatorSpec("sl", 1.0), OperatorSpec("ps", 1.0)), tuples=TUPLES // 2),
}
"""The parametric pipelines: a stateless operator, a keyed one under skew, and both."""
QUICK = 48  # cases


@dataclass(frozen=True)
class Case:
    """One comparison: ``workload``, a query's name or one of ``MICRO``, run and simulated as ``options`` say."""

    workload: str
    options: Options

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"workload": self.workload, "options": asdict(self.options)}


def _schemes() -> list[Options]:
    return [
        Options(engine="schemes", heuristic=heuristic, reorder=reorder, partitioning=partitioning, unit=unit)
        for heuristic, reorder, partitioning, unit in product(HEURISTICS, REORDERS, PARTITIONINGS, UNITS)
    ]


CONFIGURATIONS: dict[str, Callable[[], list[Options]]] = {"schemes": _schemes}
"""By engine that can be simulated: what is compared of it, but for the workers."""


def cases(engines: Sequence[str], workloads: Sequence[str], most: int | None, seed: int = 1) -> list[Case]:
    """All of them, or the first ``most`` in an order by chance, always the same: more go on where fewer ended.

    Raises OptionError for what is not there.
    """
    for name in workloads:
        if name not in (*PAPER_QUERIES, *MICRO):
            raise OptionError(f"there is no workload {name!r}: choose from {', '.join((*PAPER_QUERIES, *MICRO))}.")
    if most is not None and most < 1:
        raise OptionError(f"`cases` must be at least 1, not {most}.")
    workers = range(1, min(MOST_WORKERS, default_workers()) + 1)
    found = [
        Case(workload, Options.of(options, workers=count, preload=True))
        for engine in engines
        for options in CONFIGURATIONS[engine]()
        for workload in workloads
        for count in workers
    ]
    random.Random(seed).shuffle(found)
    return found[:most]
