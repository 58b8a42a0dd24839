"""The table of running counts counts like a dictionary, whatever its size, its keys and what it has forgotten."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

EXTREMES = (0, 1, 2, 3, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)
keys = st.lists(st.sampled_from(EXTREMES) | st.integers(0, 20) | st.integers(0, (1 << 64) - 1), max_size=60)


def running_counts(stream: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Of each key, how often it has come so far: sorting keeps equal keys in their order."""
    order = np.argsort(stream, kind="stable")
    begins = np.flatnonzero(np.r_[True, stream[order][1:] != stream[order][:-1]])
    counts = np.empty(len(stream), dtype=np.int64)
    counts[order] = np.arange(len(stream)) - np.repeat(begins, np.diff(np.r_[begins, len(stream)])) + 1
    return counts


def counted(stream: npt.NDArray[np.uint64]) -> dict[int, int]:
    return dict(zip(*(each.tolist() for each in np.unique(stream, return_counts=True)), strict=True))


@given(st.lists(keys, max_size=5))
def test_counts_are_a_dictionarys_and_forgotten_ones_begin_anew(
    probes: SimpleNamespace, windows: list[list[int]]
) -> None:
    table = probes.CountTables()
    for window in windows:
        expected: Counter[int] = Counter()
        for key, count in zip(window, table.count(window), strict=True):
            expected[key] += 1
            assert count == expected[key]
        held, counts = table.held()
        assert dict(zip(held.tolist(), counts.tolist(), strict=True)) == expected
        table.forget()
        assert len(table.held()[0]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [60, 64, 65, 129, 5_000, 8_192, 8_193, 33_000, 70_000, 400_000])
def test_growth_loses_and_doubles_nothing(probes: SimpleNamespace, distinct: int) -> None:
    random = np.random.default_rng(distinct)
    known = random.integers(0, 1 << 64, distinct, dtype=np.uint64)
    stream = random.permutation(np.r_[known, random.choice(known, distinct)])
    table = probes.CountTables()
    counts = np.concatenate([table.count(unit) for unit in np.array_split(stream, 7)])
    assert np.array_equal(counts, running_counts(stream))
    held, n = table.held()
    assert dict(zip(held.tolist(), n.tolist(), strict=True)) == counted(stream)


def test_regions_split_one_after_the_other_not_all_at_once(probes: SimpleNamespace) -> None:
    """Of 16 regions with one and the same limit nearly all would split within some units of evenly spread keys."""
    table, regions = probes.CountTables(), []
    for unit in np.array_split(np.random.default_rng(3).integers(0, 1 << 64, 1_200_000, dtype=np.uint64), 300):
        table.count(unit)
        regions.append(table.regions())
    assert regions[-1] > 20
    assert max(np.diff(regions)) <= 2


def test_what_was_forgotten_never_comes_back_while_the_table_grows_again(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(5)
    table = probes.CountTables()
    for size in (1_000, 200_000, 3, 300_000, 5_000, 150_000, 400_000):
        stream = random.integers(0, 250_000, size).astype(np.uint64)
        assert np.array_equal(table.count(stream), running_counts(stream))
        assert len(table.held()[0]) == len(np.unique(stream))
        table.forget()


@pytest.mark.slow
@pytest.mark.parametrize("tables", [1, 2, 7])
@pytest.mark.parametrize("distinct", [50, 3_000, 200_000])
def test_tables_side_by_side_count_by_themselves(probes: SimpleNamespace, tables: int, distinct: int) -> None:
    random = np.random.default_rng(distinct + tables)
    stream = random.integers(0, distinct, 3 * distinct).astype(np.uint64)
    table_of = random.integers(0, tables, len(stream))
    together = probes.CountTables(tables)
    counts = np.concatenate(
        [
            together.count(unit, which)
            for unit, which in zip(np.array_split(stream, 5), np.array_split(table_of, 5), strict=True)
        ]
    )
    for k in range(tables):
        assert np.array_equal(counts[table_of == k], running_counts(stream[table_of == k]))
        held, n = together.held(k)
        assert dict(zip(held.tolist(), n.tolist(), strict=True)) == counted(stream[table_of == k])


@pytest.mark.parametrize("distinct", [0, 100, 150_000])
def test_moved_counts_go_on_where_they_were(probes: SimpleNamespace, distinct: int) -> None:
    stream = np.random.default_rng(distinct).integers(0, max(distinct, 1), 2 * distinct).astype(np.uint64)
    tables = probes.CountTables(4)
    tables.count([1, 2, 3])
    tables.forget()  # old counts must not be moved
    first, second = stream[: len(stream) // 3], stream[len(stream) // 3 :]
    tables.count(first)
    tables.move_to_others()
    assert len(tables.held(0)[0]) == 0
    counts = tables.count(second, [1 + probes.partition_of(int(key), 3) for key in second])
    assert np.array_equal(counts, running_counts(stream)[len(first) :])


STRUCTURED = {
    "consecutive": np.arange(600_000),
    "pairs with one first member": (7 << 32) + np.arange(600_000),
    "pairs with one second member": (np.arange(600_000) << 32) + 7,
    "a square of pairs": ((np.arange(775)[:, None] << 32) + np.arange(775)[None, :]).ravel(),
    "powers of two apart": np.arange(600_000) << 20,
}


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [1, 16])
@pytest.mark.parametrize("size", [4_000, 300_000])
@pytest.mark.parametrize("name", STRUCTURED)
def test_keys_with_a_structure_are_spread_like_random_ones(
    probes: SimpleNamespace, name: str, size: int, partitions: int
) -> None:
    """Also those of them that fall into one partition. Random keys at a table's fullest: 3 % are away from home."""
    keys = STRUCTURED[name].astype(np.uint64)
    if partitions > 1:
        keys = np.array([key for key in keys if probes.partition_of(int(key), partitions) == 3], dtype=np.uint64)
    keys = keys[: size // partitions]
    random = np.random.default_rng(size).integers(0, 1 << 64, len(keys), dtype=np.uint64)
    found = []
    for each in (keys, random):
        table = probes.CountTables()
        table.count(each)
        found.append(table.away_from_home())
    assert found[0] < 1.5 * found[1] + 0.01


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of a process is read from /proc")
def test_a_table_that_goes_gives_its_memory_back(probes: SimpleNamespace) -> None:
    def mapped() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0]) * 4096

    stream = np.arange(1_000_000).astype(np.uint64)
    probes.CountTables().count(stream)  # whatever Python and numpy keep, they have now
    before = mapped()
    table = probes.CountTables()
    table.count(stream)
    grown = mapped() - before
    assert grown >= 16 * len(stream)
    del table
    assert mapped() - before < grown // 8


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of a process is read from /proc")
@pytest.mark.parametrize("keys", [10_000, 100_000])
def test_many_tables_that_go_in_mid_growth_or_past_it_leave_nothing(probes: SimpleNamespace, keys: int) -> None:
    def mapped() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0]) * 4096

    stream = np.arange(keys).astype(np.uint64)
    probes.CountTables().count(stream)
    before = mapped()
    for _ in range(20):
        probes.CountTables().count(stream)
    assert mapped() - before < 8 << 20  # a huge page each would be 40 MB
