"""The partitioning schemes with one worker, call by call, against naive models."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.schemes.hybrid_queue import HybridQueue
from streambench.pyx.schemes.partitioned_queue import PartitionedQueue
from streambench.pyx.schemes.shared_queue import SharedQueue

SCHEMES = [HybridQueue, PartitionedQueue, SharedQueue]
LEFT = ("a", "left")

# A number adds an item to that partition (modulo their number); a pair visits with (budget, cost of an item).
steps = st.lists(st.one_of(st.integers(0, 5), st.tuples(st.integers(1, 9), st.integers(1, 3))), max_size=80)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("partitions", "capacity"), [(0, 4), (4, 0), (-1, 4), (4, -1)])
def test_impossible_sizes_are_refused(scheme: Any, partitions: int, capacity: int) -> None:
    with pytest.raises(ValueError, match=r"at least 1 partition and a capacity of at least 1, not"):
        scheme(partitions, capacity)


@pytest.mark.parametrize("scheme", [HybridQueue, SharedQueue])
@given(partitions=st.integers(1, 6), steps=steps)
def test_hybrid_and_shared_queue_are_first_in_first_out(
    probes: SimpleNamespace, scheme: Any, partitions: int, steps: list[Any]
) -> None:
    """With one worker nothing is delegated and nothing busy: items in order of arrival, each in a stay of its own."""
    worklist, model, item = probes.Stepwise(scheme(partitions, 100)), deque[tuple[int, int]](), 0
    for step in steps:
        if isinstance(step, int):
            item += 1
            worklist.add(step % partitions, item)
            model.append((step % partitions, item))
            continue
        budget, cost = step
        wanted: list[Any] = []
        used = 0
        while model and used < budget:
            wanted += [("a", *model.popleft()), LEFT]
            used += cost
        assert worklist.consume(budget, cost) == (used, wanted)


@given(partitions=st.integers(1, 6), steps=steps)
def test_partitioned_queue_empties_queue_after_queue(
    probes: SimpleNamespace, partitions: int, steps: list[Any]
) -> None:
    """Each visit starts one queue further on than the last, and leaves a queue when it is empty or the budget used."""
    worklist, item, visits = probes.Stepwise(PartitionedQueue(partitions, 100)), 0, 0
    model = [deque[int]() for _ in range(partitions)]
    for step in steps:
        if isinstance(step, int):
            item += 1
            worklist.add(step % partitions, item)
            model[step % partitions].append(item)
            continue
        budget, cost = step
        wanted: list[Any] = []
        used = 0
        for k in range(partitions):
            queue = model[(visits + k) % partitions]
            if queue and used < budget:
                while queue and used < budget:
                    wanted.append(("a", (visits + k) % partitions, queue.popleft()))
                    used += cost
                wanted.append(LEFT)
        visits += 1
        assert worklist.consume(budget, cost) == (used, wanted)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(partitions=st.integers(1, 6), budget=st.integers(1, 9), hot=st.integers(0, 5))
def test_no_partition_starves_beside_one_that_always_has_items(
    probes: SimpleNamespace, scheme: Any, partitions: int, budget: int, hot: int
) -> None:
    """One item in every partition, and that in ``hot`` replaced after each visit: enough visits reach them all."""
    worklist, hot = probes.Stepwise(scheme(partitions, 100)), hot % partitions
    for partition in range(partitions):
        worklist.add(partition, 1)
    seen = set()
    for _ in range(2 * partitions):
        _, log = worklist.consume(budget)
        for _, partition, _ in (each for each in log if each != LEFT):
            seen.add(partition)
            if partition == hot:
                worklist.add(hot, 1)
    assert seen == set(range(partitions))
