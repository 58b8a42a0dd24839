"""Which cores the workers take, and in which order: by what the cores share.

A cache line that moves between two cores takes several times as long where they do not share the last-level cache, and
longer still between sockets; two hardware threads of a core share everything, its execution units too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal, get_args

from streambench.errors import OptionError
from streambench.host.limits import allowed_cpus

Place = Literal["compact", "spread", "none"]
PLACES: tuple[Place, ...] = get_args(Place)
ROOT = Path("/")


@dataclass(frozen=True)
class Cpu:
    """One hardware thread. ``node``, ``cache`` (the last level) and ``core`` are numbers that those who share one have
    in common."""

    number: int
    node: int
    cache: int
    core: int


@functools.cache  # a run does not look through /sys again
def core_order(cpus: tuple[int, ...], how: str, root: Path = ROOT) -> tuple[int, ...]:
    """``cpus`` in the order in which workers take them. Raises OptionError for a ``how`` that is not in PLACES.

    ``compact``: cores that share a last-level cache, then those of the same NUMA node, then the next node, largest
    first. ``spread``: one from each node in turn, in a node one from each cache in turn. In both, second hardware
    threads of a core come last. ``none``: as listed.
    """
    if how not in PLACES:
        raise OptionError(f"`place` must be one of {', '.join(PLACES)}, not {how!r}.")
    return cpus if how == "none" else order(topology(cpus, root), how)


def cores_for(threads: int) -> tuple[int, ...]:
    """A core for each thread, near each other, where there are as many; else none: threads take turns wherever there is
    room."""
    cores = core_order(tuple(allowed_cpus()), "compact")
    return cores[:threads] if threads <= len(cores) else ()


def order(cpus: Iterable[Cpu], how: str) -> tuple[int, ...]:
    """The numbers of ``cpus``, as ``core_order`` puts them: ``compact`` or ``spread``."""
    join = _one_after_the_other if how == "compact" else _in_turn
    cores = _groups(cpus, lambda cpu: cpu.core)
    placed: list[int] = []
    for thread in range(max(map(len, cores), default=0)):
        nodes = _groups((core[thread] for core in cores if thread < len(core)), lambda cpu: cpu.node)
        placed += [cpu.number for cpu in join([join(_groups(node, lambda cpu: cpu.cache)) for node in nodes])]
    return tuple(placed)


def topology(cpus: Sequence[int], root: Path = ROOT) -> tuple[Cpu, ...]:
    """What Linux says of ``cpus``; where it says nothing, each is a core of its own in one node with one cache."""
    system = root / "sys/devices/system"
    nodes = {
        cpu: int(folder.name.removeprefix("node"))
        for folder in (system / "node").glob("node[0-9]*")
        for cpu in _cpu_list(folder / "cpulist")
    }
    processors = []
    for number in cpus:
        folder = system / f"cpu/cpu{number}"
        package = _number(folder / "topology/physical_package_id", 0)
        core = min(_cpu_list(folder / "topology/thread_siblings_list"), default=number)
        cache = min(_sharing_last_level(folder / "cache"), default=-1 - package)  # no cpu's number: all of the package
        processors.append(Cpu(number, nodes.get(number, package), cache, core))
    return tuple(processors)


def _groups(cpus: Iterable[Cpu], shared: Callable[[Cpu], Hashable]) -> list[list[Cpu]]:
    """``cpus`` by what they share, each group in ascending order, the largest group first."""
    groups: dict[Hashable, list[Cpu]] = {}
    for cpu in sorted(cpus, key=lambda cpu: cpu.number):
        groups.setdefault(shared(cpu), []).append(cpu)
    return sorted(groups.values(), key=len, reverse=True)


def _one_after_the_other(groups: list[list[Cpu]]) -> list[Cpu]:
    return [cpu for group in groups for cpu in group]


def _in_turn(groups: list[list[Cpu]]) -> list[Cpu]:
    return [cpu for round_ in zip_longest(*groups) for cpu in round_ if cpu is not None]


def _sharing_last_level(caches: Path) -> list[int]:
    """The CPUs that share the last-level cache described in a CPU's ``cache`` folder."""
    levels = {_number(index / "level", 0): index for index in caches.glob("index[0-9]*")}
    return _cpu_list(levels[max(levels)] / "shared_cpu_list") if levels else []


def _cpu_list(path: Path) -> list[int]:
    """The numbers in a list such as 0-3,8; none where the file is missing."""
    numbers: list[int] = []
    try:
        for part in path.read_text("utf-8").strip().split(","):
            first, _, last = part.partition("-")
            numbers += range(int(first), int(last or first) + 1)
    except (OSError, ValueError):
        return []
    return numbers


def _number(path: Path, missing: int) -> int:
    try:
        return int(path.read_text("utf-8"))
    except (OSError, ValueError):
        return missing
