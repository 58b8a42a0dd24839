"""What the simulator is compared with real runs by: all schemes and plans over queries and pipelines, and joins."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, Options
from streambench.host.limits import default_workers
from streambench.measure.joins.crews import TIERS
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
PLANS = ("auto", "whole", "cut", "sharded")
WINDOWS = (1024, 16384)  # tuples of a join's windows
JOINS = "joins"
SHARES = {"schemes": 4, "ordered": 3, JOINS: 1}
"""How many of a few configurations are of each engine, and of joins."""


@dataclass(frozen=True)
class Case:
    """One comparison: ``workload``, a query's name or one of ``MICRO``, run and simulated as ``options`` say."""

    workload: str
    options: Options

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"workload": self.workload, "options": asdict(self.options)}


@dataclass(frozen=True)
class JoinCase:
    """One comparison: ScaleJoin of paper 001's streams by ``tier`` and ``threads``, with windows of so many tuples."""

    tier: str
    threads: int
    window: int

    @property
    def workload(self) -> str:
        """What it is called in tables."""
        return f"join {self.tier}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"workload": self.workload, "threads": self.threads, "window": self.window}


def _schemes() -> list[Options]:
    return [
        Options(engine="schemes", heuristic=heuristic, reorder=reorder, partitioning=partitioning, unit=unit)
        for heuristic, reorder, partitioning, unit in product(HEURISTICS, REORDERS, PARTITIONINGS, UNITS)
    ]


def _ordered() -> list[Options]:
    """With plans and units given, with a plan that the controller chooses, and with both chosen."""
    given = [Options(engine="ordered", plan=plan, unit=unit) for plan, unit in product(PLANS, UNITS)]
    return [*given, Options(engine="ordered")]


CONFIGURATIONS: dict[str, Callable[[], list[Options]]] = {"schemes": _schemes, "ordered": _ordered}
"""By engine that can be simulated: what is compared of it, but for the workers."""
COMPARED = (*CONFIGURATIONS, JOINS)


def cases(compared: Sequence[str], workloads: Sequence[str], most: int | None, seed: int = 1) -> list[Case | JoinCase]:
    """All of them, or the first ``most`` in an order by chance, always the same: more go on where fewer ended.

    ``compared``: engines, and joins, which do not depend on ``workloads``; of each there are as many as ``SHARES`` say.
    Raises OptionError for what is not there.
    """
    for name in workloads:
        if name not in (*PAPER_QUERIES, *MICRO):
            raise OptionError(f"there is no workload {name!r}: choose from {', '.join((*PAPER_QUERIES, *MICRO))}.")
    if most is not None and most < 1:
        raise OptionError(f"`cases` must be at least 1, not {most}.")
    workers = range(1, min(MOST_WORKERS, default_workers()) + 1)
    ordered: list[tuple[float, Case | JoinCase]] = []
    for name in compared:
        found: list[Case | JoinCase]
        if name == JOINS:
            found = [JoinCase(*each) for each in product(TIERS, workers, WINDOWS)]
        else:
            found = [
                Case(workload, Options.of(options, workers=count, preload=True))
                for options in CONFIGURATIONS[name]()
                for workload in workloads
                for count in workers
            ]
        random.Random(seed).shuffle(found)
        ordered += [((place + 0.5) / SHARES[name], each) for place, each in enumerate(found)]
    ordered.sort(key=lambda each: each[0])
    return [each for _, each in ordered][:most]
