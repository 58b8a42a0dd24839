"""Splitting by key keeps the order of each partition's rows, whatever is sent in what blocks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.cluster import split
from streambench.queries import query as queries
from streambench.queries.cut import Columns, Cut, Shuffle, first_of_each, merged

KEYS = st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 5)), max_size=60)


def arrived(shuffle: Shuffle, parts: list[dict[str, np.ndarray]], partitions: int) -> dict[int, list[tuple[int, ...]]]:
    """What each partition is given when several tasks have sent their rows, which may come in any order."""
    found: list[tuple[split.Key, bytes, pa.Schema]] = []
    place = 0
    for rows in parts:
        for key, block in split.blocks(shuffle, rows, place, partitions):
            found.append((key, split.as_bytes(block), block.schema))
        place += len(next(iter(rows.values())))
    assert len({key for key, _, _ in found}) == len(found)
    by_partition: dict[int, list[tuple[int, ...]]] = {}
    found.reverse()  # as they may come from other machines
    for key, block, schema in sorted(found, key=lambda each: each[0]):
        columns = split.arrays(block, schema)
        by_partition.setdefault(key[0], []).extend(zip(*(each.tolist() for each in columns), strict=True))
    return by_partition


@given(st.lists(KEYS, min_size=1, max_size=4), st.integers(1, 7))
def test_each_partition_is_given_its_keys_rows_in_the_order_of_the_stream(
    parts: list[list[tuple[int, int]]], partitions: int
) -> None:
    stream = [
        {"a": np.array([a for a, _ in rows], np.int32), "b": np.array([b for _, b in rows], np.int64)} for rows in parts
    ]
    got = arrived(Shuffle(1, ("a", "b")), stream, partitions)
    whole = [row for rows in parts for row in rows]
    places = [int(split.partition_of([np.array([a]), np.array([b])], partitions)[0]) for a, b in whole]
    wanted: dict[int, list[tuple[int, ...]]] = {}
    for partition, row in zip(places, whole, strict=True):
        wanted.setdefault(partition, []).append(row)
    assert got == wanted
    assert all(0 <= partition < partitions for partition in places)


@given(st.lists(KEYS, min_size=1, max_size=4), st.integers(1, 7), st.sampled_from([("w",), ("a",)]))
def test_a_window_arrives_whole_and_before_the_next_one(
    parts: list[list[tuple[int, int]]], partitions: int, key: tuple[str, ...]
) -> None:
    stream = [
        {"w": np.sort(np.array([w for _, w in rows], np.int32)), "a": np.array([a for a, _ in rows], np.int32)}
        for rows in parts
    ]
    got = arrived(Shuffle(1, key, window="w"), stream, partitions)
    for rows in got.values():
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    sent = sorted((int(w), int(a)) for rows in stream for w, a in zip(rows["w"], rows["a"], strict=True))
    assert sorted(row for rows in got.values() for row in rows) == sent


def test_a_long_run_of_rows_is_sent_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "BLOCK_ROWS", 10)
    rows = {"a": np.arange(95, dtype=np.int32) % 7}
    got = arrived(Shuffle(1, ("a",)), [rows], 3)
    assert sum(map(len, got.values())) == 95
    assert len(list(split.blocks(Shuffle(1, ("a",)), rows, 0, 3))) > 10


@pytest.mark.parametrize("most", [0, 1 << 30])
@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20), st.integers(0, 31))
def test_columns_arrive_as_they_were_however_narrow_they_travel(most: int, values: list[int], shift: int) -> None:
    columns = {
        "any": np.array(values, np.int32),
        "small": np.abs(np.array(values, np.int64)) >> shift,
        "one": np.full(len(values), values[0], np.int32),
        "real": np.array(values, np.float64) / 3,
    }
    block = pa.RecordBatch.from_pydict(columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split, "NARROWED_BYTES", most)
        found = split.arrays(split.as_bytes(block), block.schema)
    for made, wanted in zip(found, columns.values(), strict=True):
        assert made.dtype == wanted.dtype
        assert made.tolist() == wanted.tolist()


def test_an_hours_pairs_travel_in_a_third_of_their_bytes() -> None:
    pairs = {"hour": np.full(5000, 3, np.int32), "a": np.arange(5000, dtype=np.int32), "b": np.ones(5000, np.int32)}
    pairs["b"][::2] = 60_000
    block = pa.RecordBatch.from_pydict(pairs)
    assert len(split.as_bytes(block)) < 0.35 * block.nbytes


def test_users_that_follow_each_other_are_spread_evenly() -> None:
    counts = np.bincount(split.partition_of([np.arange(100_000)], 16), minlength=16)
    assert counts.min() > 0.9 * counts.mean()
    pairs = [np.repeat(np.arange(300), 300), np.tile(np.arange(300), 300)]
    counts = np.bincount(split.partition_of(pairs, 16), minlength=16)
    assert counts.min() > 0.9 * counts.mean()


def test_a_days_sales_are_summed_by_category_before_they_are_sent() -> None:
    shuffle = _cut("q15").shuffles[0]
    assert shuffle.combine is not None
    lines: Columns = {
        "category": np.array([2, 1, 2, 1], np.int16),
        "date": np.array([5, 5, 5, 6], np.int32),
        "cents": np.array([2**31 - 1, 7, 2**31 - 1, -3], np.int32),
    }
    summed = shuffle.combine(lines)
    assert {name: each.tolist() for name, each in summed.items()} == {
        "category": [1, 2, 1],
        "date": [5, 5, 6],
        "cents": [7, 2 * (2**31 - 1), -3],
    }


def test_tops_of_partitions_are_merged_into_the_top_of_all() -> None:
    names = ("hour", "item_a", "item_b", "n")
    rows = [(0, 1, 2, 5), (0, 1, 3, 5), (0, 0, 9, 4), (1, 4, 5, 1)]
    tables = [
        pa.table({name: [row[k] for row in part] for k, name in enumerate(names)}) for part in (rows[2:], rows[:2])
    ]
    top = first_of_each(merged(tables, "hour", "-n", "item_a", "item_b"), "hour", 2)
    assert list(zip(*top.to_pydict().values(), strict=True)) == [rows[0], rows[1], rows[3]]


@pytest.mark.parametrize("name", ["q1", "q2", "q3", "q4", "q15"])
def test_every_query_is_cut_behind_stateless_operators_first(name: str) -> None:
    query = queries.find(name)
    assert query.cut is not None
    for parameters in query.parameters.values():
        places = [each.after for each in query.cut(parameters).shuffles]
        assert places == sorted(places)
        assert places[0] >= 1


def _cut(name: str) -> Cut:
    query = queries.find(name)
    assert query.cut is not None
    return query.cut(query.parameters["paper"])
