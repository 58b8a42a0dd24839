"""Filters keep the rows that they should, in order, whatever the types."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
TYPES = (*INTEGERS, "float64", "float32", "bool", "S3", "S20")


def column(draw: Any, kind: str, rows: int) -> Any:
    if kind not in INTEGERS:
        return np.arange(rows).astype(kind).astype(f"V{kind[1:]}" if kind[0] == "S" else kind)
    limits = np.iinfo(kind)
    values = st.one_of(st.integers(max(-2, limits.min), 3), st.sampled_from([limits.min, limits.max, limits.max - 1]))
    few = draw(st.lists(values, min_size=1, max_size=9))
    return np.resize(np.array(few, dtype=kind), rows)


@st.composite
def filters(draw: Any) -> tuple[list[Any], list[Any], int]:
    rows = draw(st.one_of(st.integers(0, 140), st.sampled_from([4095, 4096, 4097, 9000])))
    tested = draw(st.lists(st.sampled_from(INTEGERS), min_size=1, max_size=3))
    kinds = [*tested, *draw(st.lists(st.sampled_from(TYPES), max_size=3))]
    bounds = st.one_of(st.integers(-3, 4), st.sampled_from([-(2**63), -(2**31), 127, 2**31 - 1, 2**32 - 1, 2**63 - 1]))
    tests = []
    for place in range(len(tested)):
        name = draw(st.sampled_from(["drop_nulls", "keep_nulls", "keep_equal", "keep_within", "keep_listed"]))
        further: Any = {
            "keep_equal": lambda: draw(bounds),
            "keep_within": lambda: (draw(bounds), draw(bounds)),
            "keep_listed": lambda: np.array(draw(st.lists(st.integers(0, 1), max_size=5)), dtype=np.uint8),
        }.get(name, lambda: None)()
        tests.append((name, place, further))
    return [column(draw, kind, rows) for kind in kinds], tests, draw(st.integers(0, min(rows, 70)))


def holds(name: str, value: int, further: Any) -> bool:
    if name == "drop_nulls":
        return value >= 0
    if name == "keep_nulls":
        return value < 0
    if name == "keep_equal":
        return bool(value == further)
    if name == "keep_within":
        return bool(further[0] <= value <= further[1])
    return 0 <= value < len(further) and bool(further[value])


@pytest.mark.slow
@given(filters(), st.booleans())
def test_rows_are_kept_by_all_tests_of_their_columns(
    probes: SimpleNamespace, given_filter: tuple[list[Any], list[Any], int], in_place: bool
) -> None:
    columns, tests, begin = given_filter
    rows = range(begin, len(columns[0]))
    wanted = [
        row for row in rows if all(holds(name, int(columns[place][row]), further) for name, place, further in tests)
    ]
    found = probes.kept(columns, tests, begin, in_place)
    assert [each.tolist() for each in found] == [each[wanted].tolist() for each in columns]


@given(st.sampled_from(TYPES), st.lists(st.booleans(), min_size=1, max_size=200))
def test_values_are_copied_alike_one_by_one(probes: SimpleNamespace, kind: str, kept: list[bool]) -> None:
    """As processors without SIMD do it."""
    values = np.arange(len(kept)).astype(kind).astype(f"V{kind[1:]}" if kind[0] == "S" else kind)
    bits = np.zeros(-(-len(kept) // 64) * 64, dtype=np.uint8)
    bits[: len(kept)] = kept
    words = np.packbits(bits, bitorder="little").view(np.uint64)
    assert probes.copied_by_one(values, words)[: sum(kept)].tolist() == values[np.array(kept)].tolist()


@given(st.lists(st.tuples(st.integers(1, 100), st.booleans(), st.integers(0, 1)), min_size=1, max_size=12))
def test_a_column_that_is_passed_on_is_there_whole_and_overwrites_nothing(
    probes: SimpleNamespace, rounds: list[tuple[int, bool, int]]
) -> None:
    """Whatever memory it was in, and however units grow and shrink."""
    begun = 0
    for (rows, _, to), (*found, left) in zip(rounds, probes.passed_on(rounds), strict=True):
        values = list(range(begun + 1, begun + rows + 1))
        assert found[to] == values
        assert found[1 - to] == [-values[-1]] * rows
        assert left == values
        begun += rows
