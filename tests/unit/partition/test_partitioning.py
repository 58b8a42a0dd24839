"""Keys fall into partitions: in range, always the same one, evenly, and by range in order."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.partition.partitioning import Partitioning

keys = st.integers(-(2**63), 2**63 - 1)
counts = st.integers(1, 4096)

KEY_SPACE = 10_000


def skewed(shape: str) -> list[int]:
    """20,000 keys of [0, KEY_SPACE): around the middle, or few that are frequent, or one that is nearly all."""
    rng = random.Random(17)
    if shape == "normal":
        return [min(max(int((rng.gauss(0, 0.1) + 1) / 2 * KEY_SPACE), 0), KEY_SPACE - 1) for _ in range(20_000)]
    if shape == "zipf":
        return rng.choices(range(KEY_SPACE), [1 / (k + 1) for k in range(KEY_SPACE)], k=20_000)
    return [rng.randrange(KEY_SPACE) if rng.random() < 0.01 else 4321 for _ in range(20_000)]


every_skew = pytest.mark.parametrize("shape", ["normal", "zipf", "one"])


@given(keys, counts)
def test_hash_partitions_are_in_range_and_stable(key: int, partitions: int) -> None:
    partition = Partitioning(partitions).of(key)
    assert 0 <= partition < partitions
    assert Partitioning(partitions).of(key) == partition


@pytest.mark.parametrize("partitions", [2, 3, 10, 64, 100])
@pytest.mark.parametrize("step", [1, 7, 64, 1000, 1 << 20, 1 << 32, (1 << 32) + 1])
def test_hash_spreads_regular_keys_evenly(partitions: int, step: int) -> None:
    """Keys are often consecutive, multiples of something, or two numbers packed into one."""
    each = 400
    found = Counter(Partitioning(partitions).of(k * step) for k in range(partitions * each))
    assert len(found) == partitions
    assert max(found.values()) < 1.35 * each
    assert min(found.values()) > 0.65 * each


@given(st.integers(-(2**40), 2**40), st.integers(1, 2**40), counts, st.lists(keys, min_size=1, max_size=50))
def test_ranges_are_equal_and_in_key_order(low: int, length: int, partitions: int, some: list[int]) -> None:
    ranges = Partitioning(partitions, True, low, low + length)
    for key in [*some, low, low + length - 1, low + length // 2]:
        wanted = 0 if key < low else partitions - 1 if key >= low + length else (key - low) * partitions // length
        assert ranges.of(key) == wanted


def test_ranges_may_span_all_integers() -> None:
    low, high = -(2**63), 2**63 - 1
    ranges = Partitioning(4, True, low, high)
    for key in (low, -(2**62) - 2, -1, 0, 2**62 + 1, high - 1):
        assert ranges.of(key) == (key - low) * 4 // (high - low)
    assert ranges.of(high) == 3


@given(st.lists(st.integers(-50, 50), max_size=20), st.lists(st.integers(-60, 60), min_size=1))
def test_ranges_begin_at_their_bounds(bounds: list[int], some: list[int]) -> None:
    bounds.sort()
    ranges = Partitioning(len(bounds) + 1, True, -60, 61, bounds)
    if bounds:  # without any there is one range
        assert [ranges.of(key) for key in some] == [sum(key >= bound for bound in bounds) for key in some]
    assert ranges.of(-(2**63)) == 0
    assert ranges.of(2**63 - 1) == len(bounds)


@every_skew
@pytest.mark.parametrize("by_range", [False, True])
@pytest.mark.parametrize("partitions", [1, 2, 7, 100])
def test_every_skewed_key_has_exactly_one_partition(shape: str, by_range: bool, partitions: int) -> None:
    """However often a key comes, and whichever worker asks."""
    one, other = (Partitioning(partitions, by_range, 0, KEY_SPACE) for _ in range(2))
    found: defaultdict[int, set[int]] = defaultdict(set)
    for key in skewed(shape):
        found[key] |= {one.of(key), other.of(key)}
    assert all(len(places) == 1 for places in found.values())
    assert {place for places in found.values() for place in places} <= set(range(partitions))


@every_skew
@pytest.mark.parametrize("partitions", [1, 2, 7, 100])
def test_ranges_of_skewed_keys_are_contiguous_and_ascending(shape: str, partitions: int) -> None:
    ranges = Partitioning(partitions, True, 0, KEY_SPACE)
    places = [ranges.of(key) for key in sorted(skewed(shape))]
    assert places == sorted(places)


@given(st.integers(-(2**40), 2**40), st.integers(1, 3000), st.integers(1, 300))
def test_each_range_is_one_interval_and_none_is_much_longer(low: int, length: int, partitions: int) -> None:
    ranges = Partitioning(partitions, True, low, low + length)
    places = [ranges.of(key) for key in range(low, low + length)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, (length - 1) * partitions // length)
    lengths = [places.count(place) for place in range(partitions)]
    assert max(lengths) - min(lengths) <= 1


@given(st.integers(-(2**40), 2**40), st.integers(1, 2**40), counts, st.integers(0, 2**62))
def test_keys_outside_go_to_the_ends(low: int, length: int, partitions: int, distance: int) -> None:
    ranges = Partitioning(partitions, True, low, low + length)
    assert ranges.of(low - 1 - distance) == 0
    assert ranges.of(low + length + distance) == partitions - 1


def test_ranges_keep_the_skew_of_the_keys_and_hash_spreads_it() -> None:
    """What figure 9 of the paper needs: keys around the middle load the middle ranges; by hash the load is even."""
    keys_around_the_middle = skewed("normal")
    by_range = Counter(Partitioning(10, True, 0, KEY_SPACE).of(key) for key in keys_around_the_middle)
    by_hash = Counter(Partitioning(10).of(key) for key in keys_around_the_middle)
    assert by_range[4] + by_range[5] > 0.9 * len(keys_around_the_middle)
    assert max(by_hash.values()) < 1.35 * len(keys_around_the_middle) / 10


def test_a_key_that_is_nearly_all_loads_one_partition_either_way() -> None:
    """No partitioning by key can split a key."""
    for partitioning in (Partitioning(10), Partitioning(10, True, 0, KEY_SPACE)):
        found = Counter(partitioning.of(key) for key in skewed("one"))
        assert found.most_common(1)[0][0] == partitioning.of(4321)
        assert found.most_common(1)[0][1] > 0.98 * 20_000


@pytest.mark.parametrize("arguments", [(0,), (-3,), (4, True, 5, 5), (4, True, 5, 4)])
def test_no_partitions_and_no_range_are_refused(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"partitions|range"):
        Partitioning(*arguments)


@pytest.mark.parametrize("bounds", [[1], [1, 2, 3], [2, 1]])
def test_bounds_that_do_not_fit_are_refused(bounds: list[int]) -> None:
    with pytest.raises(ValueError, match="3 ranges have 2 ascending keys between them, not"):
        Partitioning(3, True, 0, 10, bounds)


@pytest.mark.slow
@pytest.mark.parametrize("by_range", [False, True])
@pytest.mark.parametrize("empty_too", [False, True])
@pytest.mark.parametrize("partitions", [1, 2, 3, 4, 16, 23, 24, 25, 64])  # few: a pass for each; many: a counting sort
def test_the_index_of_a_unit_names_every_row_once_in_its_partition_in_order(
    probes: SimpleNamespace, partitions: int, empty_too: bool, by_range: bool
) -> None:
    """With groups for empty partitions, too, or without: then a unit without tuples has one, of the first partition."""
    rng = random.Random(partitions)
    partitioning = Partitioning(partitions, by_range, -KEY_SPACE, KEY_SPACE)
    index = probes.Index(partitioning)
    lengths = [4096, 0, 1, 2, 15, 16, 17, 31, 32, 33, 1000, *(rng.randrange(5000) for _ in range(20)), 9000]
    for length in lengths:
        few = rng.random() < 0.3  # so that partitions stay empty, or get all
        some = [rng.randrange(3) if few else rng.randrange(-KEY_SPACE, KEY_SPACE) for _ in range(length)]
        expected: list[list[int]] = [[] for _ in range(partitions)]
        for row, key in enumerate(some):
            expected[partitioning.of(key)].append(row)
        present = [(p, rows) for p, rows in enumerate(expected) if rows or empty_too]
        assert index.groups(some, empty_too) == (present or [(0, [])])
