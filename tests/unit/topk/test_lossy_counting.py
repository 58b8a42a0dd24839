from __future__ import annotations

import math
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_streams import STREAMS, check, exact

from streambench.pyx.topk.cooperative_lossy import CooperativeLossy
from streambench.pyx.topk.lossy_counting import LossyCounting
from streambench.pyx.topk.summary import Summary


def lossy_counting(items: list[int], width: int) -> dict[int, tuple[int, int]]:
    """By item: count and error, in a dictionary."""
    counts: dict[int, list[int]] = {}
    for k, item in enumerate(items):
        counts.setdefault(item, [0, k // width])[0] += 1
        if (k + 1) % width == 0:
            counts = {item: each for item, each in counts.items() if sum(each) > (k + 1) // width}
    return {item: (seen + error, error) for item, (seen, error) in counts.items()}


@pytest.mark.parametrize("design", [LossyCounting, CooperativeLossy])
@given(items=st.lists(st.integers(0, 12), max_size=200), width=st.integers(1, 8))
def test_it_is_the_published_algorithm(design: type[Summary], items: list[int], width: int) -> None:
    summary = design(width)
    summary.add(np.array(items, np.uint64))
    kept, counts, errors, floor, _, _ = summary.snapshot()
    answer = zip(kept.tolist(), zip(counts.tolist(), errors.tolist(), strict=True), strict=True)
    assert dict(answer) == lossy_counting(items, width)
    assert floor == len(items) // width


@pytest.mark.parametrize("name", STREAMS)
def test_bounds_hold_on_streams_that_are_hard(name: str) -> None:
    stream = STREAMS[name](30_000)
    summary = LossyCounting(100)
    summary.add(stream)
    check(summary.snapshot(), exact(stream), 1 / 100, most=math.ceil(100 * math.log(len(stream) / 100)))


def resident() -> int:
    """Bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is resident")
def test_in_cooperation_memory_is_taken_for_what_is_held_not_for_what_could_be() -> None:
    before = resident()
    summary = CooperativeLossy(100_000)  # room for all that 2^63 items may leave: a gigabyte
    summary.add(np.arange(20_000, dtype=np.uint64))
    assert resident() - before < 32 << 20
    assert 20_000 * 64 < summary.nbytes < 32 << 20
    assert summary.snapshot()[1].tolist() == [1] * 20_000
    with pytest.raises(ValueError, match="this design has numbers for 2147483646: choose a greater epsilon"):
        CooperativeLossy(10**8)


def test_a_second_thread_is_refused() -> None:
    with pytest.raises(ValueError, match="updated by 1 thread, not 2"):
        LossyCounting(100, 2)
