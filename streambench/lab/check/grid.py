"""Which combinations of options `streambench verify` runs: nearly all of them, or a few in which every pair occurs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeVar

from allpairspy import AllPairs

from streambench.errors import OptionError
from streambench.execution import plans
from streambench.execution.options import (
    ENGINES,
    HEURISTICS,
    PARTITIONINGS,
    REORDERS,
    ROUTINGS,
    Heuristic,
    Options,
    Partitioning,
    Reorder,
    Routing,
)

WORKERS = (1, 2, 3, 4, 8)
UNITS = (1, 7, 64, 1024)
PARTITIONS = (1, 10, 100)
FUSED = (True, False)
LAPS = 3
AXES = (
    *("engines", "plans", "heuristics", "reorders", "partitionings", "routings"),
    *("workers", "units", "partitions", "fuse"),
)

PLANS = plans.NAMED

ORDERED = Options(engine="ordered", preload=True, pin=False)  # runs that are not timed leave cores to others
SCHEMES = replace(ORDERED, engine="schemes", trace=True)  # the output of every stage is compared
STREAMS: dict[str, dict[str, Any]] = {"in memory": {}, "from files": {"preload": False}, "in laps": {"laps": LAPS}}

Name = TypeVar("Name")


@dataclass(frozen=True)
class Grid:
    """The values of each option, and whether to run all combinations or a ``covering`` subset.

    Raises OptionError for an empty choice, or one that ``Options`` refuses.
    """

    engines: Sequence[str] = ENGINES
    plans: Sequence[str] = PLANS
    heuristics: Sequence[Heuristic] = HEURISTICS
    reorders: Sequence[Reorder] = REORDERS
    partitionings: Sequence[Partitioning] = PARTITIONINGS
    routings: Sequence[Routing] = ROUTINGS
    workers: Sequence[int] = WORKERS
    units: Sequence[int] = UNITS
    partitions: Sequence[int] = PARTITIONS
    fuse: Sequence[bool] = FUSED
    covering: bool = False

    def __post_init__(self) -> None:
        for name in AXES:
            if not getattr(self, name):
                raise OptionError(f"there is nothing to verify: give at least one of `{name}`.")
        for count in (*self.workers, *self.partitions):
            if count < 1:
                raise OptionError(f"`workers` and `partitions` must be at least 1, not {count}.")
        self.combinations()

    def combinations(self) -> list[Options]:
        """The options of every run, each once."""
        combinations = list(self._serial()) if "serial" in self.engines else []
        if "ordered" in self.engines:
            combinations += self._covering_plans() if self.covering else self._plans()
        if "schemes" in self.engines:
            combinations += self._covering_schemes() if self.covering else self._all_schemes()
        return list(dict.fromkeys(combinations))

    def _all_schemes(self) -> list[Options]:
        return [*self._schemes(), *self._sizes(), *self._streams()]

    def _plans(self) -> Iterator[Options]:
        """Every plan with every number of workers, unit (chosen ones too) and partition count."""
        for plan, workers, unit, partitions in product(self.plans, self.workers, (None, *self.units), self.partitions):
            yield replace(ORDERED, plan=plan, workers=workers, unit=unit, partitions=partitions)
        last = replace(ORDERED, workers=self.workers[-1], partitions=self.partitions[-1])
        for plan in self.plans:
            yield replace(last, plan=plan, preload=False)
            yield replace(last, plan=plan, laps=LAPS)
            yield replace(last, plan=plan, partition_by="range")

    def _covering_plans(self) -> Iterator[Options]:
        """The same, in few combinations."""
        options = {
            "plan": self.plans,
            "workers": self.workers,
            "unit": (None, *self.units),
            "partitions": self.partitions,
            "partition_by": ("hash", "range"),
            "stream": tuple(STREAMS),
        }
        return _covering(ORDERED, options)

    def _serial(self) -> Iterator[Options]:
        """Every unit, and once from the files."""
        serial = replace(SCHEMES, engine="serial")
        yield from (replace(serial, unit=unit) for unit in self.units)
        yield replace(serial, unit=self.units[-1], preload=False)

    def _schemes(self) -> Iterator[Options]:
        """Every heuristic, reordering and partitioning scheme with every number of workers and unit.

        The partition counts, with operators fused and not and both routings, are taken in turn: over all runs each
        scheme meets all of them, and so does each pair of workers and unit.
        """
        ways = list(product(self.partitions, self.fuse, self.routings))
        for s, (heuristic, reorder, partitioning) in enumerate(
            product(self.heuristics, self.reorders, self.partitionings)
        ):
            schemes = replace(SCHEMES, heuristic=heuristic, reorder=reorder, partitioning=partitioning)
            for k, (workers, unit) in enumerate(product(self.workers, self.units)):
                partitions, fuse, routing = ways[(s + k) % len(ways)]
                options = replace(schemes, partitions=partitions, fuse=fuse, routing=routing)
                yield replace(options, workers=workers, unit=unit)

    def _sizes(self) -> Iterator[Options]:
        """Every partition count, operators fused and not, with every number of workers and unit, under one scheme."""
        schemes = replace(
            SCHEMES,
            heuristic=_default("ct", self.heuristics),
            reorder=_default("nonblocking", self.reorders),
            partitioning=_default("hybrid", self.partitionings),
            routing=_default("early", self.routings),
        )
        for workers, unit, partitions, fuse in product(self.workers, self.units, self.partitions, self.fuse):
            yield replace(schemes, workers=workers, unit=unit, partitions=partitions, fuse=fuse)

    def _streams(self) -> Iterator[Options]:
        """From files, in laps, and by range, with every reordering and partitioning scheme; heuristics in turn."""
        last = replace(SCHEMES, workers=self.workers[-1], unit=self.units[-1], partitions=self.partitions[-1])
        for k, (reorder, partitioning) in enumerate(product(self.reorders, self.partitionings)):
            schemes = replace(
                last,
                heuristic=self.heuristics[k % len(self.heuristics)],
                reorder=reorder,
                partitioning=partitioning,
                routing=self.routings[k % len(self.routings)],
                fuse=self.fuse[0],
            )
            yield replace(schemes, preload=False)
            yield replace(schemes, laps=LAPS)
            yield replace(schemes, partition_by="range")

    def _covering_schemes(self) -> Iterator[Options]:
        """A few combinations in which every pair of values of any two options occurs, always the same ones."""
        options = {
            "heuristic": self.heuristics,
            "reorder": self.reorders,
            "partitioning": self.partitionings,
            "routing": self.routings,
            "workers": self.workers,
            "unit": self.units,
            "partitions": self.partitions,
            "fuse": self.fuse,
            "partition_by": ("hash", "range"),
            "stream": tuple(STREAMS),
        }
        return _covering(SCHEMES, options)


def _covering(base: Options, options: Mapping[str, Sequence[Any]]) -> Iterator[Options]:
    """So few changes of ``base`` that every pair of values of any two options occurs."""
    for chosen in AllPairs([list(dict.fromkeys(values)) for values in options.values()]):
        named = dict(zip(options, chosen, strict=True))
        yield replace(base, **STREAMS[named.pop("stream")], **named)


def _default(usual: Name, values: Sequence[Name]) -> Name:
    return usual if usual in values else values[0]
