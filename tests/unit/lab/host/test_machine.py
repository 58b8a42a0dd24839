"""The machine's description from made-up /proc and /sys trees, and what it warns about."""

import copy
import json
import platform
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from streambench.host import limits
from streambench.lab.cli import cli
from streambench.lab.host import toolchain
from streambench.lab.host.machine import default_workers, describe, slug, title, warnings


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def fit() -> dict[str, Any]:
    """A machine that nothing is wrong with."""
    return {
        "cpu": {
            "model": "Example(R) CPU 9000 16-Core Processor @ 3.00GHz",
            "architecture": "x86_64",
            "allowed": [0, 1, 2, 3],
            "quota": None,
            "logical": 4,
            "physical": 4,
            "smt": "off",
            "caches": {},
            "numa_nodes": 1,
            "governor": "performance",
            "boost": "off",
            "hypervisor": "none",
        },
        "memory": {"total": 16 << 30, "available": 12 << 30, "limit": None, "swap_used": 0},
        "load": [0.1, 0.2, 0.3],
        "on_battery": False,
        "os": {"system": "Linux", "name": "Example", "kernel": "6"},
        "container": "none seen",
        "versions": {},
    }


def test_nothing_is_known_of_an_empty_system_and_nothing_fails(tmp_path: Path) -> None:
    machine = describe(tmp_path)
    assert machine["cpu"]["governor"] == machine["cpu"]["hypervisor"] == machine["cpu"]["numa_nodes"] == "unknown"
    assert machine["cpu"]["caches"] == {}
    assert machine["cpu"]["quota"] is None
    assert machine["memory"]["limit"] is None
    warnings(machine)
    assert slug(machine)
    assert title(machine)


def test_the_description_reads_proc_and_sys(tmp_path: Path) -> None:
    cpu = "sys/devices/system/cpu"
    files = {
        "proc/cpuinfo": "processor : 0\nmodel name : Example 1\nflags : fpu hypervisor\n\nprocessor : 1\n",
        "sys/class/dmi/id/sys_vendor": "QEMU\n",
        f"{cpu}/smt/active": "1\n",
        f"{cpu}/intel_pstate/no_turbo": "0\n",
        "sys/devices/system/node/node0/cpulist": "0",
        "sys/devices/system/node/node1/cpulist": "1",
    }
    for number in (0, 1):
        files[f"{cpu}/cpu{number}/cpufreq/scaling_governor"] = "powersave\n"
        for index, (level, kind, size, shared) in enumerate(
            [("1", "Data", "48K", str(number)), ("1", "Instruction", "32K", str(number)), ("3", "Unified", "2M", "0-1")]
        ):
            folder = f"{cpu}/cpu{number}/cache/index{index}"
            files |= {f"{folder}/level": level, f"{folder}/type": kind, f"{folder}/size": size}
            files[f"{folder}/shared_cpu_list"] = shared
    found = describe(tree(tmp_path, files))["cpu"]
    assert found["model"] == "Example 1"
    assert (found["hypervisor"], found["smt"], found["boost"], found["governor"]) == ("QEMU", "on", "on", "powersave")
    assert found["numa_nodes"] == 2
    assert found["caches"] == {
        "L1d": {"bytes": 48 << 10, "instances": 2},
        "L3": {"bytes": 2 << 20, "instances": 1},
    }


def test_the_tightest_limit_on_the_way_up_binds_in_cgroup_v2(tmp_path: Path) -> None:
    group = "sys/fs/cgroup"
    root = tree(
        tmp_path,
        {
            "proc/self/cgroup": "0::/slice/job\n",
            f"{group}/cgroup.controllers": "cpu memory",
            f"{group}/slice/cpu.max": "150000 100000\n",
            f"{group}/slice/memory.max": "max\n",
            f"{group}/slice/job/cpu.max": "max 100000\n",
            f"{group}/slice/job/memory.max": "1000000\n",
        },
    )
    assert limits.cpu_quota(root) == 1.5
    assert limits.memory_limit(root) == 1_000_000


