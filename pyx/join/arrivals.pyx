"""A join's input as it arrives, each tuple when it is due, in an open loop.

Any thread that finds no batch cut takes the turn: it adds what is due to the gate, reads what is ready, and publishes
where the batch ends. So all threads have the same batches, none waits for the turn, no thread is added, and a batch
holds what is ready and no more: nothing waits to fill one. The gate's order is the join's, so that a batch is told by
its end alone; the tuples themselves are in memory.

A batch's end lies in a ring, as its matches do. A thread wants batch n only when it has room for n's
matches: then batch n - BATCHES_AHEAD has been merged, so that all have published it, and nobody reads the
end any more that is overwritten.

The tuples before ``compared_from`` do not pass the gate: they fill the windows as fast as possible. Time begins when
all threads have stored them.
"""

from libc.stdint cimport INT64_MAX
from libc.string cimport memset
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from streambench.pyx.join.ready cimport first_int64
from streambench.pyx.join.ready_batch cimport rows_before
from streambench.pyx.join.scale_gate cimport ENDED, FULL, LATE
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport delete_counters, new_counters

import numpy as np

from streambench.pyx.join.manual_scale_gate import make_scale_gate

cdef enum:
    CAPACITY = 4096                     # tuples of a stream that wait in the gate; others arrive late,
                                        # which is measured


