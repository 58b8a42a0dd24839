"""The frame of commands of simulated cores: their options, what the simulator is fed with, and how results are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, Unpack

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.execution.options import OptionChanges, Options
from streambench.execution.settled import SCHEMES_UNIT
from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import group, option
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.runtime_options import runtime_notes, runtime_options
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.named import named_workloads
from streambench.lab.measure.simulation.kept_profiles import KeptProfiles
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.profile import ProfileSource, Simulable, profile
from streambench.lab.simulate.simulate import SATURATED, SEEDS, Report, SimulatedRun, require_simulable
from streambench.lab.simulate.times import Times, measure
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

FEW_UNITS = 10  # for each core: of fewer, how a run begins and ends is a large part
OF_QUERIES = ("parameters", "laps")
OF_SCHEMES = ("heuristic", "reorder", "partitioning", "routing", "capacity", "time_slice", "window", "fuse")
OF_ENGINES = runtime_options.only(
    *("engine", "plan", "latency_target", "unit", "partitions", "partition_by", "credit", *OF_SCHEMES)
).but(
    "--engine",
    metavar="ordered|schemes",
    help="What is simulated.  [default: ordered; schemes, if an option of schemes is given]",
)
"""Of `schemes` and `ordered`."""

topology_flag = flag(
    "--topology",
    metavar="SxC|SxKxC",
    help="Sockets times cores of each, such as 2x64, or sockets times clusters times cores, such as 2x8x8.  "
    "[default: one socket, assumed]",
)
seed_flag = flag("--seed", type=int, default=1, show_default=True, help="Of what is drawn from the profiles.")
profiles_flag = flag(
    "--profiles",
    type=LocalPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep what is measured in this file, and take from it what it has.  [default: measured anew]",
)
rows_output = flag(
    "--json",
    "json_out",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the rows (JSON).",
)


def simulated_cores(default: str) -> Any:
    """``--cores``, of a command that simulates several numbers of them."""
    return option("Of the simulated machine: how many, with as many workers.", default, "--cores", type=numbers(int, 1))


@dataclass(frozen=True)
class SimulationOptions:
    """The simulated machine, and the ``engine`` on it."""

    topology: str | None
    seed: int
    profiles: Path | None
    engine: OptionChanges

    @classmethod
    def of(
        cls, topology: str | None, seed: int, profiles: Path | None, **engine: Unpack[OptionChanges]
    ) -> SimulationOptions:
        """By the values of their options."""
        return cls(topology, seed, profiles, engine)


def simulation_options() -> Any:
    """The field ``simulation`` of a command's options."""
    return group(Flags(topology_flag, seed_flag, profiles_flag) + OF_ENGINES, SimulationOptions.of)


class Row(Protocol):
    """What is simulated on one number of cores."""

    def to_dict(self) -> dict[str, Any]: ...


W = TypeVar("W", bound=Simulable)
R = TypeVar("R")


@dataclass(frozen=True)
class NamedWorkload:
    """What is to be simulated, not read yet: an ``own`` pipeline, or a query over ``data``."""

    name: str
    own: OwnWorkload | None
    data: Catalog | None

    @classmethod
    def of(cls, name: str, directory: Path | None) -> NamedWorkload:
        """Raises OptionError for a name that there is not, and for a query without a data directory."""
        named_workloads([name])
        own = own_workloads([name], None, OF_QUERIES, directory).get(name)
        if own is not None:
            return cls(name, own, None)
        if directory is None:
            raise OptionError(f"{name} needs a data directory: name it with --data.")
        return cls(name, None, Catalog.open(directory))

    def workload(self, parameters: str, line: LiveLine) -> Workload | OwnWorkload:
        """Ready to run."""
        if self.own is not None:
            return self.own
        assert self.data is not None, "a query has data"
        return Workload(self.name, self.data, parameters, progress=line.step)


