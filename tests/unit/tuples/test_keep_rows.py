"""Filters keep the rows that they should, in order."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

values = st.one_of(st.integers(-2, 3), st.integers(-(2**63), 2**63 - 1))


@pytest.mark.slow
@pytest.mark.parametrize("by_one", [True, False])
@given(
    rows=st.lists(st.tuples(values, values, values, values), max_size=70),
    width=st.integers(1, 4),
    columns=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    null_only=st.booleans(),
    in_place=st.booleans(),
)
def test_rows_are_kept_by_two_columns_being_null_or_not(
    probes: SimpleNamespace,
    by_one: bool,
    rows: list[tuple[int, ...]],
    width: int,
    columns: tuple[int, int],
    null_only: bool,
    in_place: bool,
) -> None:
    """``by_one``: one row at a time, which is what processors without AVX-512 do."""
    p, q = columns[0] % width, columns[1] % width
    wanted = [row[:width] for row in rows if row[p] >= 0 and (row[q] < 0) == null_only]
    given = [[row[k] for row in rows] for k in range(width)]
    found = probes.kept(given, p, q, -1 if null_only else 0, by_one, in_place)
    assert list(zip(*found, strict=True)) == wanted


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
