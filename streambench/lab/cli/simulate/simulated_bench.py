"""What commands of simulated cores have in common beside their options: how results are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.lab.show.console import tell_warnings
from streambench.lab.show.output import STDOUT, as_json, json_text, write_all
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology


def tell_json(place: Path | None, told: Mapping[str, Any], times: Times, found: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows where they were asked for, and on standard error what is to be known of the ``times``.

    ``told``: of what, and of the machine, as ``simulation_options.machine`` says it.
    """
    tell_warnings(Console(stderr=True), times.warnings)
    machine = Machine(times, Topology.of(told["topology"]))
    ways = {name: {"ns": way, "assumed": name in times.assumed} for name, way in machine.ways.items()}
    content = {"simulated": True, **told, "times_ns": times.to_dict(), "ways": ways}
    content |= {"memory_limit": machine.memory_limit or "unknown", "rows": list(found)}
    if place == STDOUT:
        click.echo(json_text(content), nl=False)
    elif place is not None:
        write_all({place: as_json(content)})


def lines_told(machine: Machine) -> str:
    """What a cache line takes on its ways between the machine's cores, and which of that is assumed."""
    names = {"cluster_line": "from another cluster", "far_line": "from another socket"}
    ways = machine.ways
    told = [f"a cache line's way {ways.pop('near_line'):.0f} ns"]
    for name, way in ways.items():
        told.append(f"{way:.0f} ns {names[name]}{' (assumed)' if name in machine.times.assumed else ''}")
    return ", ".join(told)


def memory_told(machine: Machine) -> str:
    """A sentence: how much the machine's memory brings, or that this is not known."""
    if machine.memory_limit is None:
        return (
            "Memory's limit is unknown: two cores here read about twice what one does, and more were not measured. "
            "So it stops no simulated core."
        )
    return f"Memory brings the cores of a socket {machine.memory_limit:.1f} bytes a ns, as it does two cores here."
