"""Queues, reorder buffers, rings of turns, partitioned worklists."""

from __future__ import annotations

from mutation import Mutation

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
    Mutation(
        "the oldest item is not copied into the longer ring",
        "pyx/queues/growing_queue.pyx",
        "    for position in range(tail, head):",
        "    for position in range(tail + 1, head):",
        (QUEUES, GROWING),
    ),
    Mutation(
        "a position is claimed by load and store",
        "pyx/queues/growing_queue.pxd",
        "        if queue.tail.compare_exchange_weak(tail, tail + 1, memory_order_acq_rel, memory_order_acquire):\n",
        "        if queue.tail.load() == tail:\n            queue.tail.store(tail + 1)\n",
        (GROWING,),
    ),
    Mutation(
        "a position is claimed before its item is read",
        "pyx/queues/growing_queue.pxd",
        """        item[0] = slot(queue.ring.load(memory_order_acquire), tail).load(memory_order_relaxed)
        yield_point()
        # Release: the item has been read, so the slot may be filled again; pairs with make_room. Acquire: reaches must
        # not see an older end of the queue than whoever moved the tail on.
        if queue.tail.compare_exchange_weak(tail, tail + 1, memory_order_acq_rel, memory_order_acquire):
            return True
""",
        """        if queue.tail.compare_exchange_weak(tail, tail + 1, memory_order_acq_rel, memory_order_acquire):
            yield_point()
            item[0] = slot(queue.ring.load(memory_order_acquire), tail).load(memory_order_relaxed)
            return True
""",
        (GROWING,),
    ),
    Mutation(
        "non-blocking: room for one output too many",
        "pyx/schemes/reorder_buffer.pyx",
        "        if serial < n or serial > n + self.mask:",
        "        if serial < n or serial > n + self.mask + 1:",
        (BUFFERS,),
    ),
    Mutation(
        "non-blocking: a slot is given back before it is empty",
        "pyx/schemes/reorder_buffer.pyx",
        """                self.slots[n & self.mask].store(NULL, memory_order_relaxed)
                if not (<Downstream>self.downstream).send_downstream(output):
                    continue
                n += 1
                touch(REORDER, self.next)
                self.next.value.store(n, memory_order_release)      # the slot is free: pairs with try_add
""",
        """                if not (<Downstream>self.downstream).send_downstream(output):
                    continue
                self.next.value.store(n + 1, memory_order_release)
                yield_point()
                self.slots[n & self.mask].store(NULL, memory_order_relaxed)
                n += 1
""",
        (IN_ORDER,),
    ),
    Mutation(
        "non-blocking: no look again after the flag",
        "pyx/schemes/reorder_buffer.pyx",
        "            if self.slots[n & self.mask].load(memory_order_seq_cst) is NULL:\n",
        "            if True:\n",
        (LEFT_BEHIND,),
    ),
    Mutation(
        "non-blocking: sent without the flag",
        "pyx/schemes/reorder_buffer.pyx",
        "            if self.flag.value.exchange(1, memory_order_seq_cst) != 0:",
        "            if False:",
        (IN_ORDER,),
    ),
    Mutation(
        "lock-based: room for one output too many",
        "pyx/schemes/lock_based_reorder_buffer.pyx",
        "        room = n <= serial <= n + self.mask\n",
        "        room = n <= serial <= n + self.mask + 1\n",
        (BUFFERS,),
    ),
    Mutation(
        "lock-based: a slot is not emptied",
        "pyx/schemes/lock_based_reorder_buffer.pyx",
        "                self.slots[n & self.mask] = NULL\n",
        "",
        (BUFFERS,),
    ),
    Mutation(
        "the turn's ring: room for one item too many",
        "pyx/order/turn_ring.pxd",
        "    return n <= serial <= n + ring.mask",
        "    return n <= serial <= n + ring.mask + 1",
        (BUFFERS,),
    ),
    Mutation(
        "the turn is left by load and store",
        "pyx/order/turn_ring.pxd",
        """    yield_point()
    item[0] = NULL
    # Release pairs with the exchange in put, acquire on failure likewise.
    return ring.slots[n & ring.mask].compare_exchange_strong(item[0], turn(ring), memory_order_acq_rel,
                                                             memory_order_acquire)
""",
        """    item[0] = ring.slots[n & ring.mask].load(memory_order_acquire)
    yield_point()
    if item[0] is not NULL:
        return False
    ring.slots[n & ring.mask].store(turn(ring), memory_order_release)
    return True
""",
        (IN_ORDER,),
    ),
    Mutation(
        "an item is put by load and store",
        "pyx/order/turn_ring.pxd",
        "    return ring.slots[serial & ring.mask].exchange(item, memory_order_acq_rel) == turn(ring)",
        """    cdef void* found = ring.slots[serial & ring.mask].load(memory_order_acquire)
    yield_point()
    ring.slots[serial & ring.mask].store(item, memory_order_release)
    return found == turn(ring)""",
        (IN_ORDER,),
    ),
    Mutation(
        "hybrid: a partition in the master queue before its item",
        "pyx/schemes/hybrid_queue.pyx",
        """        while not push(&self.queues[partition], <int64_t>item):
            yield_core()
        yield_point()
        touch(WORKLIST, &self.master.head)
        while not push(self.master, partition):
            yield_core()
""",
        """        while not push(self.master, partition):
            yield_core()
        yield_point()
        while not push(&self.queues[partition], <int64_t>item):
            yield_core()
""",
        (SCHEMES,),
    ),
    Mutation(
        "hybrid: items are not delegated",
        "pyx/schemes/hybrid_queue.pyx",
        "            if queue.claims.fetch_add(1, memory_order_acq_rel) != 0:",
        "            if queue.claims.fetch_add(1, memory_order_acq_rel) < 0:",
        (SCHEMES,),
    ),
    Mutation(
        "partitioned: a partition taken by load and store",
        "pyx/schemes/partitioned_queue.pyx",
        "        return queue.claims.exchange(1, memory_order_acquire) == 0",
        "        queue.claims.store(1, memory_order_release)\n        return True",
        (SCHEMES,),
    ),
    Mutation(
        "shared: a partition is free before its item is done",
        "pyx/schemes/shared_queue.pyx",
        """            last = consumer.operate(partition, <void*>item, visit)
""",
        """            self.busy[partition].value.store(0, memory_order_release)
            yield_point()
            last = consumer.operate(partition, <void*>item, visit)
""",
        (SCHEMES,),
    ),
    Mutation(
        "a stateful operator is entered by several",
        "pyx/schemes/stateful_stage.pyx",
        "        if self.worklist.claims.exchange(1, memory_order_acquire) != 0:",
        "        if self.worklist.claims.exchange(1, memory_order_acquire) > 1:",
        ("tests/concurrency/test_stress.py::test_theorem_5_2_holds_wherever_workers_lose_the_processor",),
    ),
    Mutation(
        "schemes: state is flushed with units in flight",
        "pyx/schemes/source_stage.pyx",
        "        if not self.can_flush(number):\n            return NULL",
        "        if False:\n            return NULL",
        (
            "tests/concurrency/test_ordered_equals_plain.py::test_theorem_5_2_corner_pipelines",
            "tests/concurrency/test_stress.py::test_theorem_5_2_holds_wherever_workers_lose_the_processor",
        ),
    ),
)
