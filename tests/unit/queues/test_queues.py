"""The growing queue, one call at a time, against collections.deque."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.queues.growing_queue import QueueOfIntegers

calls = st.lists(st.one_of(st.just("pop"), st.integers(-(2**63), 2**63 - 1)), max_size=200)


def test_an_impossible_capacity_is_refused() -> None:
    with pytest.raises(ValueError, match="capacity"):
        QueueOfIntegers(0)


@given(capacity=st.integers(1, 70), calls=calls, shared=st.booleans())
def test_a_growing_queue_is_a_bounded_deque_whose_ring_follows_what_it_holds(
    capacity: int, calls: list[Any], shared: bool
) -> None:
    most = 1
    while most < capacity:
        most *= 2
    queue, model, longest = QueueOfIntegers(capacity), deque[int](), 0
    for call in calls:
        if call == "pop":
            assert queue.pop(shared) == (model.popleft() if model else None)
        else:
            assert queue.push(call) == (len(model) < most)
            if len(model) < most:
                model.append(call)
        longest = max(longest, len(model))
        assert queue.length == min(most, max(8, 1 << (longest - 1).bit_length() if longest else 0))
    while model:
        assert queue.pop(shared) == model.popleft()
    assert queue.pop(shared) is None
