"""`streambench.TopK`: what users hand in and what they are told."""

from __future__ import annotations

import datetime
import threading
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_streams import STREAMS, exact

from streambench import TopK
from streambench.errors import DataError, OptionError
from streambench.pyx.topk.designs import DESIGNS
from streambench.topk.answer import Answer
from streambench.topk.topk import PIECE


def counted(values: Any, **options: Any) -> TopK:
    found = TopK(**({"counters": 100} | options))
    found.update(values)
    return found


def rows(values: Any, **options: Any) -> dict[Any, int]:
    return {row.item: row.estimate for row in counted(values, **options).answer()}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_has_right_bounds(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streambench.topk.topk.NUMBERS", 999)
    stream = STREAMS["zipf 0.5"](20_000)
    found = counted(stream, design=design)
    found.merge(counted(stream[::2]))
    check_answer(found.answer(), exact(stream, stream[::2]), most=2 if "lossy" in design else 1)


def check_answer(answer: Answer, true: dict[Any, int], most: int = 1) -> None:
    listed = {row.item: row for row in answer}
    for item, often in true.items():
        if item in listed:
            assert listed[item].lower <= often <= listed[item].upper
        else:
            assert often <= answer.floor
    assert answer.error_bound <= most * answer.n / 100


@pytest.mark.parametrize(
    ("values", "true"),
    [
        (np.array([3, -1, 3], np.int16), {3: 2, -1: 1}),
        (np.array([2**64 - 1, 0, 0], np.uint64), {2**64 - 1: 1, 0: 2}),
        (np.array([1, 2, 3, 2], ">i4")[::2], {1: 1, 3: 1}),
        ([2**63, 2**63], {2**63: 2}),
        ([True, False, True], {True: 2, False: 1}),
        (np.array([0.0, -0.0, 1.5], np.float32), {0.0: 2, 1.5: 1}),
        ([datetime.date(2026, 1, 2)] * 2, {datetime.date(2026, 1, 2): 2}),
        (np.array(["2026-01-02", "NaT"], "datetime64[s]"), {datetime.datetime(2026, 1, 2): 1}),
        (pa.array([7, 7], pa.time32("s")), {datetime.time(0, 0, 7): 2}),
        (["a", "", "a", None, "née"], {"a": 2, "": 1, "née": 1}),
        ([b"a", b"\0"], {b"a": 1, b"\0": 1}),
        (np.array(["a", "b", "a"]), {"a": 2, "b": 1}),
        (pa.array(["long enough to be viewed", None] * 2, pa.string_view()), {"long enough to be viewed": 2}),
        (pa.chunked_array([["a"], ["b", "a"]], pa.large_string()), {"a": 2, "b": 1}),
        (pa.array([None, "a", "b", "a"])[1:], {"a": 2, "b": 1}),
        (pa.array(["a", "b", None] * 3).dictionary_encode(), {"a": 3, "b": 3}),
        (pa.DictionaryArray.from_arrays([0, 1, 1], pa.array(["a", None])), {"a": 1}),
        (pa.array([5, 5, 6]).dictionary_encode(), {5: 2, 6: 1}),
        (pd.Series(["a", "b", "a"], dtype="category"), {"a": 2, "b": 1}),
        (pd.Series([1.5, np.nan, 1.5]), {1.5: 2}),
        (pl.Series(["a", None, "a"]), {"a": 2}),
        (pl.Series([1, 2, 1], dtype=pl.UInt8), {1: 2, 2: 1}),
    ],
    ids=lambda each: str(getattr(each, "dtype", getattr(each, "type", ""))) or "",
)
def test_values_come_back_as_they_were(values: Any, true: dict[Any, int]) -> None:
    assert rows(values) == true


def test_nulls_are_counted_apart() -> None:
    found = counted([None, 4, None])
    found.update(pa.array([4, None]))
    found.update([None])
    answer = found.answer()
    assert (answer.n, answer.nulls) == (2, 4)


@pytest.mark.parametrize("values", [[2, -5, 10], ["b", "a", "c"], [True, False], np.array([2, -1], np.float16)])
def test_equal_estimates_stand_in_the_order_of_items(values: Any) -> None:
    assert [row.item for row in counted(values).answer()] == sorted(values)


def test_two_nans_are_one_item() -> None:
    odd = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    assert list(rows(odd).values()) == [2]


@given(st.lists(st.integers(-6, 6), max_size=80), st.integers(1, 6), st.integers(0, 8), st.floats(0, 0.99))
def test_what_is_guaranteed_is_true_and_what_is_complete_misses_nothing(
    items: list[int], counters: int, k: int, phi: float
) -> None:
    answer = counted(np.array(items, np.int64), counters=counters).answer()
    true = Counter(items)
    top, frequent = answer.top(k), answer.frequent(phi)
    for row in top:
        if row.guaranteed:
            assert sum(often > true[row.item] for often in true.values()) < k
    if top.complete:
        assert sorted((true[row.item] for row in top), reverse=True) == sorted(true.values(), reverse=True)[:k]
    wanted = {item for item, often in true.items() if often > phi * len(items)}
    assert {row.item for row in frequent if row.guaranteed} <= wanted
    if frequent.complete:
        assert wanted <= {row.item for row in frequent}
    for item in range(-7, 8):
        estimate = counted(np.array(items, np.int64), counters=counters).estimate(item)
        assert estimate.lower <= true[item] <= estimate.upper


def test_a_share_is_what_is_typed() -> None:
    answer = counted([1] * 3 + [2] * 7).answer()
    assert [row.item for row in answer.frequent(0.3)] == [2]
    assert [row.item for row in answer.frequent(0.29)] == [2, 1]


@pytest.mark.parametrize("name", ["uniform", "zipf 1.0", "bursts"])
def test_texts_have_the_bounds_of_what_they_stand_for(name: str) -> None:
    numbers = STREAMS[name](20_000)
    found = counted(pa.array(numbers.astype(str)))
    true = {str(item): often for item, often in exact(numbers).items()}
    check_answer(found.answer(), true)


def test_texts_that_are_not_monitored_are_forgotten() -> None:
    found = TopK(counters=10)
    for begin in range(0, 4 * PIECE, PIECE):
        found.update(pa.array(np.arange(begin, begin + PIECE).astype(str)))
        found.update(["always"] * 100)
    assert found._texts is not None
    assert len(found._texts) < 3 * PIECE
    assert next(iter(found.answer())).item == "always"


def mixed(word: bytes, size: int) -> int:
    """What the hash of a text of so many bytes is after its first eight, and stays if these are all."""
    hash = ((size ^ int.from_bytes(word, "little")) * 0x9E3779B97F4A7C15) % 2**64
    hash ^= hash >> 29
    hash = (hash * 0xBF58476D1CE4E5B9) % 2**64
    return hash ^ hash >> 32


def colliding(text: bytes) -> bytes:
    """Another text of 16 bytes with the same hash: its second word undoes what its first one changes."""
    first = b"another."
    second = int.from_bytes(text[8:], "little") ^ mixed(text[:8], 16) ^ mixed(first, 16)
    return first + second.to_bytes(8, "little")


def colliding_beyond(text: bytes) -> bytes:
    """Of 16 bytes, which begin with the eight of the text, and with the same hash."""
    return text + (mixed(text, 16) ^ 8 ^ int.from_bytes(text, "little")).to_bytes(8, "little")


def test_texts_with_one_hash_are_noticed_and_their_bounds_stay_true() -> None:
    one, other = b"sixteen bytes!!!", colliding(b"sixteen bytes!!!")
    found = counted([one] * 3)
    assert found.estimate(one) == (3, 3, 3)
    assert found.estimate(other) == (3, 0, 3)
    found.update([other] * 2 + [b"third"])
    assert [tuple(row)[:4] for row in found.answer()] == [(one, 5, 0, 5), (b"third", 1, 1, 1)]
    merged = counted([other])
    merged.merge(found)
    assert [tuple(row)[:4] for row in merged.answer()] == [(other, 6, 0, 6), (b"third", 1, 1, 1)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_text_is_not_the_longer_one_with_its_hash_that_it_begins(turned: bool) -> None:
    one, other = b"a prefix", colliding_beyond(b"a prefix")
    if turned:
        one, other = other, one
    found = counted([one] * 3)
    assert (found.estimate(one), found.estimate(other)) == ((3, 3, 3), (3, 0, 3))
    found.update([other])
    assert [tuple(row)[:4] for row in found.answer()] == [(one, 4, 0, 4)]


@pytest.mark.parametrize("kind", ["integers", "texts"])
def test_merged_answers_hold_both_streams(kind: str) -> None:
    streams = [STREAMS["zipf 0.5"](10_000), STREAMS["bursts"](10_000), STREAMS["zipf 1.5"](10_000)]
    arrays = [pa.array(each.astype(str)) if kind == "texts" else each for each in streams]
    whole = counted(arrays[0])
    for array in arrays[1:]:
        whole.merge(counted(array))
    whole.merge(TopK(counters=100))
    whole.update(arrays[0])
    true = {str(k) if kind == "texts" else k: v for k, v in exact(*streams, streams[0]).items()}
    check_answer(whole.answer(), true)
    assert whole.answer().n == 40_000


def test_threads_count_and_forget_texts_while_others_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streambench.topk.topk.PIECE", 64)  # they are forgotten often
    streams = [STREAMS["zipf 1.0"](20_000), STREAMS["uniform"](20_000)]
    found = TopK(counters=100, design="fast", threads=2)

    def feed(thread: int) -> None:
        for piece in np.array_split(streams[thread], 5):
            found.update(pa.array(piece.astype(str)), thread)

    threads = [threading.Thread(target=feed, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert found.answer().error_bound <= max(found.answer().n, 1)
    for thread in threads:
        thread.join()
    check_answer(found.answer(), {str(item): often for item, often in exact(*streams).items()})
    assert found._texts is not None
    assert len(found._texts) < 600


def test_nothing_counted_is_an_empty_answer() -> None:
    found = TopK()
    found.update(np.array([], np.int64))
    answer = found.answer()
    assert (len(answer), answer.n, answer.error_bound, list(answer.frequent(0))) == (0, 0, 0, [])
    assert found.estimate("anything") == (0, 0, 0)
    assert answer.to_table().num_rows == 0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["a"], "items so far are int64, these are string: cast them"),
        ([1.5], "items so far are int64, these are double"),
        (np.array([1], np.uint8), "items so far are int64, these are uint8"),
        (5, "not in int"),
        ("text", "not in str"),
        (np.zeros((2, 2)), "cannot be read from numpy.ndarray"),
        (pa.array([[1]]), "type list<item: int64> cannot be counted"),
        ([1, "a"], "cannot be read from list"),
    ],
)
def test_values_that_cannot_be_counted_are_refused(values: Any, told: str) -> None:
    found = counted([1])
    with pytest.raises(DataError, match=told):
        found.update(values)
    assert found.answer().n == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"epsilon": 0}, "epsilon is a share above 2"),
        ({"epsilon": 1e-310}, "epsilon is a share above 2"),
        ({"epsilon": "1"}, "epsilon is a share above 2"),
        ({"threads": 2000}, "up to 1024 threads"),
        ({"counters": 0}, "counters must be a whole number from 1"),
        ({"threads": 0}, "threads must be a whole number from 1"),
        ({"design": "best"}, "there is no design 'best'"),
        ({"design": "sequential", "threads": 2}, "updated by 1 thread"),
    ],
)
def test_options_that_cannot_be_met_are_refused(options: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        TopK(**options)


def test_what_cannot_be_asked_is_refused() -> None:
    found = counted([1])
    with pytest.raises(OptionError, match="thread must be a number from 0 to 0"):
        found.update([1], thread=1)
    with pytest.raises(OptionError, match="k must be"):
        found.answer().top(-1)
    with pytest.raises(OptionError, match="phi is a share"):
        found.answer().frequent(1)
    with pytest.raises(DataError, match="items so far are int64"):
        found.estimate("a")
    with pytest.raises(DataError, match="null is not an item"):
        found.estimate(None)
    with pytest.raises(DataError, match="they cannot be merged"):
        found.merge(counted(["a"]))


def test_epsilon_says_how_many_counters() -> None:
    assert [TopK(each).counters for each in (1, 0.07, 1e-4)] == [1, 15, 10_000]
