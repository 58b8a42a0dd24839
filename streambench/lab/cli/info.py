"""`streambench info`: what matters about this machine, and what about it spoils a measurement."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.host import core_costs
from streambench.host.core_distance import round_trips
from streambench.lab.host.advice import advice
from streambench.lab.host.machine import default_workers, describe, warnings
from streambench.lab.host.toolchain import UNKNOWN

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output, for scripts.")
def command(as_json: bool) -> None:
    """Print what matters about this machine for a measurement, what spoils one, and what to do about it.

    Nothing is changed. What the system does not tell is "unknown". The same description and advice travel in every
    result file.

    \b
    Examples:
      streambench info
      streambench info --json | jq .machine.advice
    """
    machine = describe()
    hints = advice(machine)
    distances, costs = round_trips(), core_costs.of_this_process()
    if as_json:
        content = {
            "machine": machine,
            "workers": default_workers(),
            "core_round_trip_ns": distances,
            "core_costs": costs,
        }
        click.echo(json.dumps({**content, "warnings": warnings(machine)}, indent=2))
        return
    console = Console(highlight=False)
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows(machine):
        table.add_row(name, value)
    far = ", ".join(f"{pair}: {value:.0f} ns" for pair, value in distances.items())
    table.add_row("core to core", f"a cache line's round trip {far}" if far else "one core only")
    if distances:
        table.add_row("core costs", _costs(costs))
    console.print(table)
    console.print()
    for each in hints:
        console.print(f"{'[yellow]warning:[/yellow]' if each.warns else '[blue]note:[/blue]'} {each.told}")
        console.print(f"  [dim]to do:[/dim] {each.remedy}", highlight=False)
    if not hints:
        console.print("nothing seen that spoils a measurement")


def rows(machine: dict[str, Any]) -> list[tuple[str, str]]:
    """The description as lines of (name, text) for a reader."""
    cpu, memory, system = machine["cpu"], machine["memory"], machine["os"]
    allowed = cpu["allowed"]
    caches = ", ".join(f"{name} {_size(c['bytes'])} x {c['instances']}" for name, c in cpu["caches"].items())
    load, steal = machine["load"], machine["steal"]
    return [
        ("cpu", f"{cpu['model']} ({cpu['architecture']})"),
        ("cores", f"{len(allowed)} allowed of {cpu['logical']} logical, {cpu['physical']} physical, SMT {cpu['smt']}"),
        ("workers", f"{default_workers()} by default"),
        ("caches", caches or UNKNOWN),
        ("NUMA nodes", str(cpu["numa_nodes"])),
        ("governor", f"{cpu['governor']}, boost {cpu['boost']}"),
        ("hypervisor", cpu["hypervisor"]),
        ("container", f"{machine['container']}; {_limits(cpu['quota'], memory['limit'])}"),
        (
            "memory",
            f"{_size(memory['total'])}, {_size(memory['available'])} free, {_size(memory['swap_used'])} swapped",
        ),
        ("load", load if isinstance(load, str) else " ".join(f"{value:.2f}" for value in load)),
        ("steal", f"{100 * steal:.1f} % since the system's start" if isinstance(steal, float) else UNKNOWN),
        ("on battery", {True: "yes", False: "no"}.get(machine["on_battery"], UNKNOWN)),
        ("system", f"{system['name']}, {system['system']} {system['kernel']}"),
        *machine["versions"].items(),
    ]


def _costs(costs: dict[str, float] | None) -> str:
    if costs is None:
        return "not measured, as somebody else is on a core: `ordered` goes by what it assumes"
    return f"a cache line {costs['line']:.0f} ns, a byte of a unit {costs['byte']:.3f} ns, as `ordered` is told"


def _limits(quota: float | None, memory: int | None) -> str:
    cpus = "no CPU limit" if quota is None else f"limit {quota:.2f} CPUs"
    return f"{cpus}, {'no memory limit' if memory is None else 'limit ' + _size(memory) + ' of memory'}"


def _size(value: int | str) -> str:
    if not isinstance(value, int):
        return value
    amount = float(value)
    for unit in UNITS[:-1]:
        if amount < 1024:
            return f"{amount:.4g} {unit}"
        amount /= 1024
    return f"{amount:.4g} {UNITS[-1]}"
