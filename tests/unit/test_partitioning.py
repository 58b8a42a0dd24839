"""Keys fall into partitions: in range, always the same one, evenly, and by range in order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.partitioning import Partitioning

keys = st.integers(-(2**63), 2**63 - 1)
counts = st.integers(1, 4096)


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


@pytest.mark.parametrize("arguments", [(0,), (-3,), (4, True, 5, 5), (4, True, 5, 4)])
def test_no_partitions_and_no_range_are_refused(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"partitions|range"):
        Partitioning(*arguments)
