"""The machine a measurement ran on, and what about it spoils one.

>>> machine = describe()
>>> warnings(machine)
['the CPU frequency governor is powersave, not performance: clocks change during a run']
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from streambench.host.disturbance import steal_share
from streambench.host.limits import ROOT, allowed_cpus, cpu_quota, default_workers, memory_limit
from streambench.lab.host.advice import advice
from streambench.lab.host.toolchain import UNKNOWN, versions

__all__ = ["allowed_cpus", "default_workers", "describe", "slug", "title", "warnings"]

CACHE_NAMES = {("1", "Data"): "L1d", ("2", "Unified"): "L2", ("3", "Unified"): "L3"}
SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def describe(root: Path = ROOT) -> dict[str, Any]:
    """What matters about this machine, as plain JSON values; "unknown" where the system does not tell.

    Sizes are bytes, loads are runnable tasks over 1, 5 and 15 minutes, steal is the share of the allowed cores' time
    that the host has taken since the system's start, advice is what ``streambench.lab.host.advice`` has to say. No host
    name, user name or path is in it. `root` is where /proc and /sys are looked for.
    """
    facts: dict[str, Any] = {
        "cpu": _cpu(root),
        "memory": _memory(root),
        "load": _load(),
        "steal": steal_share(root, UNKNOWN),
        "on_battery": _on_battery(),
        "os": {"system": platform.system() or UNKNOWN, "name": _os_name(), "kernel": platform.release() or UNKNOWN},
        "container": _container(root),
        "versions": versions(),
    }
    return {**facts, "advice": [each.plain() for each in advice(facts)]}


def warnings(machine: dict[str, Any]) -> list[str]:
    """One sentence for each thing about the machine that spoils a measurement; empty when it is fit for one.

    What to do about each, ``streambench.lab.host.advice`` tells.
    """
    return [each.told for each in advice(machine) if each.warns]


def title(machine: dict[str, Any]) -> str:
    """The machine in a few words, for captions: "AMD EPYC, 2 cores, virtual machine"."""
    cpu = machine["cpu"]
    cores = len(cpu["allowed"])
    virtual = "" if cpu["hypervisor"] in (UNKNOWN, "none") else ", virtual machine"
    return f"{cpu['model']}, {cores} core{'' if cores == 1 else 's'}{virtual}"


def slug(machine: dict[str, Any]) -> str:
    """The machine in a file name, without a host's name: "amd-epyc-2c"."""
    model = re.sub(r"\(r\)|\(tm\)|\bcpu\b|@.*|\b\d+-core\b|\bprocessor\b", " ", str(machine["cpu"]["model"]).lower())
    words = re.sub(r"[^a-z0-9]+", "-", model).strip("-")[:40].strip("-")
    return f"{words or UNKNOWN}-{len(machine['cpu']['allowed'])}c"


def _cpu(root: Path) -> dict[str, Any]:
    info = _cpuinfo(root)
    logical, physical = _counts()
    return {
        "model": info.get("model name") or platform.processor() or UNKNOWN,
        "architecture": platform.machine() or UNKNOWN,
        "allowed": allowed_cpus(),
        "quota": cpu_quota(root),
        "logical": logical,
        "physical": physical,
        "smt": _smt(root, logical, physical),
        "caches": _caches(root),
        "numa_nodes": len(list((root / "sys/devices/system/node").glob("node[0-9]*"))) or UNKNOWN,
        "governor": _governor(root),
        "boost": _boost(root),
        "hypervisor": _hypervisor(root, info),
    }


def _counts() -> tuple[int | str, int | str]:
    """Logical and physical CPUs; "unknown" where there is no /proc."""
    return os.cpu_count() or UNKNOWN, _known(lambda: psutil.cpu_count(logical=False) or UNKNOWN)


def _cpuinfo(root: Path) -> dict[str, str]:
    """The first processor of /proc/cpuinfo, and "Hardware" where Arm puts it."""
    facts: dict[str, str] = {}
    for line in _read(root / "proc/cpuinfo").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            facts.setdefault(name.strip(), value.strip())
    return facts


def _smt(root: Path, logical: int | str, physical: int | str) -> str:
    active = _read(root / "sys/devices/system/cpu/smt/active")
    if active in ("0", "1"):
        return "on" if active == "1" else "off"
    if isinstance(logical, int) and isinstance(physical, int):
        return "on" if logical > physical else "off"
    return UNKNOWN


def _caches(root: Path) -> dict[str, dict[str, int]]:
    """Cache name -> bytes of one instance, and how many instances there are; empty where the system does not tell."""
    sharers: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    for index in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cache/index[0-9]*")):
        name = CACHE_NAMES.get((_read(index / "level"), _read(index / "type")))
        size = re.fullmatch(r"(\d+)([KMG]?)", _read(index / "size"))
        if name and size:
            sizes[name] = int(size.group(1)) * SIZE_UNITS[size.group(2)]
            sharers.setdefault(name, set()).add(_read(index / "shared_cpu_list") or str(index))
    return {name: {"bytes": sizes[name], "instances": len(sharers[name])} for name in sorted(sizes)}


def _governor(root: Path) -> str:
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return ", ".join(sorted({text for text in map(_read, files) if text})) or UNKNOWN


def _boost(root: Path) -> str:
    system = root / "sys/devices/system/cpu"
    off = _read(system / "intel_pstate/no_turbo")
    if off in ("0", "1"):
        return "on" if off == "0" else "off"
    return {"1": "on", "0": "off"}.get(_read(system / "cpufreq/boost"), UNKNOWN)


def _hypervisor(root: Path, info: dict[str, str]) -> str:
    """The firmware's vendor, "unnamed" where only the CPU says that there is one, "none" on bare x86 hardware."""
    vendor = _read(root / "sys/hypervisor/type") or _read(root / "sys/class/dmi/id/sys_vendor")
    flags = info.get("flags", "").split()
    if "hypervisor" in flags:
        return vendor or "unnamed"
    return "none" if flags else UNKNOWN


def _memory(root: Path) -> dict[str, Any]:
    memory = _known(psutil.virtual_memory)
    total, available = (UNKNOWN, UNKNOWN) if memory == UNKNOWN else (int(memory.total), int(memory.available))
    swap = UNKNOWN if memory == UNKNOWN else _known(lambda: int(psutil.swap_memory().used))
    return {"total": total, "available": available, "limit": memory_limit(root), "swap_used": swap}


def _load() -> list[float] | str:
    averages: list[float] | str = _known(lambda: [round(value, 2) for value in os.getloadavg()])
    return averages


def _on_battery() -> bool | str:
    battery = _known(psutil.sensors_battery)
    return battery if battery == UNKNOWN else battery is not None and battery.power_plugged is False


def _known(read: Callable[[], Any]) -> Any:
    """What is read; "unknown" where the system does not tell."""
    try:
        return read()
    except (AttributeError, OSError, RuntimeError, psutil.Error):
        return UNKNOWN


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.version()}".strip() or UNKNOWN


def _container(root: Path) -> str:
    for name, mark in (("docker", ".dockerenv"), ("podman", "run/.containerenv")):
        if (root / mark).exists():
            return name
    return "kubernetes" if "kubepods" in _read(root / "proc/1/cgroup") else "none seen"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except (OSError, ValueError):
        return ""
