"""What about this machine spoils a measurement, why, and what to do about it: looked at, never changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from streambench.lab.host.toolchain import UNKNOWN

GIB = 1 << 30
BUSY_LOAD = 0.5  # runnable tasks, averaged over a minute: from here on a neighbour takes visible time
LITTLE_MEMORY = 2 * GIB
MUCH_STEAL = 0.01  # of the cores' time since the system's start
FEW_CORES = 4  # below, a speed-up says little, and whatever else runs takes from the workers


class Advice(NamedTuple):
    """``topic``: one word. ``told``: what was found and why it matters. ``remedy``: what to do. ``warns``: numbers
    measured like this are to be distrusted; else it is good to know."""

    topic: str
    told: str
    remedy: str
    warns: bool = True

    def plain(self) -> dict[str, Any]:
        """As plain values."""
        return self._asdict()


def advice(machine: dict[str, Any]) -> list[Advice]:
    """For each thing about the machine, as ``describe`` gives it, that spoils a measurement or bounds it."""
    return [*_clocks(machine["cpu"]), *_cores(machine["cpu"]), *_others(machine), *_memory(machine["memory"])]


def _clocks(cpu: dict[str, Any]) -> Iterator[Advice]:
    if cpu["governor"] not in (UNKNOWN, "performance"):
        yield Advice(
            "governor",
            f"the CPU frequency governor is {cpu['governor']}, not performance: clocks change during a run",
            "`sudo cpupower frequency-set -g performance`, and back when all is measured",
        )
    if cpu["boost"] == "on":
        yield Advice(
            "turbo",
            "turbo boost is on: one busy core may be clocked higher than many, which flatters 1 worker",
            "switch it off in the firmware, or write 1 to intel_pstate/no_turbo or 0 to cpufreq/boost in "
            "/sys/devices/system/cpu",
        )


def _cores(cpu: dict[str, Any]) -> Iterator[Advice]:
    cores = len(cpu["allowed"])
    if cpu["smt"] == "on":
        yield Advice(
            "smt",
            "SMT is on: two workers may share one physical core, which lowers the speed-up",
            "measure with as many workers as there are physical cores (`--place compact` takes these first), or "
            "write off to /sys/devices/system/cpu/smt/control",
        )
    if cpu["quota"] is not None and cpu["quota"] < cores:
        yield Advice(
            "quota",
            f"the container may use {cpu['quota']:.2f} CPUs of the {cores} it sees: more workers are throttled",
            "start it without a CPU quota and with a set of cores instead (such as `--cpuset-cpus`), or measure no "
            "more workers than it may use",
        )
    if cores < 2:
        yield Advice("cores", "only 1 CPU is allowed: no speed-up can be measured", "allow more, as `taskset` does")
    elif cores < FEW_CORES:
        yield Advice(
            "cores",
            f"only {cores} CPUs are allowed: no speed-up above {cores} can be seen, and whatever else runs takes "
            "from the workers",
            "stop what else runs; measure on more cores to see how far it scales",
            warns=False,
        )
    if cpu["numa_nodes"] not in (UNKNOWN, 1):
        yield Advice(
            "numa",
            f"the machine has {cpu['numa_nodes']} NUMA nodes: memory of another node is farther away, and where a "
            "stream lies is left to chance",
            "keep to one node (`numactl --cpunodebind=0 --membind=0 streambench ...`), or compare `--place "
            "compact` and `--place spread`",
            warns=False,
        )


def _others(machine: dict[str, Any]) -> Iterator[Advice]:
    cpu = machine["cpu"]
    if cpu["hypervisor"] not in (UNKNOWN, "none"):
        yield Advice(
            "virtual",
            f"a virtual machine (hypervisor: {cpu['hypervisor']}): neighbours may take CPU time unseen, and its "
            "cores may be threads of the host",
            "trust ratios measured side by side and their intervals; leave out runs that are `disturbed`",
        )
    steal = machine.get("steal", UNKNOWN)  # a description of before has none
    if steal != UNKNOWN and steal > MUCH_STEAL:
        yield Advice(
            "steal",
            f"the host has taken {100 * steal:.1f} % of the cores' time since the system's start: runs wait for it",
            "measure when the host is quieter, or on a machine with cores of its own",
        )
    if machine["load"] != UNKNOWN and machine["load"][0] > BUSY_LOAD:
        yield Advice(
            "load",
            f"the load is {machine['load'][0]:.2f} before the start: something else is running",
            "stop it, or wait; `--require-idle` refuses to measure beside others",
        )
    if machine["on_battery"] is True:
        yield Advice("battery", "on battery: the system lowers clocks to save power", "plug it in")


def _memory(memory: dict[str, Any]) -> Iterator[Advice]:
    if memory["available"] != UNKNOWN and memory["available"] < LITTLE_MEMORY:
        yield Advice(
            "memory",
            f"only {memory['available'] / GIB:.1f} GiB of memory are free: the system may swap",
            "stop what holds it, or choose a smaller `--scale-factor`",
        )
    if memory["limit"] is not None and memory["limit"] < LITTLE_MEMORY:
        yield Advice(
            "memory limit",
            f"this process may use only {memory['limit'] / GIB:.1f} GiB of memory: a run may be killed",
            "start it with more, or choose a smaller `--scale-factor`",
        )
    if memory["swap_used"] not in (UNKNOWN, 0):
        yield Advice(
            "swap",
            f"{memory['swap_used'] / GIB:.2f} GiB of swap are in use: memory may be read back from disk amid a run",
            "`sudo swapoff -a`, and `sudo swapon -a` when all is measured",
        )
