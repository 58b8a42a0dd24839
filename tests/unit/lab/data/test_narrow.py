"""What is narrowed is what NumPy makes of it, and one unfit value anywhere is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.data.narrow import moments, narrow, narrow_decimals

WIDE = ("int32", "int64")
TYPES = ("int8", "int16", "int32", "uint32", "int64")
sizes = st.integers(0, 300)
seeds = st.integers(0, 1 << 32)


def drawn(draw: np.random.Generator, n: int, last: int, kind: str) -> npt.NDArray[Any]:
    return draw.integers(0, min(last, int(np.iinfo(kind).max)), n, endpoint=True).astype(kind)


def most_of(kind: str) -> int:
    return int(np.iinfo(kind).max)


@given(n=sizes, seed=seeds, wide=st.sampled_from(WIDE), kind=st.sampled_from(TYPES), nulls=st.booleans())
def test_integers_are_those_of_numpy_and_nulls_are_minus_one(
    n: int, seed: int, wide: str, kind: str, nulls: bool
) -> None:
    draw = np.random.default_rng(seed)
    last = int(draw.integers(0, min(most_of(kind), most_of(wide)), endpoint=True))
    values = drawn(draw, n, last, wide)
    valid = draw.integers(0, 2, n).astype(bool) if nulls else np.ones(n, bool)
    wanted = np.where(valid, values, -1).astype(np.int64).astype(kind)
    values[~valid] = draw.integers(np.iinfo(wide).min, most_of(wide), int((~valid).sum()))  # means nothing
    out = np.empty(n, kind)
    bits = np.packbits(valid, bitorder="little") if nulls else None
    assert narrow(values, bits, out, last)
    assert out.tolist() == wanted.tolist()


@given(n=st.integers(1, 300), seed=seeds, wide=st.sampled_from(WIDE), kind=st.sampled_from(TYPES), data=st.data())
def test_one_value_beyond_is_found_wherever_it_is(n: int, seed: int, wide: str, kind: str, data: Any) -> None:
    last = min(most_of(kind), most_of(wide)) - 1
    values = drawn(np.random.default_rng(seed), n, last, wide)
    row = data.draw(st.integers(0, n - 1))
    values[row] = data.draw(st.sampled_from([-1, last + 1, np.iinfo(wide).min, most_of(wide)]))
    out = np.empty(n, kind)
    valid = np.ones(n, bool)
    assert not narrow(values, None, out, last)
    assert not narrow(values, np.packbits(valid, bitorder="little"), out, last)
    valid[row] = False
    assert narrow(values, np.packbits(valid, bitorder="little"), out, last)


@given(n=sizes, seed=seeds, wide=st.sampled_from(WIDE), kind=st.sampled_from(["uint32", "int64"]))
def test_moments_are_days_and_seconds(n: int, seed: int, wide: str, kind: str) -> None:
    draw = np.random.default_rng(seed)
    days, seconds = drawn(draw, n, 49_000, wide), drawn(draw, n, 86_399, wide)
    out = np.empty(n, kind)
    assert moments(days, seconds, out, (1 << 31) - 1, 86_399, most_of(kind))
    assert out.tolist() == (days.astype(np.int64) * 86_400 + seconds).tolist()


@pytest.mark.parametrize(
    ("day", "second", "kind", "fits"),
    [
        (49_710, 23_295, "uint32", True),  # 2**32 - 1
        (49_710, 23_296, "uint32", False),
        (49_710, 23_296, "int64", True),
        ((1 << 31) - 1, 86_399, "int64", True),
        (1 << 31, 0, "int64", False),
        ((1 << 32) + 1, 0, "int64", False),
        (-1, 0, "int64", False),
        (1, -1, "int64", False),
        (1, 86_400, "int64", False),
    ],
)
def test_moments_end_where_days_seconds_or_types_do(day: int, second: int, kind: str, fits: bool) -> None:
    days, seconds = np.full(70, 3), np.full(70, 5)
    days[41], seconds[41] = day, second
    out = np.empty(70, kind)
    assert moments(days, seconds, out, (1 << 31) - 1, 86_399, most_of(kind)) is fits
    assert not fits or int(out[41]) == day * 86_400 + second


@given(
    values=st.lists(st.integers(-(1 << 31) + 1, (1 << 31) - 1), max_size=80), kind=st.sampled_from(["int32", "int64"])
)
def test_decimals_are_their_low_halves(values: list[int], kind: str) -> None:
    out = np.empty(len(values), kind)
    assert narrow_decimals(halves(values), out, (1 << 31) - 1)
    assert out.tolist() == values


@pytest.mark.parametrize("value", [101, -101, 1 << 63, -(1 << 63), (1 << 64) + 5, -(1 << 64) + 5, (1 << 127) - 1])
def test_a_decimal_beyond_is_found(value: int) -> None:
    out = np.empty(9, "int32")
    assert narrow_decimals(halves([100] * 4 + [-100] * 5), out, 100)
    assert not narrow_decimals(halves([1] * 4 + [value] + [2] * 4), out, 100)


def halves(values: list[int]) -> npt.NDArray[np.int64]:
    memory = b"".join(value.to_bytes(16, "little", signed=True) for value in values)
    return np.frombuffer(memory, "<i8").astype(np.int64)