def test_cgroup_v1_quota_and_its_no_limit_marks(tmp_path: Path) -> None:
    group = "sys/fs/cgroup"
    root = tree(
        tmp_path,
        {
            "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n",
            f"{group}/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            f"{group}/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            f"{group}/cpu,cpuacct/a/cpu.cfs_quota_us": "50000\n",
            f"{group}/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
            f"{group}/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    assert limits.cpu_quota(root) == 0.5
    assert limits.memory_limit(root) is None


def test_the_processs_own_limit_counts_where_it_is_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = "sys/fs/cgroup"
    files = {"proc/self/cgroup": "0::/\n", f"{group}/cgroup.controllers": "", f"{group}/memory.max": "1000000\n"}
    root = tree(tmp_path, files)
    for own, found in ((900_000, 900_000), (2_000_000, 1_000_000)):
        monkeypatch.setattr(limits.resource, "getrlimit", lambda which, own=own: (own, own))
        assert limits.memory_limit(root) == found


def test_a_container_that_names_its_hosts_group_is_limited_by_its_own(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/cgroup": "0::/host/only\n",
            "sys/fs/cgroup/cgroup.controllers": "cpu",
            "sys/fs/cgroup/cpu.max": "200000 100000",
        },
    )
    assert limits.cpu_quota(root) == 2.0


@pytest.mark.parametrize("text", ["", "max", "max 100000", "nonsense here", "100000 0"])
def test_a_quota_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    root = tree(tmp_path, {"sys/fs/cgroup/cgroup.controllers": "cpu", "sys/fs/cgroup/cpu.max": text})
    assert limits.cpu_quota(root) is None


@pytest.mark.parametrize(
    ("cpus", "quota", "workers"), [(8, None, 8), (8, 2.0, 2), (8, 2.9, 2), (2, 16.0, 2), (4, 0.25, 1), (1, None, 1)]
)
def test_workers_follow_affinity_and_quota_but_are_never_none(cpus: int, quota: float | None, workers: int) -> None:
    assert limits.workers_for(cpus, quota) == workers


def test_default_workers_never_exceed_the_allowed_cpus() -> None:
    assert 1 <= default_workers() <= len(limits.allowed_cpus())


def test_a_fit_machine_has_no_warning(fit: dict[str, Any]) -> None:
    assert warnings(fit) == []


@pytest.mark.parametrize(
    ("part", "name", "value", "word"),
    [
        ("cpu", "governor", "powersave", "governor"),
        ("cpu", "boost", "on", "boost"),
        ("cpu", "smt", "on", "SMT"),
        ("cpu", "hypervisor", "KVM", "virtual machine"),
        ("cpu", "quota", 1.5, "throttled"),
        ("cpu", "allowed", [3], "only 1 CPU"),
        (None, "load", [0.8, 0.0, 0.0], "load"),
        ("memory", "available", 1 << 30, "memory"),
        ("memory", "limit", 1 << 30, "killed"),
        ("memory", "swap_used", 1 << 30, "swap"),
        (None, "on_battery", True, "battery"),
    ],
)
def test_each_trouble_has_one_warning(fit: dict[str, Any], part: str | None, name: str, value: Any, word: str) -> None:
    machine = copy.deepcopy(fit)
    (machine[part] if part else machine)[name] = value
    found = warnings(machine)
    assert len(found) == 1
    assert word in found[0]


def test_unknown_is_no_reason_to_warn(fit: dict[str, Any]) -> None:
    for name in ("governor", "boost", "smt", "hypervisor", "numa_nodes"):
        fit["cpu"][name] = "unknown"
    fit["memory"] |= {"available": "unknown", "swap_used": "unknown"}
    fit |= {"load": "unknown", "on_battery": "unknown"}
    assert warnings(fit) == []


def test_the_slug_is_a_file_name_of_processor_and_cores(fit: dict[str, Any]) -> None:
    assert slug(fit) == "example-9000-4c"
    fit["cpu"]["model"] = "../../etc/passwd"
    assert "/" not in slug(fit)
    assert "." not in slug(fit)


def test_the_description_is_json_and_names_no_host_and_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "a-host-name")
    monkeypatch.setenv("USER", "a-user-name")
    text = json.dumps(describe(), allow_nan=False)
    assert "a-host-name" not in text
    assert "a-user-name" not in text
    assert str(Path.home()) not in text


def test_a_java_that_is_not_there_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert toolchain.java_version() == "unknown"


def test_java_home_comes_before_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"99.1\" 2099-01-01' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert toolchain.java_version() == "99.1"
    (tmp_path / "release").write_text('IMPLEMENTOR="somebody"\nJAVA_VERSION="99.2"\n')
    assert toolchain.java_version() == "99.2"  # without starting it


def test_compiler_and_cython_are_read_from_a_compiled_module(tmp_path: Path) -> None:
    (tmp_path / "pyx").mkdir()
    (tmp_path / "pyx" / "apply.so").write_bytes(b"GCC: (Debian 12.2.0-14) 12.2.0\0")  # no class, no mark of Cython
    (tmp_path / "pyx" / "unit.so").write_bytes(b"\0\x7f_cython_3_2_1\0..GCC: (Debian 12.2.0-14) 12.2.0\0")
    assert toolchain.built_with(tmp_path) == ("3.2.1", "GCC: (Debian 12.2.0-14) 12.2.0")
    assert toolchain.built_with(tmp_path / "pyx") == ("unknown", "unknown")


def test_info_prints_every_warning_for_a_reader_and_as_json() -> None:
    text, data = CliRunner().invoke(cli, ["info"]), CliRunner().invoke(cli, ["info", "--json"])
    assert text.exit_code == data.exit_code == 0
    found = json.loads(data.stdout)
    assert set(found) == {"machine", "workers", "core_round_trip_ns", "core_costs", "warnings"}
    assert found["workers"] == default_workers()
    for label in ("cpu", "cores", "caches", "governor", "memory", "load", "pyspark"):
        assert f"\n{label}" in "\n" + text.stdout
