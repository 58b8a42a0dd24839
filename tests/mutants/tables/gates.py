"""ScaleGates, slack, and the source over a gate."""

from __future__ import annotations

from mutation import Mutation

GATES = "tests/unit/join/test_scale_gates.py"
SOURCES = "tests/unit/join/test_gate_sources.py"
MEANING = "tests/unit/joins/test_meaning_of_streams.py"
THREADS = "tests/concurrency/test_gates.py::test_every_reader_gets_all_tuples_in_the_one_order"
LONG = "tests/concurrency/test_gates.py::test_memory_stays_bounded_over_a_long_run"

MUTATIONS = (
    Mutation(
        "a gate has room for one tuple too many",
        "pyx/join/scale_gate.pxd",
        "        return own.passed + self.capacity - own.added\n",
        "        return own.passed + self.capacity - own.added + 1\n",
        (GATES, THREADS),
    ),
    Mutation(
        "a gate's room is what one reader leaves",
        "pyx/join/scale_gate.pxd",
        "            for reader in range(self.readers):\n",
        "            for reader in range(1):\n",
        (GATES, THREADS),
    ),
    Mutation(
        "ring: a tuple is said to be there before it is",
        "pyx/join/ring_gate.pyx",
        """        ring.times[place] = ts
        memcpy(ring.records + place * size, values, size)
        own.last = ts
        own.added += 1
        yield_point()
        ring.written.store(own.added, memory_order_release)     # publishes the slot: pairs with look
""",
        """        own.last = ts
        own.added += 1
        ring.written.store(own.added, memory_order_release)     # publishes the slot: pairs with look
        yield_point()
        ring.times[place] = ts
        memcpy(ring.records + place * size, values, size)
""",
        (THREADS,),
    ),
    Mutation(
        "ring: a reader looks at the promise last",
        "pyx/join/ring_gate.pyx",
        """        cdef int64_t promised = ring.promised.load(memory_order_acquire)
        yield_point()
        cdef int64_t written = ring.written.load(memory_order_acquire)""",
        """        cdef int64_t written = ring.written.load(memory_order_acquire)
        yield_point()
        cdef int64_t promised = ring.promised.load(memory_order_acquire)""",
        (THREADS,),
    ),
    Mutation(
        "ring: what a reader got is let go at once",
        "pyx/join/ring_gate.pyx",
        "        merge.first.key, merge.first.source = key, source\n",
        """        merge.first.key, merge.first.source = key, source
        self.let_go(reader)
        yield_point()
""",
        (GATES, THREADS),
    ),
    Mutation(
        "ring: of equal times the higher source comes first",
        "pyx/join/merge.pxd",
        "((other.key == own_key) & (other.source < own))",
        "((other.key == own_key) & (other.source > own))",
        (GATES,),
    ),
    Mutation(
        "ring: a late tuple in a batch is taken",
        "pyx/join/ring_gate.pyx",
        "            if ts[begin + i] < last:\n",
        "            if ts[begin + i] < last - 1:\n",
        (GATES,),
    ),
    Mutation(
        "skip list: equal times lie as they arrive",
        "pyx/join/skip_list_gate.pyx",
        "    return node.ts < ts or (node.ts == ts and node.source <= source)\n",
        "    return node.ts <= ts\n",
        (GATES,),
    ),
    Mutation(
        "skip list: a node is linked by load and store",
        "pyx/join/skip_list_gate.pyx",
        "            if link_after(node, level, next, added):\n                return\n",
        "            node.next[level].store(added)\n            return\n",
        (THREADS,),
    ),
    Mutation(
        "skip list: line 41 is left out",
        "pyx/join/skip_list_gate.pyx",
        "            if self.inserters[node.source].written.load() is node:\n",
        "            if node.ts == INT64_MAX:\n",
        (GATES,),
    ),
    Mutation(
        "skip list: nodes are taken back that a source still begins at",
        "pyx/join/skip_list_gate.pyx",
        "        for each in range(self.readers + self.sources):\n            earliest",
        "        for each in range(self.readers):\n            earliest",
        (GATES, LONG),
    ),
    Mutation(
        "skip list: nodes are taken back that a reader has not had",
        "pyx/join/skip_list_gate.pyx",
        "        for each in range(self.readers + self.sources):\n            earliest",
        "        for each in range(self.readers, self.readers + self.sources):\n            earliest",
        (GATES, LONG),
    ),
    Mutation(
        "skip list: no node is taken back",
        "pyx/join/skip_list_gate.pyx",
        "        while own.oldest.ts < earliest: ",
        "        while False: ",
        (GATES,),
    ),
    Mutation(
        "slack: one unit of time less",
        "pyx/join/slack_buffer.pyx",
        "            if ts[begin + i] < self.bound():\n",
        "            if ts[begin + i] <= self.bound() and self.highest > ts[begin + i]:\n",
        (SOURCES,),
    ),
    Mutation(
        "slack: tuples leave one unit of time early",
        "pyx/join/slack_buffer.pyx",
        "        while not self.heap.empty() and self.heap.front().ts <= until:\n",
        "        while not self.heap.empty() and self.heap.front().ts - 1 <= until:\n",
        (SOURCES,),
    ),
    Mutation(
        "slack: equal times do not leave as they came",
        "pyx/join/waiting_heap.h",
        "ts > other.ts : arrival > other.arrival;",
        "ts > other.ts : arrival < other.arrival;",
        (SOURCES,),
    ),
    Mutation(
        "slack: a promise may go back",
        "pyx/join/slack_buffer.pyx",
        "        self.promised = max(self.promised, ts)\n",
        "        self.promised = ts\n",
        (f"{MEANING}::test_what_a_promise_has_ruled_out_stays_late_where_the_gate_was_full",),
    ),
    Mutation(
        "codes of several streams are taken for those of one",
        "pyx/join/gate_source.pyx",
        "        if self.codes is not None and not self.codes.translate(",
        "        if False and not self.codes.translate(",
        (f"{MEANING}::test_a_keyed_count_over_a_gate_counts_texts",),
    ),
    Mutation(
        "slack: late tuples are not counted",
        "pyx/join/slack_buffer.pyx",
        "                self.late += 1\n                continue\n",
        "                continue\n",
        (SOURCES,),
    ),
    Mutation(
        "a stream that failed is taken for one that has ended",
        "pyx/join/gate_source.pyx",
        "                if self.failed(k):\n                    return False\n",
        "",
        (SOURCES,),
    ),
)
