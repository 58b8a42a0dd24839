"""`streambench bench sweep --simulated`: the same schedule on simulated cores, as a result of its own kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.simulation import from_result
from streambench.lab.measure.simulation.kept_profiles import check_place, keep
from streambench.lab.measure.simulation.settings import CORES, COSTS, FEW_CORES, MEASURED, PAPER_CORES, TUPLES, Settings
from streambench.lab.measure.simulation.simulate import Simulation
from streambench.lab.measure.sweep.progress import SweepProgress
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, identity
from streambench.lab.record.journaled_document import begin, document, end
from streambench.lab.record.simulation_summary import KIND
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.sweep_table import table
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.own_workload import OwnWorkload

OF_MEASURED = ("seconds", "budget", "oracle")
SIMULATED = Flags(
    flag(
        "--simulated",
        is_flag=True,
        default=False,
        help="Simulate the parallel runs, on as many cores as workers, from what is measured here.",
    ),
    flag("--tuples", type=int, help=f"Simulated: tuples of a run, at least.  [default: {TUPLES}]"),
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


def require_consistent(given: dict[str, Any]) -> None:
    """Raise OptionError for options of the one kind of sweep in a call of the other."""
    for name in OF_MEASURED if given["simulated"] else ():
        if given[name] is not None:
            raise OptionError(f"`{name}` belongs to runs that are measured: leave it out, or --simulated.")
    for name, value in SIMULATED.values(given).items() if not given["simulated"] else ():
        if value is not None and value is not False:
            raise OptionError(f"--{name.replace('_', '-')} belongs to --simulated: add that, or leave it out.")


def workers(preset: str | None) -> tuple[int, ...]:
    """The numbers of cores that are simulated where none are named."""
    return FEW_CORES if preset == "quick" else CORES


def ends(counts: tuple[int, ...]) -> tuple[int, ...]:
    """The paper's number of cores, or the most up to that, and the most."""
    return tuple(sorted({max((each for each in counts if each <= PAPER_CORES), default=min(counts)), max(counts)}))


def run(
    given: dict[str, Any],
    settings: Settings,
    data: Catalog | None,
    own: dict[str, OwnWorkload],
    described: dict[str, Any],
    state: list[Any],
    console: Console,
) -> None:
    """Simulate the schedule, write the result, print its table."""
    kept_in: Path | None = given["profiles"]
    from_file = from_result.read(kept_in) if kept_in is not None and kept_in.exists() else None
    if kept_in is not None and from_file is None:
        check_place(kept_in)
    messages = Console(stderr=True)
    call = begin()
    tell_warnings(messages, call["warnings"])
    fed_by = None if from_file is None else [each["key"] for each in from_file["parameters"]["profiles"]]
    fed_at = None if from_file is None else from_file["created"]
    key = identity({**settings.describe(), "fed": [fed_at, fed_by]}, state, call["machine"])
    with Journal(given["folder"], KIND, key, restart=given["restart"]) as journal:
        runs, simulation = _simulate(settings, data, own, journal, call, from_file)
        assert simulation.times is not None, "runs are simulated with them"
        profiles = [{"key": name, **each} for name, each in sorted(simulation.profiles.items())]
        parameters = {**described, **settings.plain(), "times_ns": simulation.times.to_dict(), "points": len(runs)}
        parameters |= {"profiles_from": None if from_file is None else given["profiles"].name}
        found = document(KIND, {**parameters, "profiles": profiles}, runs, journal.records)
        if kept_in is not None and from_file is None:
            keep(kept_in, found)
        found["parameters"]["profiles"] = from_result.without_samples(profiles)
        made, hidden = table(found["summary"])
        made.title = "sweep, simulated (the serial engine is measured)"
        console.print(made)
        if hidden:
            console.print(f"{hidden} more rows, of fewer cores, are in the result file.")
        tell_warnings(messages, found["warnings"], told=call["warnings"])
        written = results.write(found, given["folder"])
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    wrong = [each for each in found["runs"] if each["throughput"] is None]
    if wrong:
        raise StreambenchError(
            f"{len(wrong)} of {len(runs)} runs failed and have no number, the first because {wrong[0]['problem']}"
        )
    if not all(each.workload in own for each in settings.schedule.comparisons):
        console.print(f"next: streambench figures {written}; streambench claims", soft_wrap=True, markup=False)


def settings_of(given: dict[str, Any], schedule: Schedule) -> Settings:
    """What is to be simulated. Raises OptionError for what cannot be."""
    topology = None if given["topology"] is None else Topology.of(given["topology"])
    named = {"tuples": given["tuples"], "seed": given["seed"], "costs": given["costs_of"]}
    return Settings(schedule, topology=topology, **{name: value for name, value in named.items() if value is not None})


def _simulate(
    settings: Settings,
    data: Catalog | None,
    own: dict[str, OwnWorkload],
    journal: Journal,
    call: Record,
    from_file: dict[str, Any] | None,
) -> tuple[list[Record], Simulation]:
    simulation = Simulation(settings, data, journal, own=own)
    with SweepProgress(simulation.steps, "sweep", "steps") as progress:
        simulation.report = progress.report
        progress.begin(simulation.done)
        journal.append(call)
        try:
            if from_file is not None:
                from_result.feed(simulation, from_file)
            runs = simulation.simulate()
        except KeyboardInterrupt:
            told = f"interrupted; {simulation.done} of {simulation.steps} steps are kept"
            progress.say(f"{told}, the same command goes on from there")
            raise SystemExit(130) from None
    journal.append(end())
    return runs, simulation
