"""What commands that simulate a paper's benchmark have in common: options, their check, how results are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError
from streambench.show.output import STDOUT, as_json, json_text, write_all
from streambench.simulate.machine import Machine
from streambench.simulate.topology import Topology

topology_option = click.option(
    "--topology",
    metavar="SxC",
    help="Sockets times cores of each, such as 2x24.  [default: one socket, assumed]",
)
beside_real = click.option(
    "--beside-real",
    is_flag=True,
    help="Also measure before and after each, where there are as many cores, and say how far the simulation is off.",
)
rows_as_json = click.option(
    "--json",
    "json_out",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the rows (JSON).",
)


def topology_of(given: Mapping[str, Any]) -> Topology:
    """The one that was asked for. Raises OptionError where it, the seed or a number of cores cannot be."""
    topology = Topology() if given["topology"] is None else Topology.of(given["topology"])
    if not 0 <= given["seed"] < 1 << 63:
        raise OptionError(f"--seed must be from 0 to 2**63 - 1, not {given['seed']}.")
    for each in given["cores"]:
        topology.require(each)
    return topology


def tell_json(given: Mapping[str, Any], machine: Machine, found: Sequence[Mapping[str, Any]]) -> str:
    """Write the rows where they were asked for; whether the topology was ``given`` or is ``assumed``."""
    topology_is = "assumed" if given["topology"] is None else "given"
    content = {"simulated": True, "topology": str(machine.topology), "seed": given["seed"]}
    content |= {"topology_is": topology_is, "times_ns": machine.times.to_dict(), "rows": list(found)}
    place = given["json_out"]
    if place == STDOUT:
        click.echo(json_text(content), nl=False)
    elif place is not None:
        write_all({place: as_json(content)})
    return topology_is


def tell_origin(
    console: Console, machine: Machine, topology_is: str, timed: str, found: Sequence[Mapping[str, Any]]
) -> None:
    """That it is simulated, of what, and how far off where that was asked for."""
    off = sorted(abs(row["beside_real"]["off"]) for row in found if row.get("beside_real"))
    told = (
        f" Beside {len(off)} real runs: off by {median(off):.0%} in the median, {off[-1]:.0%} at worst." if off else ""
    )
    console.print(
        f"simulated, not measured; topology {machine.topology} ({topology_is}). Timed here: {timed}, "
        f"a cache line's way {machine.times.near_line:.0f} ns.{told}",
        soft_wrap=True,
        highlight=False,
    )