@dataclass(frozen=True)
class Feed:
    """What a simulator is fed with: what cores take to share, and profiles, which are ``kept`` in a file or measured
    when they are asked for (None)."""

    times: Times
    kept: KeptProfiles | None = None

    @property
    def profiled(self) -> ProfileSource:
        """What gives the profiles."""
        return profile if self.kept is None else self.kept.profile

    @property
    def origin(self) -> str:
        """Where what is measured comes from: the beginning of a sentence that says what it is."""
        if self.kept is None:
            return "Measured here"
        return f"Measured here and kept in {self.kept.path}" if self.kept.measured else f"Taken from {self.kept.path}"


@dataclass(frozen=True)
class SimulationCall:
    """A call of a command: the engine's ``options``, the simulated machine, and what it reads and writes."""

    options: Options
    topology: Topology
    about: Mapping[str, Any]
    seed: int
    json_out: Path | None
    profiles: Path | None

    @classmethod
    def of(
        cls, simulation: SimulationOptions, cores: Sequence[int], json_out: Path | None, laps: int = 1
    ) -> SimulationCall:
        """Tell a note for each option that has no effect. Raises OptionError for what is not simulated."""
        topology, about = machine(simulation.topology, simulation.seed, cores)
        options = Options.of(Options(preload=True, laps=laps), **simulation.engine)
        require_simulable(options)
        settled = Options.of(options, workers=max(cores), engine=options.named_engine)
        tell_warnings(Console(stderr=True), runtime_notes(click.get_current_context(), settled, max(cores)))
        return cls(options, topology, about, simulation.seed, json_out, simulation.profiles)

    def check_rows_out(self, read: Iterable[Path | None] = (), data: Catalog | None = None) -> None:
        """Raise StreambenchError, before anything is measured, for a place of rows that cannot be written to, or is one
        of what is ``read``: files and folders, and the tables of ``data``."""
        if self.json_out is None or self.json_out == STDOUT:
            return
        check_places({"--json": self.json_out}, data)
        files = [each for each in (self.profiles, *read) if each is not None]
        keep_inputs({"--json": self.json_out}, files, [str(each) for each in files], "read")

    def simulated(
        self, load: Callable[[LiveLine], W], simulate: Callable[[W, Feed, Report], list[R]]
    ) -> tuple[list[R], Feed]:
        """What ``simulate`` finds of what is loaded. Raises StreambenchError for profiles of another workload."""
        with LiveLine() as line:
            workload = load(line)
            kept = None if self.profiles is None else KeptProfiles(self.profiles, workload)
            line.wait("measuring what cores take to share")
            feed = Feed(measure() if kept is None else kept.times, kept)
            rows = simulate(workload, feed, lambda doing, done, total: line.step(doing, done, total, "tuples"))
        if kept is not None:
            tell_warnings(Console(stderr=True), kept.warnings)
        return rows, feed

    def give(
        self,
        about: Mapping[str, Any],
        feed: Feed,
        rows: Sequence[Row],
        tables: Sequence[Table],
        *,
        how: str = "",
        more: str = "",
        warnings: Sequence[str] = (),
    ) -> None:
        """Write the rows where they were asked for, and print the tables, the first one with what it is of.

        ``about``: of what. ``how``, ``more``: what else it rests on, and what else there is to be said.
        """
        tell_warnings(Console(stderr=True), warnings)
        profiles = None if feed.kept is None else feed.kept.about
        engine = {"engine": self.options.named_engine}
        about = {**about, **engine, **self.about, "profiles": profiles}
        tell_json(self.json_out, about, feed.times, [row.to_dict() for row in rows])
        if self.json_out == STDOUT:
            return
        console = Console() if Console().is_terminal else Console(width=150)
        console.print(tables[0])
        console.print(
            f"simulated, not measured; topology {self.topology} ({self.about['topology_is']}). {feed.origin}: one "
            f"worker's work{how}. {memory_told(Machine(feed.times, self.topology))} {more}",
            soft_wrap=True,
            highlight=False,
        )
        for table in tables[1:]:
            console.print(table)


