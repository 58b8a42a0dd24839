from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from item_streams import STREAMS, Items, check, exact

from streambench.pyx.topk.counted import Counted
from streambench.pyx.topk.merge import merged
from streambench.pyx.topk.stream_summary import StreamSummary


def counted(items: Items, counters: int) -> Counted:
    summary = StreamSummary(counters)
    summary.add(items)
    return Counted(*summary.snapshot())


STREAM = st.lists(st.integers(0, 12), max_size=60).map(lambda items: np.array(items, np.uint64))


@given(st.lists(STREAM, min_size=1, max_size=4), st.integers(1, 6))
def test_bounds_hold_after_merges_in_any_form(streams: list[Items], counters: int) -> None:
    parts = [counted(stream, counters) for stream in streams]
    check(merged(parts, counters), exact(*streams), 1 / counters, most=counters)
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = merged([one_by_one, part], counters)
    check(one_by_one, exact(*streams), 1 / counters, most=counters)


def test_bounds_hold_where_parts_have_nothing_in_common() -> None:
    streams = [STREAMS["uniform"](20_000), STREAMS["round robin"](20_000), STREAMS["ascending"](20_000)]
    check(merged([counted(stream, 100) for stream in streams], 100), exact(*streams), 1 / 100, most=100)


def test_a_merge_adds_what_is_in_flight() -> None:
    part = counted(np.array([3, 3], np.uint64), 2)
    assert merged([part._replace(in_flight=5), part._replace(in_flight=7)], 2).in_flight == 12
