"""`streambench simulate micro`: what stops an engine on so many simulated cores, at a given cost of a tuple."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from streambench.lab.cli.micro import operators_option
from streambench.lab.cli.options import command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.simulate.simulation_frame import (
    SimulationCall,
    SimulationOptions,
    lines_told,
    rows_output,
    simulated_cores,
    simulation_options,
)
from streambench.lab.record.summary import human
from streambench.lab.show.console import LiveLine
from streambench.lab.simulate.limits import Limits, limits, require_credit
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.simulate import SATURATED
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

TOLD = 0.01  # what is taken for less of the time has no row


@command_options
class SimulateMicroOptions:
    """What is simulated, on how many cores; ``cost``: in microseconds."""

    operators: tuple[str, ...] = shared(operators_option("ps"))
    cost: float = option("Of each operator on a tuple, microseconds.", 0.1, metavar="US")
    tuples: int = option("How many the stream has.", 1_000_000)
    cores: tuple[int, ...] = simulated_cores("16,64,128")
    credit_times: int = count("Also simulate with so many times the credit.", 4)
    simulation: SimulationOptions = simulation_options()
    json_out: Path | None = shared(rows_output)


@command_of(SimulateMicroOptions)
def command(options: SimulateMicroOptions) -> None:
    """Simulate parametric operators on so many cores, and say which part of the time each part of the engine is taken.

    A part is a line that cores want from each other, a lock, a turn, a partition or memory. Whether credit is what
    stops it is told by a second run with more, fed with the same profile. The engine is chosen as
    `run` chooses it. Nothing that is printed was measured on so many cores.

    \b
    Examples:
      streambench simulate micro --unit 1024
      streambench simulate micro --unit 1024 --operators sl --cores 64 --reorder lock --json -
    """
    called = SimulationCall.of(options.simulation, options.cores, options.json_out)
    operators = tuple(OperatorSpec(kind, options.cost, state_size=1) for kind in options.operators)
    spec = MicroSpec(operators, options.tuples, tuple_size=1)
    called.check_rows_out()
    require_credit(called.options, options.cores, options.credit_times)

    def load(line: LiveLine) -> MicroWorkload:
        line.wait("drawing keys and calibrating costs")
        return MicroWorkload(spec)

    by_cores, feed = called.simulated(
        load,
        lambda workload, feed, report: limits(
            workload,
            called.options,
            options.cores,
            Machine(feed.times, called.topology, called.seed),
            credit_times=options.credit_times,
            report=report,
            profiled=feed.profiled,
        ),
    )
    title = f"{spec.name}, {options.cost:g} us a tuple, by {called.options.named_engine}, simulated"
    called.give(
        {"micro": spec.to_dict()},
        feed,
        by_cores,
        [_table(title, by_cores)],
        how=lines_told(feed, called.topology),
        more="The lock of admission is held by the controller's looks, too.",
    )


def _table(title: str, by_cores: list[Limits]) -> Table:
    """A column for each number of cores, a row for each part that is taken, the most at the top."""
    shown = Table(title=title)
    shown.add_column("cores")
    for each in by_cores:
        shown.add_column(str(each.simulated.cores), justify="right")
    shown.add_row("tuples/s", *(human(each.simulated.throughput) for each in by_cores))
    shown.add_row(f"with {by_cores[0].credit_times} times the credit", *(f"{each.gain:+.0%}" for each in by_cores))
    shown.add_row("units in flight, at most", *(str(each.credit) for each in by_cores))
    shown.add_row("partitions", *(str(each.partitions) for each in by_cores))
    for name in ("busy", "waited", "idle"):
        heading = {"busy": "at work", "waited": "lines"}.get(name, name)
        shown.add_row(heading, *(f"{getattr(each.simulated, name):.0%}" for each in by_cores))
    shown.add_section()
    most: dict[str, float] = {}
    for each in by_cores:
        for name, part in each.simulated.parts.items():
            most[name] = max(part, most.get(name, 0.0))
    for name in sorted(most, key=lambda name: -most[name]):
        if most[name] >= TOLD:
            shown.add_row(name, *(_share(each, name) for each in by_cores))
    return shown


def _share(each: Limits, name: str) -> str:
    part = each.simulated.parts.get(name, 0.0)
    return f"{part:.0%}, saturated" if part >= SATURATED else f"{part:.0%}"
