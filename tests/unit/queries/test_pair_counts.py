"""Pairs are counted alike however a unit comes: by partition or whole to one worker, in one piece or several."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.common.pair_counts import PairCounts

pytestmark = pytest.mark.slow  # many examples

MOST = (1 << 31) - 1
WHOLE = {"whole": 1, "in three": 3, "joint": 1, "joint, in three": 3}  # any partition, in so many calls
APART = ("by partition", "by partition, last first")
Row = tuple[int, int, int]  # does the next window begin, a, b
Call = tuple[int | None, list[int] | None]  # partition or None for any; rows or None for all

members = st.integers(0, 4) | st.sampled_from([MOST - 1, MOST])
rows = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1]), members, members), min_size=1, max_size=30)


def hand_over(how: str, partition_of: list[int], partitions: int) -> list[Call]:
    """The calls for a unit: a partition's rows in order, partitions in any order."""
    n = len(partition_of)
    if how in WHOLE:
        pieces = WHOLE[how]
        if pieces == 1:
            return [(None, None)]
        return [(None, list(range(n * k // pieces, n * (k + 1) // pieces))) for k in range(pieces)]
    calls: list[Call] = [(p, [row for row in range(n) if partition_of[row] == p]) for p in range(partitions)]
    return calls if how == APART[0] else calls[::-1]


class Counted:
    """An operator beside a dictionary. ``window`` goes on from unit to unit."""

    def __init__(
        self, probes: SimpleNamespace, windowed: bool, by_first: bool, partitions: int, wide: bool = False
    ) -> None:
        self.probes, self.windowed, self.by_first, self.partitions = probes, windowed, by_first, partitions
        self.operator = PairCounts(("window", "a", "b") if windowed else ("a", "b"), windowed, by_first)
        self.types = ["int64" if wide else "int32"] * (3 if windowed else 2)
        probes.prepare(self.operator, [np.empty(0, dtype=kind) for kind in self.types], partitions)
        self.expected: Counter[Row] = Counter()
        self.window = 0

    def take(self, how: str, unit: list[Row], by_hash: bool = True) -> None:
        """Process ``unit`` both ways and compare."""
        columns: list[list[int]] = [[], [], []]
        partition_of, expected = [], []
        for step, a, b in unit:
            self.window += step * self.windowed
            self.expected[self.window, a, b] += 1
            expected.append(self.expected[self.window, a, b])
            for column, value in zip(columns, (self.window, a, b), strict=True):
                column.append(value)
            key = a if self.by_first else a << 32 | b
            partition_of.append(self.probes.partition_of(key, self.partitions) if by_hash else a % self.partitions)
        calls = hand_over(how, partition_of, self.partitions)
        read = columns[0 if self.windowed else 1 :]
        arrays = [np.array(column, dtype=kind) for column, kind in zip(read, self.types, strict=True)]
        assert self.probes.process_in_place(self.operator, arrays, calls) == expected

    def totals_are_right(self) -> None:
        totals = {(0, int(a), int(b)): int(n) for a, b, n in zip(*self.operator.totals(), strict=True)}
        assert totals == self.expected


@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("by_first", [False, True])
@pytest.mark.parametrize("windowed", [False, True])
@given(stream=st.lists(st.tuples(st.sampled_from([*WHOLE, *APART]), rows), max_size=8), wide=st.booleans())
def test_running_counts_are_a_dictionarys(
    probes: SimpleNamespace,
    windowed: bool,
    by_first: bool,
    partitions: int,
    stream: list[tuple[str, list[Row]]],
    wide: bool,
) -> None:
    both = Counted(probes, windowed, by_first, partitions, wide)
    joint = False
    for how, unit in stream:
        if how.startswith("joint") != joint:
            joint = not joint
            probes.share(both.operator, not joint)
        both.take(how, unit)
    if not windowed:
        both.totals_are_right()


@pytest.mark.parametrize("windowed", [False, True])
@given(stream=st.lists(st.tuples(st.sampled_from(APART), rows), max_size=8))
def test_any_partitioning_by_key_will_do(
    probes: SimpleNamespace, windowed: bool, stream: list[tuple[str, list[Row]]]
) -> None:
    both = Counted(probes, windowed, by_first=True, partitions=3)
    for how, unit in stream:
        both.take(how, unit, by_hash=False)
    if not windowed:
        both.totals_are_right()


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("windowed", [False, True])
def test_units_larger_than_any_table_at_first_are_counted(
    probes: SimpleNamespace, windowed: bool, partitions: int
) -> None:
    """Some 100,000 pairs in all, so that tables grow, in each way of handing over, and windows end within units."""
    both = Counted(probes, windowed, False, partitions)
    ways = [*APART, "whole", *APART, "in three", "joint", "joint, in three", *APART]
    for turn, how in enumerate(ways):
        if how.startswith("joint") != ways[turn - 1].startswith("joint"):
            probes.share(both.operator, not how.startswith("joint"))
        both.take(how, [(k % 5_000 == 4_999, k * k % 9_973, k % (7 + turn)) for k in range(12_000)])
    if not windowed:
        both.totals_are_right()


@pytest.mark.parametrize("windowed", [False, True])
def test_more_counts_than_one_table_is_good_for_are_divided_and_go_on(probes: SimpleNamespace, windowed: bool) -> None:
    """100,000 pairs while one worker has them all, and then by partition, and by one worker again."""
    both = Counted(probes, windowed, False, 3)
    ways = ["joint", "joint, in three", "joint", "joint", "by partition", "joint"]
    for turn, how in enumerate(ways):
        if turn == 0 or how.startswith("joint") != ways[turn - 1].startswith("joint"):
            probes.share(both.operator, not how.startswith("joint"))
        both.take(how, [(k == 24_000 and turn in (2, 3), k, turn // 2) for k in range(25_000)])
    if not windowed:
        assert len(both.expected) == 75_000
        both.totals_are_right()


def test_an_operator_that_is_opened_again_has_counted_nothing(probes: SimpleNamespace) -> None:
    both = Counted(probes, False, False, 2)
    both.take("whole", [(0, k, k) for k in range(5_000)])
    both.operator.prepare(3)
    both.partitions = 3
    both.expected.clear()
    both.take("by partition", [(0, k, k) for k in range(100)])
    both.totals_are_right()
