"""Workers take cores in the order that was asked for, on any machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.host.limits import allowed_cpus
from streambench.host.placement import PLACES, Cpu, core_order, order, topology
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

SOCKETS = tuple(Cpu(n, n % 64 // 32, n % 64 // 8, n % 64) for n in range(128))  # 64 cores: 2 sockets of 4 caches, SMT
LAPTOP = tuple(Cpu(n, 0, 0, n // 2) for n in range(8))  # threads of a core numbered one after the other


@st.composite
def machines(draw: st.DrawFn) -> tuple[Cpu, ...]:
    """Some CPUs of a machine of any shape, in any order, as a container might be given them."""
    nodes, caches, cores, threads = (draw(st.integers(1, most)) for most in (3, 3, 4, 2))
    in_turn = draw(st.booleans())
    total = nodes * caches * cores
    cpus = [
        Cpu(core + total * t if in_turn else core * threads + t, core // (caches * cores), core // cores, core)
        for core in range(total)
        for t in range(threads)
    ]
    return tuple(draw(st.lists(st.sampled_from(cpus), unique=True, min_size=1)))


def chosen(cpus: Iterable[Cpu], how: str) -> list[Cpu]:
    by_number = {cpu.number: cpu for cpu in cpus}
    return [by_number[number] for number in order(by_number.values(), how)]


def first_threads(placed: Sequence[Cpu]) -> list[Cpu]:
    return list(placed[: len({cpu.core for cpu in placed})])


def fewest(sizes: Iterable[int], wanted: int) -> int:
    """How many groups of these sizes hold ``wanted`` members at least."""
    taken = 0
    for groups, size in enumerate(sorted(sizes, reverse=True), 1):
        taken += size
        if taken >= wanted:
            return groups
    raise AssertionError("there are not so many")


def test_compact_fills_a_cache_then_the_socket_then_the_next_and_takes_second_threads_last() -> None:
    assert order(SOCKETS, "compact") == tuple(range(128))
    assert order(LAPTOP, "compact") == (0, 2, 4, 6, 1, 3, 5, 7)


def test_spread_goes_round_sockets_and_in_each_round_its_caches() -> None:
    assert order(SOCKETS, "spread")[:10] == (0, 32, 8, 40, 16, 48, 24, 56, 1, 33)
    assert order(SOCKETS, "spread")[64:67] == (64, 96, 72)
    assert order(LAPTOP, "spread") == (0, 2, 4, 6, 1, 3, 5, 7)


def test_compact_begins_where_a_container_has_most_cores() -> None:
    given_cores = [cpu for cpu in SOCKETS if cpu.number in {6, 7, 8, 9, 10, 40}]
    assert order(given_cores, "compact") == (8, 9, 10, 6, 7, 40)


def test_a_second_thread_whose_core_is_not_given_otherwise_is_a_core() -> None:
    assert order([cpu for cpu in SOCKETS if cpu.number in {64, 65, 1}], "compact") == (1, 64, 65)


@given(machines(), st.sampled_from(("compact", "spread")))
def test_every_cpu_is_placed_once_and_second_threads_last(cpus: tuple[Cpu, ...], how: str) -> None:
    placed = chosen(cpus, how)
    assert sorted(placed, key=lambda cpu: cpu.number) == sorted(cpus, key=lambda cpu: cpu.number)
    cores = len({cpu.core for cpu in cpus})
    assert len({cpu.core for cpu in placed[:cores]}) == cores


@given(machines())
def test_any_number_of_compact_workers_is_in_as_few_nodes_as_can_be(cpus: tuple[Cpu, ...]) -> None:
    cores = first_threads(chosen(cpus, "compact"))
    sizes = Counter(cpu.node for cpu in cores)
    for workers in range(1, len(cores) + 1):
        assert len({cpu.node for cpu in cores[:workers]}) == fewest(sizes.values(), workers)
    for node in sizes:
        inside = [cpu for cpu in cores if cpu.node == node]
        caches = Counter(cpu.cache for cpu in inside)
        for workers in range(1, len(inside) + 1):
            assert len({cpu.cache for cpu in inside[:workers]}) == fewest(caches.values(), workers)


def even(placed: Sequence[Cpu], shared: Callable[[Cpu], int]) -> None:
    """At any time no group has two fewer than another, unless it is used up."""
    sizes, taken = Counter(map(shared, placed)), Counter[int]()
    for cpu in placed:
        taken[shared(cpu)] += 1
        assert all(taken[group] >= min(size, max(taken.values()) - 1) for group, size in sizes.items())


@given(machines())
def test_any_number_of_spread_workers_is_even_over_nodes_and_over_a_nodes_caches(cpus: tuple[Cpu, ...]) -> None:
    cores = first_threads(chosen(cpus, "spread"))
    even(cores, lambda cpu: cpu.node)
    for node in {cpu.node for cpu in cores}:
        even([cpu for cpu in cores if cpu.node == node], lambda cpu: cpu.cache)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


@pytest.fixture
def two_sockets(tmp_path: Path) -> Path:
    """/sys of 2 sockets of 2 caches of 2 cores of 2 threads, numbered as Linux does: second threads from 8 on."""
    for n in range(16):
        core = n % 8
        cpu = tmp_path / f"sys/devices/system/cpu/cpu{n}"
        write(cpu / "topology/physical_package_id", str(core // 4))
        write(cpu / "topology/thread_siblings_list", f"{core},{core + 8}")
        pair = core // 2 * 2
        for index, (level, sharing) in enumerate(
            ((1, f"{core},{core + 8}"), (1, f"{core},{core + 8}"), (3, f"{pair}-{pair + 1},{pair + 8}-{pair + 9}"))
        ):
            write(cpu / f"cache/index{index}/level", str(level))
            write(cpu / f"cache/index{index}/shared_cpu_list", sharing)
    for node in range(2):
        write(
            tmp_path / f"sys/devices/system/node/node{node}/cpulist",
            f"{4 * node}-{4 * node + 3},{4 * node + 8}-{4 * node + 11}",
        )
    return tmp_path


def test_the_topology_is_what_sys_says(two_sockets: Path) -> None:
    assert topology(range(16), two_sockets) == tuple(Cpu(n, n % 8 // 4, n % 8 // 2 * 2, n % 8) for n in range(16))
    assert core_order(tuple(range(16)), "compact", two_sockets) == tuple(range(16))
    assert core_order(tuple(range(16)), "spread", two_sockets) == (0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15)
    assert core_order((3, 11, 4, 5), "compact", two_sockets) == (4, 5, 3, 11)


def test_without_numa_nodes_a_socket_is_a_node(two_sockets: Path) -> None:
    (two_sockets / "sys/devices/system/node").rename(two_sockets / "elsewhere")
    assert [cpu.node for cpu in topology([0, 4, 8, 12], two_sockets)] == [0, 1, 0, 1]


def test_without_caches_a_socket_is_one(two_sockets: Path) -> None:
    for n in range(16):
        (two_sockets / f"sys/devices/system/cpu/cpu{n}/cache").rename(two_sockets / f"cache{n}")
    found = topology(range(16), two_sockets)
    assert len({cpu.cache for cpu in found}) == 2
    assert core_order(tuple(range(16)), "compact", two_sockets) == tuple(range(16))


def test_where_the_system_says_nothing_cores_are_taken_in_ascending_order(tmp_path: Path) -> None:
    assert core_order((5, 2, 9), "compact", tmp_path) == (2, 5, 9)
    assert core_order((5, 2, 9), "spread", tmp_path) == (2, 5, 9)


def test_none_leaves_cores_as_listed(two_sockets: Path) -> None:
    assert core_order((5, 2, 9), "none", two_sockets) == (5, 2, 9)


@pytest.mark.parametrize("how", PLACES)
def test_this_machines_cpus_are_all_placed(how: str) -> None:
    assert sorted(core_order(tuple(allowed_cpus()), how)) == allowed_cpus()


def test_another_way_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match="place must be one of compact, spread, none, not 'sideways'"):
        core_order((0,), "sideways")


def cores_of_pinned_threads() -> list[int]:
    """The cores of this process's threads that may run on one only."""
    lists = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended since the listing
            lists.append(re.search(r"Cpus_allowed_list:\s*(\S+)", (task / "status").read_text()))
    return sorted(int(found[1]) for found in lists if found and found[1].isdigit())


@pytest.mark.slow
@pytest.mark.skipif(len(allowed_cpus()) < 2, reason="needs two cores")
@pytest.mark.parametrize("options", [{}, {"heuristic": "ct"}, {"engine": "serial"}], ids=str)
@pytest.mark.parametrize("place", PLACES)
def test_workers_are_bound_to_the_cores_in_the_order_of_their_place(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], place: str
) -> None:
    last, first = allowed_cpus()[-1], allowed_cpus()[0]
    monkeypatch.setattr(
        "streambench.execution.engines.core_order",
        lambda cpus, how: (last, first) if how == "spread" else (first, last),
    )
    before, seen = cores_of_pinned_threads(), []
    source = TableSource((np.zeros(2, dtype=np.int64),), ("key",))
    chosen = Options(workers=1, rate=5.0, place=place, **options)
    execute(Pipeline([source, TableSink()]), chosen, lambda tuples: seen.append(cores_of_pinned_threads()))
    wanted = last if place == "spread" else first
    assert sorted([*before, wanted]) in seen
