"""A side of several physical streams is merged by (time, stream, place), however it is cut; lexsort is the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streambench
from streambench.errors import DataError, OptionError
from streambench.joins.dealing import dealt
from streambench.joins.join import matching_rows
from streambench.joins.side import Side
from streambench.pyx.gate_source import LateTuplesWarning
from streambench.pyx.join.merged_rows import merged_rows

times = st.lists(st.integers(-4, 12), max_size=30)


def table(ts: Any, first: int = 0) -> pa.Table:
    return pa.table({"ts": np.asarray(ts, np.int64), "row": np.arange(first, first + len(ts))})


def merged_by_lexsort(streams: list[list[int]], slack: int) -> tuple[list[int], tuple[int, ...]]:
    """Rows counted through the streams, without late ones; and how many of each were late."""
    ts = np.array([each for stream in streams for each in stream], np.int64)
    of = np.repeat(np.arange(len(streams)), [len(each) for each in streams])
    highest = [max(stream[:k], default=-(2**63)) for stream in streams for k in range(len(stream))]
    kept = np.array([each >= most - slack for each, most in zip(ts.tolist(), highest, strict=True)], bool)
    rows = np.flatnonzero(kept)
    late = np.bincount(of[~kept], minlength=len(streams))
    return rows[np.lexsort((rows, of[rows], ts[rows]))].tolist(), tuple(late.tolist())


@settings(max_examples=60)
@given(streams=st.lists(times, min_size=1, max_size=5), slack=st.integers(0, 20), sources=st.integers(1, 4))
def test_streams_within_slack_are_merged_as_lexsort_does(streams: list[list[int]], slack: int, sources: int) -> None:
    if slack == 0:
        streams = [sorted(each) for each in streams]
    wanted, late = merged_by_lexsort(streams, slack)
    firsts = np.cumsum([0, *map(len, streams)])
    tables = [table(*each) for each in zip(streams, firsts[:-1].tolist(), strict=True)]
    side = Side(tables, "left", "ts", slack, sources)
    assert side.column("row").to_pylist() == wanted
    assert side.ts.tolist() == side.column("ts").to_pylist()
    assert side.late == late


@settings(max_examples=60)
@given(ts=times, sources=st.integers(1, 6))
def test_a_dealt_stream_merges_to_itself_and_is_spread_over_all_sources(ts: list[int], sources: int) -> None:
    ordered = np.array(sorted(ts), np.int64)
    parts = dealt(ordered, sources)
    rows, late = merged_rows([ordered[each] for each in parts])
    assert np.concatenate(parts)[rows].tolist() == list(range(len(ts)))
    assert not any(late)
    distinct = len(set(ts))
    assert sum(len(each) > 0 for each in parts) == min(distinct, sources)


@pytest.mark.parametrize("rule", ["exact", "three-step", "count"])
def test_a_join_of_streams_is_that_of_the_merged_ones(rule: str) -> None:
    draw = np.random.default_rng(3)
    cut = [[table(np.sort(draw.integers(0, 60, n))) for n in sizes] for sizes in ((40, 0, 25), (10, 30))]
    whole = []
    for side in cut:
        joined = pa.concat_tables(side)
        rows, _ = merged_by_lexsort([each["ts"].to_pylist() for each in side], 0)
        whole.append((joined.take(rows), np.array(rows)))
    how: dict[str, Any] = {"window": 9, "bands": [("row", "row", 3)], "rule": rule}
    want = streambench.join(whole[0][0], whole[1][0], **how)
    assert len(want) > 20
    assert streambench.join(cut[0], tuple(cut[1]), **how).equals(want)
    ours = matching_rows(cut[0], cut[1], **how)
    theirs = matching_rows(whole[0][0], whole[1][0], **how)
    for side, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        assert mine.tolist() == whole[side][1][other].tolist()


@pytest.mark.parametrize("join", [streambench.join, matching_rows, streambench.ArrowJoinSource])
def test_late_tuples_are_told_by_side_and_stream_where_the_join_was_asked_for(join: Any) -> None:
    left, right = [table([1, 9, 4]), table([5, 6], 3)], table([4, 5, 9, 1, 2])
    with pytest.warns(LateTuplesWarning) as told:
        join(left, right, window=0, slack=2)
    (one,) = told
    assert str(one.message) == (
        "late tuples were left out: 1 of stream 0 of the left side, 2 of the right side; "
        "slack is 2, a larger one takes them in"
    )
    assert one.filename == __file__


def test_late_tuples_are_left_out() -> None:
    left = [table([1, 9, 4]), table([5, 6], 3)]
    with pytest.warns(LateTuplesWarning):
        found = streambench.join(left, table([4, 5, 6]), window=0, slack=2)
    assert found["row"].to_pylist() == [3, 4]
    assert len(streambench.join(left, table([4, 5, 6]), window=0, slack=5)) == 3


@pytest.mark.parametrize(
    ("left", "how", "error", "message"),
    [
        ([], {}, DataError, "the left side is an empty list"),
        ([table([1]), 5], {}, DataError, "stream 1 of the left side cannot be read as a table"),
        (
            [table([1]), {"ts": np.array([1])}],
            {},
            DataError,
            r"stream 1 of the left side has the columns ts \(int64\), but stream 0 of the left side ts \(int64\), row",
        ),
        (
            [table([1, 2]), table([2, 1])],
            {},
            DataError,
            "stream 1 of the left side must never decrease, but 1 follows 2: sort the stream by it, or say by slack",
        ),
        ([table([1, 2**63 - 1]), table([1])], {}, DataError, "the left side: stream 0 of the gate has 2"),
        ([table([1])], {"slack": -1}, OptionError, "slack must be a whole number from 0"),
        ([table([1])], {"slack": 0.5}, OptionError, "slack must be a whole number from 0"),
        ([table([1])], {"threads": 1025}, OptionError, "threads must be at most 1024, not 1025"),
    ],
)
def test_streams_that_do_not_fit_are_refused_in_one_sentence(
    left: Any, how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        streambench.join(left, table([1]), window=1, **how)
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