cdef class Arrivals:
    """``streams``: the physical ones, each (side, ts, rows, due), those of side 0 first.

    The arrays are int64 and of equal length: timestamps, which never decrease; rows of the side, below 0 for
    a heartbeat, a promise that nothing earlier comes; when it is due, in ns since comparing begins. A stream
    is closed behind its last entry. Streams of a side hold its rows from ``compared_from`` on, which are
    ordered by timestamp, stream and place in the stream: if not, ``matches`` raises ValueError. ``gate``:
    ``ring`` or ``skip-list``. For one run.
    """

    def __cinit__(self, Definition definition, streams, str gate="ring"):
        cdef PhysicalStream each
        self.turn, self.cut, self.over, self.due = new_counters(1), new_counters(1), new_counters(1), new_counters(1)
        self.definition = definition
        self.kept = []
        sides = [stream[0] for stream in streams]
        if sorted(sides) != sides or not set(sides) <= {0, 1}:
            raise ValueError("physical streams are those of side 0, then those of side 1")
        for side, ts, rows, due in streams:
            if not len(ts) == len(rows) == len(due):
                raise ValueError("a physical stream has as many timestamps as rows and due times")
            if (np.diff(due) < 0).any():
                raise ValueError("what is due of a physical stream must never be due earlier than what comes before")
            memset(&each, 0, sizeof(each))
            each.side, each.n = side, len(ts)
            each.ts = <const int64_t*>self.keep(ts)
            each.row = <const int64_t*>self.keep(rows)
            each.due = <const int64_t*>self.keep(due)
            self.streams.push_back(each)
        self.gate = make_scale_gate(gate, [("int64",)] * len(sides), 1, CAPACITY)
        rows_before(&definition.streams, definition.streams.compared_from, self.row)
        for side in range(2):
            tuples = sum(np.count_nonzero(stream[2] >= 0) for stream in streams if stream[0] == side)
            if tuples != definition.streams.rows[side] - self.row[side]:
                raise ValueError(f"the physical streams of side {side} have {tuples} tuples, "
                                 f"not {definition.streams.rows[side] - self.row[side]}")

    def __dealloc__(self):
        delete_counters(self.turn)
        delete_counters(self.cut)
        delete_counters(self.over)
        delete_counters(self.due)

    cdef size_t keep(self, array) except? 0:
        """The address of an array, which is kept as long as this."""
        if array.dtype != np.int64 or not array.flags.c_contiguous or not array.flags.aligned:
            raise TypeError("a physical stream is made of int64 arrays, values one behind the other")
        self.kept.append(array)
        return array.ctypes.data

    cdef int32_t end_of(self, int64_t batch, int32_t at_most, MatchMerge results, int64_t* end) noexcept nogil:
        """Where this batch ends, at most so many tuples behind the last one; the caller has room for its matches."""
        cdef int32_t state = KNOWN
        # seq_cst: who cuts stores it and then looks for sleepers (see parking).
        if self.cut.value.load(memory_order_seq_cst) <= batch:
            # Not just whether there is an end: this batch may have been cut since the look above, as the last one.
            if self.over.value.load(memory_order_seq_cst) == batch + 1:
                return OVER
            # Acquire pairs with the release below: what the last one has left of gate and streams is seen.
            if (self.turn.value.load(memory_order_relaxed) == 1
                    or self.turn.value.exchange(1, memory_order_acquire) == 1):
                return WAIT
            state = self.make(batch, at_most, results)
            self.turn.value.store(0, memory_order_release)
        if state == KNOWN or state == CUT:      # else somebody may be about to write it
            end[0] = self.ends[batch % BATCHES_AHEAD]
        return state

    cdef int32_t make(self, int64_t batch, int32_t at_most, MatchMerge results) noexcept nogil:
        """With the turn: cut the next batch, unless somebody just has."""
        cdef int64_t n
        if self.cut.value.load(memory_order_relaxed) > batch:
            return KNOWN
        if self.over.value.load(memory_order_relaxed) > 0:
            return OVER
        n = self.definition.streams.compared_from - self.position
        if n > 0:
            n = min(n, <int64_t>at_most)
        else:
            if self.begun_ns == 0:
                if results.ready() < batch:
                    return WAIT
                self.begun_ns = nanoseconds()
            self.feed()
            n = self.read(at_most)
        if n == 0:
            return WAIT
        if n == ENDED:
            self.over.value.store(batch + 1, memory_order_seq_cst)
            return OVER
        self.position += n
        self.ends[batch % BATCHES_AHEAD] = self.position
        append(self.all_ends, self.position)
        self.cut.value.store(batch + 1, memory_order_seq_cst)
        return CUT

    cdef void feed(self) noexcept nogil:
        """Let the gate have what is due."""
        cdef int64_t now = nanoseconds() - self.begun_ns, next = INT64_MAX
        cdef int32_t k, outcome
        cdef PhysicalStream* own
        for k in range(<int32_t>self.streams.size()):
            own = &self.streams[k]
            while own.next < own.n and own.due[own.next] <= now:
                if own.row[own.next] >= 0:
                    outcome = self.gate.add(k, own.ts[own.next], <const char*>(own.row + own.next))
                else:
                    outcome = self.gate.heartbeat(k, own.ts[own.next])
                if outcome == FULL:
                    break
                self.disordered = self.disordered or outcome == LATE
                own.next += 1
            if own.next < own.n:
                next = min(next, own.due[own.next])
            elif not own.closed:
                self.gate.close(k)
                own.closed = True
        self.due.value.store(0 if next == INT64_MAX else self.begun_ns + next, memory_order_relaxed)     # a hint

    cdef int64_t read(self, int32_t at_most) noexcept nogil:
        """How many tuples are ready; ENDED after the last one."""
        cdef int64_t n = self.gate.next_ready(0, self.ready, at_most), i
        cdef int32_t side
        for i in range(n):
            side = self.streams[self.ready[i].source].side
            if first_int64(&self.ready[i]) != self.row[side]:
                self.disordered = True
            self.row[side] += 1
        return ENDED if self.disordered else n

    cdef int64_t until_due(self) noexcept nogil:
        """Nanoseconds until the next tuple arrives; 0 or less where that is not known."""
        cdef int64_t due = self.due.value.load(memory_order_relaxed)
        return due - nanoseconds() if due > 0 else 0

    @property
    def ends(self):
        """After the run: by batch, the position where it ends."""
        return np.asarray(self.all_ends, np.int64)