def machine(topology: str | None, seed: int, cores: Sequence[int]) -> tuple[Topology, dict[str, Any]]:
    """The topology, and what a document says of it. Raises OptionError for cores that it has not, and for the seed."""
    if not 0 <= seed < SEEDS:
        raise OptionError(f"--seed must be from 0 to 2**63 - 1, not {seed}.")
    place = Topology() if topology is None else Topology.of(topology)
    for each in cores:
        place.require(each)
    return place, {"topology": str(place), "topology_is": "assumed" if topology is None else "given", "seed": seed}


def tell_json(place: Path | None, about: Mapping[str, Any], times: Times, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows where they were asked for, and on standard error what is to be known of the ``times``.

    ``about``: of what, and of the machine, as ``machine`` says it.
    """
    tell_warnings(Console(stderr=True), times.warnings)
    simulated = Machine(times, Topology.of(about["topology"]))
    ways = {name: {"ns": way, "assumed": name in times.assumed} for name, way in simulated.ways.items()}
    content = {"simulated": True, **about, "times_ns": times.to_dict(), "ways": ways}
    content |= {"memory_limit": simulated.memory_limit or "unknown", "rows": list(rows)}
    if place == STDOUT:
        click.echo(json_text(content), nl=False)
    elif place is not None:
        write_all({place: as_json(content)})


def lines_told(feed: Feed, topology: Topology) -> str:
    """What a cache line takes on its ways between the machine's cores, which of that is assumed, and a wake-up."""
    names = {"cluster_line": "from another cluster", "far_line": "from another socket"}
    ways = Machine(feed.times, topology).ways
    phrases = [f"; a cache line's way {ways.pop('near_line'):.0f} ns"]
    for name, way in ways.items():
        phrases.append(f"{way:.0f} ns {names[name]}{' (assumed)' if name in feed.times.assumed else ''}")
    return f"{', '.join(phrases)}; a wake-up {feed.times.wake_up / 1e3:.0f} us"


def memory_told(machine: Machine) -> str:
    """A sentence: how much the machine's memory brings, or that this is not known."""
    if machine.memory_limit is None:
        return (
            "Memory's limit is unknown: two cores here read about twice what one does, and more were not measured. "
            "So it stops no simulated core."
        )
    return f"Memory brings the cores of a socket {machine.memory_limit:.1f} bytes a ns, as it does two cores here."


def few_units(rows: Sequence[SimulatedRun], unit: int | None) -> list[str]:
    """A note if the stream is too short for the cores, of the fewest for which it is. ``unit``: as was asked for."""
    for each in rows:
        size = each.unit or unit or SCHEMES_UNIT
        enough = FEW_UNITS * each.cores
        if each.tuples < enough * size:
            return [
                f"the stream is shorter than {enough} units of {size} tuples, {FEW_UNITS} for each core, so how the "
                "run begins and ends is a large part of it: take a longer stream or a smaller --unit."
            ]
    return []


Column = tuple[str, Callable[[R], str]]
"""A heading, and a row's cell."""


def table(title: str, columns: Sequence[Column[R]], rows: Sequence[R], of: Callable[[R], SimulatedRun] | None) -> Table:
    """A row for each number of cores. ``of``: its simulated run, of which is told what saturates first and, where plans
    are chosen, the last one; None: of what was measured."""
    shown = Table(title=title)
    for heading, _ in columns:
        shown.add_column(heading, justify="right")
    more: list[Column[SimulatedRun]] = [("first to saturate", _first)] if of is not None else []
    if of is not None and any(of(row).plan is not None for row in rows):
        more.append(("plan in the end", lambda each: f"{each.plan}, units of {each.unit}"))
    for heading, _ in more:
        shown.add_column(heading)
    for row in rows:
        last = [cell(of(row)) for _, cell in more] if of is not None else []
        shown.add_row(*(cell(row) for _, cell in columns), *last)
    return shown


def _first(each: SimulatedRun) -> str:
    return f"{each.first} ({each.taken:.0%})" if each.taken >= SATURATED else f"nothing; {each.first} {each.taken:.0%}"
