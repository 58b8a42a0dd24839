"""The partitioning schemes under real threads, with yields and delays injected; and two workers call by call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streambench.pyx.machine.yield_points import inject
from streambench.pyx.schemes.hybrid_queue import HybridQueue
from streambench.pyx.schemes.partitioned_queue import PartitionedQueue
from streambench.pyx.schemes.shared_queue import SharedQueue

SCHEMES = [HybridQueue, PartitionedQueue, SharedQueue]
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def all_well(items: int) -> dict[str, int]:
    return {"processed": items, "not_once": 0, "out_of_order": 0, "left": items, "together": 0, "remaining": 0}


@pytest.mark.slow
@every_scheme
@pytest.mark.parametrize("consumers", [1, 2, 4, 15])
@pytest.mark.parametrize(("partitions", "capacity"), [(1, 1), (1, 16), (3, 2), (10, 32), (100, 128)])
@pytest.mark.parametrize("jitter", [0, 2])
def test_theorem_4_1_one_worker_per_partition_in_order_each_item_once(
    probes: SimpleNamespace, scheme: Any, consumers: int, partitions: int, capacity: int, jitter: int
) -> None:
    driver = probes.Workers(scheme(partitions, capacity), 3000, capacity, 5, jitter)
    driver.run(1 + consumers)
    assert driver.result() == all_well(3000)


@every_scheme
@pytest.mark.slow
@pytest.mark.parametrize("consumers", [1, 2, 5, 16])
@pytest.mark.parametrize("seed", range(1, 5))
def test_theorem_4_1_holds_wherever_a_worker_loses_the_processor(
    probes: SimpleNamespace, scheme: Any, consumers: int, seed: int
) -> None:
    inject(4, seed)
    driver = probes.Workers(scheme(3, 32), 4000, 32, [1, 4, 50, 1000][seed % 4])
    driver.run(1 + consumers)
    assert driver.result() == all_well(4000)


@every_scheme
@pytest.mark.parametrize("budget", [1, 1000])
@pytest.mark.parametrize("seed", [0, 5])
def test_theorem_4_1_holds_with_one_hot_partition(probes: SimpleNamespace, scheme: Any, budget: int, seed: int) -> None:
    inject(16 if seed else 0, seed)
    driver = probes.Workers(scheme(64, 64), 6000, 64, budget, 1, hot=8)
    driver.run(5)
    assert driver.result() == all_well(6000)


@every_scheme
@pytest.mark.parametrize("hot", [1, 8])
def test_a_producer_waits_where_the_worklist_is_full(probes: SimpleNamespace, scheme: Any, hot: int) -> None:
    """In a pipeline credit sees to it that there is room; without, nothing is overwritten either."""
    driver = probes.Workers(scheme(3, 2), 3000, 3000, 5, 1, hot=hot)
    driver.run(3)
    assert driver.result() == all_well(3000)


@every_scheme
def test_as_many_workers_as_partitions_can_be_at_work_at_once(probes: SimpleNamespace, scheme: Any) -> None:
    """Different workers hold different partitions: each waits inside its own until all the others are inside theirs."""
    assert probes.Together(scheme(5, 4)).meet_all() == 5


def two_of_one_partition_and_one_of_another(probes: SimpleNamespace, scheme: Any) -> Any:
    """The scene of figure 5 and one item more: items 1 and 2 are of partition 0, item 3 is of partition 1."""
    worklist = probes.Stepwise(scheme(2, 4))
    for item, partition in ((1, 0), (2, 0), (3, 1)):
        worklist.add(partition, item)
    return worklist


def test_shared_queue_blocks_behind_a_busy_partition_and_never_overtakes(probes: SimpleNamespace) -> None:
    """Figure 5: while "a" processes item 1, "b" must not get item 2, and gets not even item 3 (section 4.1)."""
    worklist = two_of_one_partition_and_one_of_another(probes, SharedQueue)
    used, log = worklist.consume(100, during=1)
    assert used == 3
    assert log == [
        ("a", 0, 1),
        ("b", "used", 0),
        ("a", "left"),
        ("a", 0, 2),
        ("a", "left"),
        ("a", 1, 3),
        ("a", "left"),
    ]


def test_shared_queue_gives_the_next_item_to_another_worker_where_its_partition_is_free(
    probes: SimpleNamespace,
) -> None:
    worklist = two_of_one_partition_and_one_of_another(probes, SharedQueue)
    used, log = worklist.consume(100, during=2)
    assert used == 2
    assert log == [
        ("a", 0, 1),
        ("a", "left"),
        ("a", 0, 2),
        ("b", 1, 3),
        ("b", "left"),
        ("b", "used", 1),
        ("a", "left"),
    ]


def test_hybrid_queue_delegates_to_the_worker_in_the_partition_and_goes_on(probes: SimpleNamespace) -> None:
    """Section 4.3: "b" leaves item 2 to "a" and processes item 3."""
    worklist = two_of_one_partition_and_one_of_another(probes, HybridQueue)
    used, log = worklist.consume(1, during=1)
    assert used == 2, "what others delegate is processed beyond the budget"
    assert log == [
        ("a", 0, 1),
        ("b", 1, 3),
        ("b", "left"),
        ("b", "used", 1),
        ("a", 0, 2),
        ("a", "left"),
    ]


def test_partitioned_queue_gives_different_workers_different_queues(probes: SimpleNamespace) -> None:
    """Section 4.2: while "a" is in the first queue, "b" can have the second one only."""
    worklist = two_of_one_partition_and_one_of_another(probes, PartitionedQueue)
    used, log = worklist.consume(100, during=1)
    assert used == 2
    assert log == [
        ("a", 0, 1),
        ("b", 1, 3),
        ("b", "left"),
        ("b", "used", 1),
        ("a", 0, 2),
        ("a", "left"),
    ]


def test_partitioned_queue_leaves_older_items_of_other_queues_waiting(probes: SimpleNamespace) -> None:
    """Figure 6: with one worker the items of the queue that it is in come first, though others were there before."""
    worklist = probes.Stepwise(PartitionedQueue(3, 8))
    for item, partition in enumerate([0, 2, 1, 0, 1, 0], start=1):
        worklist.add(partition, item)
    assert worklist.consume(4)[1] == [("a", 0, 1), ("a", 0, 4), ("a", 0, 6), ("a", "left"), ("a", 1, 3), ("a", "left")]


@every_scheme
def test_a_partition_that_a_worker_has_left_is_free(probes: SimpleNamespace, scheme: Any) -> None:
    """What a worker does after ``partition_left`` keeps nobody out: fused operators and sending are done there."""
    worklist = two_of_one_partition_and_one_of_another(probes, scheme)
    used, log = worklist.consume(1, during="left")
    assert used == 1
    assert log[:2] == [("a", 0, 1), ("a", "left")]
    assert sorted(each for each in log if len(each) == 3 and each[1] != "used") == [
        ("a", 0, 1),
        ("b", 0, 2),
        ("b", 1, 3),
    ]
