"""The three reordering schemes, one call at a time, against a heap."""

from __future__ import annotations

import heapq
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.schemes.lock_based_reorder_buffer import LockBasedReorderBuffer
from streambench.pyx.schemes.reorder_buffer import Downstream, NonBlockingReorderBuffer
from streambench.pyx.schemes.ticket_reorder_buffer import TicketReorderBuffer

SCHEMES = ["nonblocking", "lock", "ticket"]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(size=st.sampled_from([1, 2, 8, 32]), serials=st.permutations(range(40)))
def test_a_reorder_buffer_is_a_heap_with_a_window(
    probes: SimpleNamespace, scheme: str, size: int, serials: list[int]
) -> None:
    """Outputs offered in any order; those beyond the window are offered again later, as a worker would."""
    buffer, waiting, sent = probes.StepwiseReordering(scheme, size), list[int](), list[int]()
    again, refused, put_aside = deque(serials), 0, 0
    while again:
        serial = again.popleft()
        fits = len(sent) <= serial < len(sent) + size
        put_aside += fits and serial > len(sent)
        if fits:
            heapq.heappush(waiting, serial)
            while waiting and waiting[0] == len(sent):
                sent.append(heapq.heappop(waiting))
        else:
            refused += 1
            again.append(serial)
        assert buffer.send(serial) == (fits, sent)
        assert buffer.sent == len(sent)
    assert sent == list(range(40))
    assert buffer.counts() == {"refused": refused, "waiting": put_aside, "retries": 0, "contended": 0}


@given(size=st.sampled_from([1, 2, 8, 64]), trashed=st.sets(st.integers(0, 39)), serials=st.permutations(range(40)))
def test_trashed_serial_numbers_let_the_others_pass(
    probes: SimpleNamespace, size: int, trashed: set[int], serials: list[int]
) -> None:
    buffer, again, sent = probes.StepwiseReordering("ticket", size), deque(serials), list[int]()
    while again:
        serial = again.popleft()
        fits, sent = buffer.trash(serial) if serial in trashed else buffer.send(serial)
        if not fits:
            again.append(serial)
    assert sent == [serial for serial in range(40) if serial not in trashed]
    assert buffer.sent == 40


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_serial_number_that_has_been_sent_is_refused(probes: SimpleNamespace, scheme: str) -> None:
    buffer = probes.StepwiseReordering(scheme, 4)
    assert buffer.send(0) == (True, [0])
    assert buffer.send(0) == (False, [0])
    assert buffer.counts()["refused"] == 1


@pytest.mark.parametrize("reorder_buffer", [NonBlockingReorderBuffer, LockBasedReorderBuffer, TicketReorderBuffer])
@pytest.mark.parametrize("size", [0, -1, 3])
def test_impossible_sizes_are_refused(reorder_buffer: Any, size: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        reorder_buffer(Downstream(), size)
