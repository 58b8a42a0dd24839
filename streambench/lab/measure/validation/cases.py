"""What the simulator is compared with real runs by: queries and parametric pipelines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal, get_args

from streambench.errors import OptionError
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, Options
from streambench.host.limits import default_workers
from streambench.lab.measure.named import require_choices
from streambench.lab.workloads.micro import MicroSpec, OperatorSpec
from streambench.queries.query import PAPER_QUERIES

SimulatedEngine = Literal["ordered", "schemes"]
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
BY_RANGE = {"schemes": "schemes by range", "ordered": "ordered by range"}
SHARES = {"schemes": 4, "ordered": 3, **dict.fromkeys(BY_RANGE.values(), 1)}
"""How many of a few configurations are of each engine; of those where keys get to partitions by range apart."""


@dataclass(frozen=True)
class ValidationCase:
    """One comparison: ``workload``, a query's name or one of ``MICRO``, run and simulated as ``options`` say."""

    workload: str
    options: Options

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"workload": self.workload, "options": asdict(self.options)}

    @property
    def key(self) -> str:
        """In a journal."""
        return json.dumps(self.to_dict(), sort_keys=True)


def _schemes() -> list[Options]:
    return [
        Options(engine="schemes", heuristic=heuristic, reorder=reorder, partitioning=partitioning, unit=unit)
        for heuristic, reorder, partitioning, unit in product(HEURISTICS, REORDERS, PARTITIONINGS, UNITS)
    ]


def _ordered() -> list[Options]:
    """With plans and units given, with a plan that the controller chooses, and with both chosen."""
    fixed = [Options(engine="ordered", plan=plan, unit=unit) for plan, unit in product(PLANS, UNITS)]
    return [*fixed, Options(engine="ordered")]


CONFIGURATIONS: dict[str, Callable[[], list[Options]]] = {"schemes": _schemes, "ordered": _ordered}
"""By engine that can be simulated: what is compared of it, but for the workers."""


def _by_range(name: str, workloads: Sequence[str], workers: int) -> list[ValidationCase]:
    """What is compared of an engine by range: with several workers, as one has one partition, and where there are
    keys."""
    (engine,) = (each for each, by_range in BY_RANGE.items() if by_range == name)
    keyed = [each for each in workloads if each not in MICRO or any(one.kind == "ps" for one in MICRO[each].operators)]
    return [
        ValidationCase(workload, Options.of(options, workers=workers, partition_by="range", preload=True))
        for options in CONFIGURATIONS[engine]()
        for workload in keyed
        if workers > 1
    ]


def cases(
    engines: Sequence[str],
    workloads: Sequence[str],
    most: int | None,
    seed: int = 1,
    workers: Sequence[int] = (),
) -> list[ValidationCase]:
    """All of them, or the first ``most`` in an order by chance, always the same: more go on where fewer ended.

    ``engines``: by hash and by range, of each as many as ``SHARES`` say. ``workers``: none for 1 and 2. Raises
    OptionError for what is not there.
    """
    require_choices("workload", workloads, (*PAPER_QUERIES, *MICRO))
    if most is not None and most < 1:
        raise OptionError(f"`cases` must be at least 1, not {most}.")
    workers = workers or range(1, min(MOST_WORKERS, default_workers()) + 1)
    ordered: list[tuple[float, ValidationCase]] = []
    for name in (*engines, *(BY_RANGE[each] for each in engines)):
        if name in BY_RANGE.values():
            of_name = _by_range(name, workloads, max(workers))
        else:
            of_name = _product(CONFIGURATIONS[name](), workloads, workers)
        random.Random(seed).shuffle(of_name)
        ordered += [((place + 0.5) / SHARES[name], each) for place, each in enumerate(of_name)]
    ordered.sort(key=lambda each: each[0])
    return [each for _, each in ordered][:most]


def usual_cases(engines: Sequence[str], workloads: Sequence[str], workers: Sequence[int]) -> list[ValidationCase]:
    """Of each engine what `run` chooses, over these numbers of workers. Raises OptionError as above."""
    require_choices("workload", workloads, (*PAPER_QUERIES, *MICRO))
    usual = [Options(engine=engine) for engine in get_args(SimulatedEngine) if engine in engines]
    return _product(usual, workloads, workers or range(1, min(MOST_WORKERS, default_workers()) + 1))


def _product(
    configurations: Sequence[Options], workloads: Sequence[str], workers: Sequence[int]
) -> list[ValidationCase]:
    return [
        ValidationCase(workload, Options.of(options, workers=count, preload=True))
        for options in configurations
        for workload in workloads
        for count in workers
    ]
