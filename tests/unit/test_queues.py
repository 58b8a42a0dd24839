"""The queues, one call at a time, against collections.deque; the reorder buffer against a heap."""

from __future__ import annotations

import heapq
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.pyx.mpmc_queue import MpmcQueue
from streambench.pyx.reorder_buffer import Downstream, NonBlockingReorderBuffer
from streambench.pyx.spsc_queue import SpscRing

calls = st.lists(st.one_of(st.just("pop"), st.integers(-(2**63), 2**63 - 1)), max_size=200)


@pytest.mark.parametrize("queue_class", [MpmcQueue, SpscRing])
@given(capacity=st.integers(1, 20), calls=calls)
def test_a_queue_is_a_bounded_deque(queue_class: Any, capacity: int, calls: list[Any]) -> None:
    size = 2
    while size < capacity:
        size *= 2
    queue, model = queue_class(capacity), deque[int]()
    for call in calls:
        if call == "pop":
            assert queue.pop() == (model.popleft() if model else None)
        else:
            assert queue.push(call) == (len(model) < size)
            if len(model) < size:
                model.append(call)
    while model:
        assert queue.pop() == model.popleft()
    assert queue.pop() is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: MpmcQueue(0),
        lambda: SpscRing(-1),
        lambda: NonBlockingReorderBuffer(Downstream(), 3),
        lambda: NonBlockingReorderBuffer(Downstream(), 0),
    ],
)
def test_impossible_sizes_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"capacity|power of two"):
        make()


@settings(deadline=None)
@given(size=st.sampled_from([1, 2, 8, 32]), serials=st.permutations(range(40)))
def test_the_reorder_buffer_is_a_heap_with_a_window(probes: SimpleNamespace, size: int, serials: list[int]) -> None:
    """Outputs offered in any order; those beyond the window are offered again later, as a worker would."""
    buffer, waiting, sent, again = probes.StepwiseReordering(size), list[int](), list[int](), deque(serials)
    while again:
        serial = again.popleft()
        fits = len(sent) <= serial < len(sent) + size
        if fits:
            heapq.heappush(waiting, serial)
            while waiting and waiting[0] == len(sent):
                sent.append(heapq.heappop(waiting))
        else:
            again.append(serial)
        assert buffer.send(serial) == (fits, sent)
    assert sent == list(range(40))
