"""Which combinations of options `streambench verify` runs: nearly all of them, or a few in which every pair occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from allpairspy import AllPairs

from streambench.errors import OptionError
from streambench.options import ENGINES, PARTITIONERS, PARTITIONINGS, REORDERS, SCHEDULERS, Options

WORKERS = (1, 2, 3, 4, 8)
UNITS = (1, 7, 64, 1024)
PARTITIONS = (1, 10, 100)
SEGMENTS = (True, False)
LAPS = 3
AXES = ("engines", "plans", "schedulers", "reorders", "partitionings", "workers", "units", "partitions", "segments")

PLANS = ("auto", "fused", "serial", "sharded")

PLANNED = Options(preload=True, pin=False)  # runs that are not timed leave cores to others
BASE = replace(PLANNED, trace=True)  # the paper's schemes: the output of every stage is compared
STREAMS = {"in memory": BASE, "from files": replace(BASE, preload=False), "in laps": replace(BASE, laps=LAPS)}


@dataclass(frozen=True)
class Grid:
    """The values of each option, and whether to run all combinations or a ``covering`` subset.

    Raises OptionError for an empty choice, or one that ``Options`` refuses.
    """

    engines: Sequence[str] = ENGINES
    plans: Sequence[str] = PLANS
    schedulers: Sequence[str] = SCHEDULERS
    reorders: Sequence[str] = REORDERS
    partitionings: Sequence[str] = PARTITIONINGS
    workers: Sequence[int] = WORKERS
    units: Sequence[int] = UNITS
    partitions: Sequence[int] = PARTITIONS
    segments: Sequence[bool] = SEGMENTS
    covering: bool = False

    def __post_init__(self) -> None:
        for name in AXES:
            if not getattr(self, name):
                raise OptionError(f"there is nothing to verify: give at least one of {name}.")
        for count in (*self.workers, *self.partitions):
            if count < 1:
                raise OptionError(f"workers and partitions must be at least 1, not {count}.")
        self.combinations()

    def combinations(self) -> list[Options]:
        """The options of every run, each once."""
        found = list(self._serial()) if "serial" in self.engines else []
        if "ordered" in self.engines:
            found += [*self._covering(), *self._covering_plans()] if self.covering else self._all()
        return list(dict.fromkeys(found))

    def _all(self) -> list[Options]:
        return [*self._plans(), *self._schemes(), *self._cuts(), *self._streams()]

    def _plans(self) -> Iterator[Options]:
        """Sharded units: every plan with every number of workers, unit (chosen ones too) and partition count."""
        for plan, workers, unit, partitions in product(self.plans, self.workers, (None, *self.units), self.partitions):
            yield replace(PLANNED, plan=plan, workers=workers, unit=unit, partitions=partitions)
        last = replace(PLANNED, workers=self.workers[-1], partitions=self.partitions[-1])
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
            "partition_by": PARTITIONERS,
            "stream": tuple(STREAMS),
        }
        for chosen in AllPairs([list(dict.fromkeys(values)) for values in options.values()]):
            given = dict(zip(options, chosen, strict=True))
            yield replace(STREAMS[given.pop("stream")], trace=False, **given)

    def _serial(self) -> Iterator[Options]:
        """Every unit, and once from the files."""
        serial = replace(BASE, engine="serial")
        yield from (replace(serial, unit=unit) for unit in self.units)
        yield replace(serial, unit=self.units[-1], preload=False)

    def _schemes(self) -> Iterator[Options]:
        """Every heuristic, reordering and partitioning scheme with every number of workers and unit.

        The partition counts, with segments on and off, are taken in turn: over all runs each scheme meets all of them,
        and so does each pair of workers and unit.
        """
        cuts = list(product(self.partitions, self.segments))
        for s, (scheduler, reorder, partitioning) in enumerate(
            product(self.schedulers, self.reorders, self.partitionings)
        ):
            schemes = replace(BASE, scheduler=scheduler, reorder=reorder, partitioning=partitioning)
            for k, (workers, unit) in enumerate(product(self.workers, self.units)):
                partitions, segments = cuts[(s + k) % len(cuts)]
                yield replace(schemes, workers=workers, unit=unit, partitions=partitions, segments=segments)

    def _cuts(self) -> Iterator[Options]:
        """Every partition count, with segments on and off, with every number of workers and unit, under one scheme."""
        schemes = replace(
            BASE,
            scheduler=_default("ct", self.schedulers),
            reorder=_default("nonblocking", self.reorders),
            partitioning=_default("hybrid", self.partitionings),
        )
        for workers, unit, partitions, segments in product(self.workers, self.units, self.partitions, self.segments):
            yield replace(schemes, workers=workers, unit=unit, partitions=partitions, segments=segments)

    def _streams(self) -> Iterator[Options]:
        """From files, in laps, and by range, with every reordering and partitioning scheme; heuristics in turn."""
        last = replace(BASE, workers=self.workers[-1], unit=self.units[-1], partitions=self.partitions[-1])
        for k, (reorder, partitioning) in enumerate(product(self.reorders, self.partitionings)):
            schemes = replace(
                last,
                scheduler=self.schedulers[k % len(self.schedulers)],
                reorder=reorder,
                partitioning=partitioning,
                segments=self.segments[0],
            )
            yield replace(schemes, preload=False)
            yield replace(schemes, laps=LAPS)
            yield replace(schemes, partition_by="range")

    def _covering(self) -> Iterator[Options]:
        """A few combinations in which every pair of values of any two options occurs, always the same ones."""
        options = {
            "scheduler": self.schedulers,
            "reorder": self.reorders,
            "partitioning": self.partitionings,
            "workers": self.workers,
            "unit": self.units,
            "partitions": self.partitions,
            "segments": self.segments,
            "partition_by": PARTITIONERS,
            "stream": tuple(STREAMS),
        }
        for chosen in AllPairs([list(dict.fromkeys(values)) for values in options.values()]):
            given = dict(zip(options, chosen, strict=True))
            yield replace(STREAMS[given.pop("stream")], **given)


def _default(wanted: str, values: Sequence[str]) -> str:
    return wanted if wanted in values else values[0]
