"""`streambench bench sweep --simulated`: the same schedule on simulated cores, as a result of its own kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.cli.bench.bench_frame import Document, FrameOptions
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.bench.sweep_frame import SweepFrame
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.measure.simulation import from_result
from streambench.lab.measure.simulation.bench import SimulationBench
from streambench.lab.measure.simulation.kept_profiles import check_place, keep
from streambench.lab.measure.simulation.settings import (
    CORES,
    COSTS,
    FEW_CORES,
    MEASURED,
    PAPER_CORES,
    SimulatedSchedule,
)
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.simulate.topology import Topology

NEXT = "next: streambench figures {0}; streambench claims"
SIMULATED = Flags(
    flag(
        "--simulated",
        is_flag=True,
        default=False,
        help="Simulate the parallel runs, on as many cores as workers, from what is measured here.",
    ),
    flag("--tuples", type=int, help="Simulated: tuples of a run, at least.  [default: as many as figures show]"),
    flag(
        "--topology",
        metavar="SxC|SxKxC",
        help="Simulated: sockets (times clusters) times cores of each.  [default: one socket]",
    ),
    flag("--seed", type=int, help="Simulated: of what is drawn, of the first repeat.  [default: 1]"),
    flag(
        "--costs-of",
        type=click.Choice(COSTS),
        help=f"Simulated: what operators take, as measured here or as the paper says.  [default: {MEASURED}]",
    ),
    flag(
        "--profiles",
        type=LocalPath(path_type=Path),
        metavar="FILE",
        help="Simulated: keep what is measured in this file, or, where it is there, take it from there.",
    ),
)


@dataclass(frozen=True)
class SimulatedOptions:
    """What a sweep was given for its simulation; None: nothing."""

    simulated: bool
    tuples: int | None
    topology: str | None
    seed: int | None
    costs_of: str | None
    profiles: Path | None

    def require_consistent(self, of_measured: Mapping[str, object]) -> None:
        """Raise OptionError for options of the one kind of sweep in a call of the other."""
        for name, value in of_measured.items() if self.simulated else ():
            if value is not None:
                raise OptionError(f"`{name}` belongs to runs that are measured: leave it out, or --simulated.")
        for each in fields(self)[1:] if not self.simulated else ():
            if getattr(self, each.name) is not None:
                raise OptionError(f"--{each.name.replace('_', '-')} belongs to --simulated: add that, or leave it out.")

    def schedule(self, schedule: Schedule) -> SimulatedSchedule:
        """What is to be simulated. Raises OptionError for what cannot be."""
        topology = None if self.topology is None else Topology.of(self.topology)
        named = {"tuples": self.tuples, "seed": self.seed, "costs": self.costs_of}
        chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        return SimulatedSchedule(schedule, topology=topology, **chosen)


def workers(preset: str | None) -> tuple[int, ...]:
    """The numbers of cores that are simulated where none are named."""
    return FEW_CORES if preset == "quick" else CORES


def ends(counts: tuple[int, ...]) -> tuple[int, ...]:
    """The paper's number of cores, or the most up to that, and the most."""
    return tuple(sorted({max((each for each in counts if each <= PAPER_CORES), default=min(counts)), max(counts)}))


def run(frame: FrameOptions, schedule: SimulatedSchedule, kept_in: Path | None, source: BenchSource, then: str) -> None:
    """Simulate the schedule; what is measured for it is kept in the file ``kept_in``, or taken from there."""
    fed = from_result.read(kept_in) if kept_in is not None and kept_in.exists() else None
    if kept_in is not None and fed is None:
        check_place(kept_in)
    fed_from = None if fed is None or kept_in is None else kept_in.name
    SimulatedSweepFrame(frame, kept_in if fed is None else None, then).run(
        SimulationBench(schedule, fed, fed_from), source
    )


class SimulatedSweepFrame(SweepFrame):
    """``kept_in``: the file that gets the profiles with their samples, which the result does not hold."""

    title = "sweep, simulated (the serial engine is measured)"
    many = "cores"

    def __init__(self, options: FrameOptions, kept_in: Path | None, then: str) -> None:
        super().__init__(options, then=then)
        self._kept_in = kept_in

    def complete(self, document: Document) -> None:
        """Keep the profiles."""
        if self._kept_in is not None:
            keep(self._kept_in, document)
        document["parameters"]["profiles"] = from_result.without_samples(document["parameters"]["profiles"])
