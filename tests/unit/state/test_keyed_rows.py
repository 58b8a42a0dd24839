"""Rows for the state of keys: one per key, zero at first, whole cache lines, and flushed by ascending key."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

ANY_PARTITION = -1

keys = st.one_of(st.integers(-3, 40), st.integers(-(2**63), 2**63 - 1))
steps = st.lists(st.tuples(keys, st.integers(1, 9), st.booleans()), max_size=80)


@given(steps, st.sampled_from([64, 128]), st.integers(1, 9), st.sampled_from([0, 1, 7, 30, (1 << 62) - 1]))
def test_each_key_has_a_row_of_its_own_by_whatever_way_it_is_found(
    probes: SimpleNamespace, added: list[tuple[int, int, bool]], row_size: int, partitions: int, bound: int
) -> None:
    rows, model = probes.Rows(row_size), Counter[int]()
    rows.open(partitions, bound)
    for key, amount, named in added:
        assert rows.add(key, amount, named)
        model[key] += amount
    assert rows.flush() == sorted(model.items())
    assert rows.flush() == []
    assert rows.flush(again=True) == sorted(model.items())


@given(st.lists(keys, min_size=1, max_size=200), st.integers(1, 5), st.sampled_from([0, 20]))
def test_rows_are_whole_cache_lines_and_stay_where_they_are(
    probes: SimpleNamespace, some: list[int], partitions: int, bound: int
) -> None:
    rows = probes.Rows(64)
    rows.open(partitions, bound)
    first = {key: rows.address(key, True) for key in some}
    assert {key: rows.address(key, False) for key in some} == first
    assert all(address % 64 == 0 for address in first.values())
    assert len(set(first.values())) == len(first)


@st.composite
def columns(draw: st.DrawFn) -> list[int]:
    """Up to 150 keys, any number as likely as another: near ones, far ones or both."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    ranges = draw(st.sampled_from([[(-3, 40)], [(2**61, 2**61 + 40)], [(-3, 40), (2**61, 2**61 + 40)]]))
    return [int(random.integers(*ranges[random.integers(len(ranges))])) for _ in range(draw(st.integers(0, 150)))]


@pytest.mark.slow
@given(
    st.lists(columns(), max_size=4),
    st.integers(1, 5),
    st.sampled_from([0, 20, 1 << 40]),
    st.booleans(),
)
def test_rows_found_ahead_are_those_of_the_keys(
    probes: SimpleNamespace, calls: list[list[int]], partitions: int, bound: int, by_partition: bool
) -> None:
    """Near and far keys mixed, in calls longer and shorter than one looks ahead; whole, or partition by partition."""
    rows, model = probes.Rows(64), Counter[int]()
    rows.open(partitions, bound)
    for some in calls:
        column = np.array([*some, 0], dtype=np.int64)  # the last one is in no call
        of = [probes.partition_of(key, partitions) if by_partition else ANY_PARTITION for key in some]
        for partition in sorted(set(of)):
            selected = [row for row, its in enumerate(of) if its == partition]
            rows.add_all(column, np.array(selected, dtype=np.uint32), partition)
            for place, row in enumerate(selected):
                model[some[row]] += place + 1
    assert rows.flush() == sorted(model.items())


def test_a_whole_column_is_found_ahead_too(probes: SimpleNamespace) -> None:
    rows = probes.Rows(128)
    rows.open(3, 50)
    keys = np.tile(np.arange(100), 7)
    rows.add_all(keys, None, ANY_PARTITION)
    assert rows.flush() == [(key, sum(range(key + 1, 701, 100))) for key in range(100)]


def test_opening_again_forgets_all_keys(probes: SimpleNamespace) -> None:
    rows = probes.Rows(64)
    for bound in (0, 10, 100_000, 0):
        rows.open(3, bound)
        assert rows.flush() == []
        for key in (-5, 0, 9, 10, 99_999, 1 << 40):
            assert rows.add(key, 1, True)
        assert rows.flush(again=True) == [(key, 1) for key in (-5, 0, 9, 10, 99_999, 1 << 40)]


def test_far_more_keys_than_a_block_holds_keep_their_rows(probes: SimpleNamespace) -> None:
    rows = probes.Rows(128)
    rows.open(2, 0)
    for _ in range(2):
        assert all(rows.add(key * 7919, key + 1, bool(key % 2)) for key in range(5000))
    assert rows.flush() == [(key * 7919, 2 * (key + 1)) for key in range(5000)]


@pytest.mark.parametrize("row_size", [0, -64, 8, 100])
def test_a_row_that_is_not_whole_lines_is_refused(probes: SimpleNamespace, row_size: int) -> None:
    with pytest.raises(ValueError, match="whole cache lines"):
        probes.Rows(row_size)
