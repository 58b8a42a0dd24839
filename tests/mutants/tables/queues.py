"""Queues, reorder buffers, rings of turns, partitioned worklists."""

from __future__ import annotations

from mutation import drop, of, put, swap

QUEUES = "tests/unit/queues/test_queues.py"
PRIMITIVES = "tests/concurrency/test_primitives.py"
GROWING = f"{PRIMITIVES}::test_a_growing_queue_gives_each_item_to_one_consumer_in_order_while_its_ring_is_replaced"
BUFFERS = "tests/unit/schemes/test_reorder_buffers.py"
IN_ORDER = (
    "tests/concurrency/test_reordering.py::test_theorem_3_1_outputs_leave_in_order_by_one_sender_and_none_is_lost"
)
LEFT_BEHIND = "tests/concurrency/test_reordering.py::test_theorem_3_1_nothing_is_left_behind_when_no_worker_is_inside"
SCHEMES = "tests/concurrency/test_partitioning_schemes.py::test_theorem_4_1_holds_wherever_a_worker_loses_the_processor"

MUTATIONS = (
    *of(
        "pyx/queues/growing_queue.pyx",
        (
            "the oldest item is not copied into the longer ring",
            (QUEUES, GROWING),
            swap("in range(tail,", "in range(tail + 1,"),
        ),
    ),
    *of(
        "pyx/queues/growing_queue.pxd",
        (
            "a position is claimed by load and store",
            (GROWING,),
            swap(
                "compare_exchange_weak(tail, tail + 1, memory_order_acq_rel, memory_order_acquire)",
                "load() == tail",
                after="    queue.tail.store(tail + 1)",
            ),
        ),
        (
            "a position is claimed before its item is read",
            (GROWING,),
            drop("item[0] = slot"),
            drop("yield_point", "pop_alone("),
            put(
                "return True",
                "pop_shared(",
                before=(
                    "yield_point()\n"
                    "item[0] = slot(queue.ring.load(memory_order_acquire), tail).load(memory_order_relaxed)\n"
                ),
            ),
        ),
    ),
    *of(
        "pyx/schemes/reorder_buffer.pyx",
        ("non-blocking: room for one output too many", (BUFFERS,), swap("n + self.mask:", "n + self.mask + 1:")),
        (
            "non-blocking: a slot is given back before it is empty",
            (IN_ORDER,),
            drop("self.slots[n & self.mask].store"),
            put(
                "n += 1",
                before=(
                    "self.next.value.store(n + 1, memory_order_release)\n"
                    "yield_point()\n"
                    "self.slots[n & self.mask].store(NULL, memory_order_relaxed)\n"
                ),
            ),
            drop("touch(REORDER, self.next"),
            drop("self.next.value.store"),
        ),
        (
            "non-blocking: no look again after the flag",
            (LEFT_BEHIND,),
            swap("self.slots[n & self.mask].load(memory_order_seq_cst) is NULL", "True"),
        ),
        (
            "non-blocking: sent without the flag",
            (IN_ORDER,),
            swap("self.flag.value.exchange(1, memory_order_seq_cst) != 0", "False"),
        ),
    ),
    *of(
        "pyx/schemes/lock_based_reorder_buffer.pyx",
        ("lock-based: room for one output too many", (BUFFERS,), swap("= n + self.mask", "= n + self.mask + 1")),
        ("lock-based: a slot is not emptied", (BUFFERS,), drop("self.slots[n & self.mask] =")),
    ),
    *of(
        "pyx/order/turn_ring.pxd",
        ("the turn's ring: room for one item too many", (BUFFERS,), swap("= n + ring.mask", "= n + ring.mask + 1")),
        (
            "the turn is left by load and store",
            (IN_ORDER,),
            put("cdef int64_t", "bint leave(", after="item[0] = ring.slots[n & ring.mask].load(memory_order_acquire)"),
            drop(
                "item[0] = NULL",
                put=(
                    "if item[0] is not NULL:\n"
                    "    return False\n"
                    "ring.slots[n & ring.mask].store(turn(ring), memory_order_release)\n"
                    "return True\n"
                ),
            ),
            drop("return ring.slots[n"),
            drop("memory_order_acquire", "bint leave("),
        ),
        (
            "an item is put by load and store",
            (IN_ORDER,),
            swap(
                "return ring.slots[serial & ring.mask].exchange(item, memory_order_acq_rel) == turn(ring",
                "cdef void* found = ring.slots[serial & ring.mask].load(memory_order_acquire",
                after=(
                    "yield_point()\n"
                    "ring.slots[serial & ring.mask].store(item, memory_order_release)\n"
                    "return found == turn(ring)\n"
                ),
            ),
        ),
    ),
    *of(
        "pyx/schemes/hybrid_queue.pyx",
        (
            "hybrid: a partition in the master queue before its item",
            (SCHEMES,),
            swap("&self.queues[partition], <int64_t>item", "self.master, partition"),
            drop("touch(WORKLIST, &self.master"),
            swap("self.master, partition", "&self.queues[partition], <int64_t>item"),
        ),
        ("hybrid: items are not delegated", (SCHEMES,), swap("memory_order_acq_rel) !=", "memory_order_acq_rel) <")),
    ),
    *of(
        "pyx/schemes/partitioned_queue.pyx",
        (
            "partitioned: a partition taken by load and store",
            (SCHEMES,),
            swap(
                "return queue.claims.exchange(1, memory_order_acquire) == 0",
                "queue.claims.store(1, memory_order_release)",
                after="return True",
            ),
        ),
    ),
    *of(
        "pyx/schemes/shared_queue.pyx",
        (
            "shared: a partition is free before its item is done",
            (SCHEMES,),
            put(
                "yield_point",
                "consume(",
                after=("self.busy[partition].value.store(0, memory_order_release)\nyield_point()\n"),
            ),
        ),
    ),
    *of(
        "pyx/schemes/stateful_stage.pyx",
        (
            "a stateful operator is entered by several",
            ("tests/concurrency/test_stress.py::test_theorem_5_2_holds_wherever_workers_lose_the_processor",),
            swap("memory_order_acquire) == 0", "memory_order_acquire) <= 1"),
        ),
    ),
    *of(
        "pyx/schemes/source_stage.pyx",
        (
            "schemes: state is flushed with units in flight",
            (
                "tests/concurrency/test_ordered_equals_plain.py::test_theorem_5_2_corner_pipelines",
                "tests/concurrency/test_stress.py::test_theorem_5_2_holds_wherever_workers_lose_the_processor",
            ),
            swap("not self.can_flush(number)", "False"),
        ),
    ),
)
