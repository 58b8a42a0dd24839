"""What this process may use of the machine: its CPUs, and the CPU and memory limits of its container."""

from __future__ import annotations

import math
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")
# cgroup v1 writes "no limit" as the largest page multiple of a signed 64-bit integer.
UNLIMITED_V1 = 1 << 62


def allowed_cpus() -> list[int]:
    """The ids of the CPUs this process may run on, ascending; every CPU where the system has no affinity."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cpu_quota(root: Path = ROOT) -> float | None:
    """The container's limit in CPUs (1.5 = one and a half), the tightest on the way up; None without one."""
    quotas = []
    for folder in _groups_v2(root):
        words = _read(folder / "cpu.max").split()
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]) > 0:
            quotas.append(int(words[0]) / int(words[1]))
    for folder in _groups_v1(root, "cpu"):
        quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(quota) > 0 and int(period) > 0:  # "-1" is no limit
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def memory_limit(root: Path = ROOT) -> int | None:
    """The memory limit in bytes: the container's, the tightest on the way up, or the process's own (`ulimit -v`), if
    that is less; None without one.
    """
    files = [folder / "memory.max" for folder in _groups_v2(root)]
    files += [folder / "memory.limit_in_bytes" for folder in _groups_v1(root, "memory")]
    limits = [int(text) for text in map(_read, files) if text.isdigit() and int(text) < UNLIMITED_V1]
    process, _ = resource.getrlimit(resource.RLIMIT_AS)
    if process != resource.RLIM_INFINITY:
        limits.append(process)
    return min(limits, default=None)


def available_memory(root: Path = ROOT) -> int:
    """The bytes that the machine can give without swapping; all that it has where it keeps no account."""
    match = re.search(r"^MemAvailable:\s+(\d+) kB$", _read(root / "proc/meminfo"), re.MULTILINE)
    return int(match[1]) * 1024 if match else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def free_memory() -> int:
    """The bytes that are free for this process, as far as the machine and the limits tell."""
    limit, free = memory_limit(), available_memory()
    return free if limit is None else min(free, limit)


def workers_for(cpus: int, quota: float | None) -> int:
    """Workers that can all run at once: a worker on a fraction of a CPU would be throttled amid a unit."""
    return max(1, cpus if quota is None else min(cpus, math.floor(quota)))


def default_workers() -> int:
    """One worker for each CPU that affinity and container quota really give, at least 1."""
    return workers_for(len(allowed_cpus()), cpu_quota())


def _groups_v2(root: Path) -> Iterator[Path]:
    for mount in ("sys/fs/cgroup", "sys/fs/cgroup/unified"):
        if (root / mount / "cgroup.controllers").exists():
            yield from _upwards(root / mount, _membership(root, ""))


def _groups_v1(root: Path, controller: str) -> Iterator[Path]:
    for name in (controller, "cpu,cpuacct"):
        mount = root / "sys/fs/cgroup" / name
        if mount.is_dir() and (name == controller or controller == "cpu"):
            yield from _upwards(mount, _membership(root, controller))


def _upwards(mount: Path, member: str) -> Iterator[Path]:
    """The group and all its parents: a limit anywhere on the way binds.

    Inside a container the path may be the host's and lead nowhere; the mount itself is then the container's group.
    """
    folder = mount / member.strip("/")
    while folder != mount and mount in folder.parents:
        yield folder
        folder = folder.parent
    yield mount


def _membership(root: Path, controller: str) -> str:
    """This process's path in a hierarchy of /proc/self/cgroup ("" names the one of cgroup v2)."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and controller in parts[1].split(",") and ".." not in parts[2]:
            return parts[2]
    return "/"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except (OSError, ValueError):
        return ""
