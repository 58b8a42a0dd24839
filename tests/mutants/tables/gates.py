"""ScaleGates, slack, and the source over a gate."""

from __future__ import annotations

from mutation import drop, of, put, swap

GATES = "tests/unit/join/test_scale_gates.py"
SOURCES = "tests/unit/join/test_gate_sources.py"
MEANING = "tests/unit/joins/test_meaning_of_streams.py"
THREADS = "tests/concurrency/test_gates.py::test_every_reader_gets_all_tuples_in_the_one_order"
LONG = "tests/concurrency/test_gates.py::test_memory_stays_bounded_over_a_long_run"

MUTATIONS = (
    *of(
        "pyx/join/scale_gate.pxd",
        (
            "a gate has room for one tuple too many",
            (GATES, THREADS),
            swap("return own.passed + self.capacity - own.added", "return own.passed + self.capacity - own.added + 1"),
        ),
        ("a gate's room is what one reader leaves", (GATES, THREADS), swap("(self.readers)", "(1)")),
    ),
    *of(
        "pyx/join/ring_scale_gate.pyx",
        (
            "ring: a tuple is said to be there before it is",
            (THREADS,),
            put(
                "ring.times[place]",
                before=(
                    "own.last = ts\n"
                    "own.added += 1\n"
                    "ring.written.store(own.added, memory_order_release)\n"
                    "yield_point()\n"
                ),
            ),
            drop("own.last = ts"),
            drop("own.added += 1"),
            drop("yield_point", "RingScaleGate("),
            drop("ring.written", "RingScaleGate("),
        ),
        (
            "ring: a reader looks at the promise last",
            (THREADS,),
            put(
                "cdef Ring",
                "close(",
                after=("cdef int64_t written = ring.written.load(memory_order_acquire)\nyield_point()\n"),
            ),
            drop("yield_point", "bint look("),
            drop("cdef int64_t written"),
        ),
        (
            "ring: what a reader got is let go at once",
            (GATES, THREADS),
            put("merge.first.key, merge", after=("self.let_go(reader)\nyield_point()\n")),
        ),
    ),
    *of(
        "pyx/join/merge.pxd",
        ("ring: of equal times the higher source comes first", (GATES,), swap("other.source <", "other.source >")),
    ),
    *of(
        "pyx/join/ring_scale_gate.pyx",
        ("ring: a late tuple in a batch is taken", (GATES,), swap("begin + i] < last:", "begin + i] < last - 1:")),
    ),
    *of(
        "pyx/join/skip_list_scale_gate.pyx",
        (
            "skip list: equal times lie as they arrive",
            (GATES,),
            swap("< ts or (node.ts == ts and node.source <= source)", "<= ts"),
        ),
        (
            "skip list: a node is linked by load and store",
            (THREADS,),
            drop("if link_after(", put=("node.next[level].store(added)\nreturn\n")),
            drop("return", "void link("),
        ),
        (
            "skip list: line 41 is left out",
            (GATES,),
            swap("self.inserters[node.source].written.load() is node", "node.ts == INT64_MAX"),
        ),
        (
            "skip list: nodes are taken back that a source still begins at",
            (GATES, LONG),
            swap("readers + self.sources", "readers", "close("),
        ),
        (
            "skip list: nodes are taken back that a reader has not had",
            (GATES, LONG),
            swap("(self.readers", "(self.readers, self.readers", "close("),
        ),
        ("skip list: no node is taken back", (GATES,), swap("own.oldest.ts < earliest", "False")),
    ),
    *of(
        "pyx/join/slack_buffer.pyx",
        (
            "slack: one unit of time less",
            (SOURCES,),
            swap("< self.bound()", "<= self.bound() and self.highest > ts[begin + i]"),
        ),
        ("slack: tuples leave one unit of time early", (SOURCES,), swap(".front().ts <=", ".front().ts - 1 <=")),
    ),
    *of(
        "pyx/join/waiting_heap.h",
        ("slack: equal times do not leave as they came", (SOURCES,), swap("ts : arrival >", "ts : arrival <")),
    ),
    *of(
        "pyx/join/slack_buffer.pyx",
        (
            "slack: a promise may go back",
            (f"{MEANING}::test_what_a_promise_has_ruled_out_stays_late_where_the_gate_was_full",),
            swap("max(self.promised, ts)", "ts"),
        ),
    ),
    *of(
        "pyx/join/gate_source.pyx",
        (
            "codes of several streams are taken for those of one",
            (f"{MEANING}::test_a_keyed_count_over_a_gate_counts_texts",),
            swap("self.codes is not None", "False"),
        ),
    ),
    *of(
        "pyx/join/slack_buffer.pyx",
        ("slack: late tuples are not counted", (SOURCES,), drop("self.late", "offer(")),
    ),
    *of(
        "pyx/join/gate_source.pyx",
        (
            "a stream that failed is taken for one that has ended",
            (SOURCES,),
            drop("if self.failed"),
            drop("return False", "if n < 0:"),
        ),
    ),
)
