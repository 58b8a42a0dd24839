"""Threads that add to a gate and threads that read it, as fast as they can: what paper 001
measures in its figure 7a."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.join.ready cimport Ready, first_int64
from streambench.pyx.join.scale_gate cimport ENDED, FULL, ScaleGate
from streambench.pyx.machine.threads cimport pause_briefly, yield_core

import numpy as np

from streambench.pyx.join.manual_scale_gate import make_scale_gate

cdef enum:
    READ = 64                           # tuples of a read
    SPINS = 64                          # then yield: who is waited for may need this very core

cdef struct Heard:                      # by a reader
    int64_t tuples
    uint64_t sum                        # of (place in the order) * (time + source + sequence)


cdef class GateTraffic(Crew):
    """A thread for each source of the gate ``kind``, and one for each of ``readers``, all of which read everything.

    ``times``: by source, int64 and ascending; a tuple has one more value of 8 bytes, its
    number. ``capacity`` as of gates.
    """

    cdef ScaleGate gate
    cdef list kept
    cdef vector[const int64_t*] time_at
    cdef vector[int64_t] tuples
    cdef vector[Heard] heard            # each its reader's own, read after the run

    def __init__(self, str kind, times, int32_t readers=1, int64_t capacity=4096, tuple cores=()):
        super().__init__(len(times) + readers, cores)
        self.gate = make_scale_gate(kind, [("int64",)] * len(times), readers, capacity)
        self.kept = list(times)
        for each in times:
            if each.dtype != np.int64 or not each.flags.c_contiguous:
                raise TypeError("a source's times are an int64 array, values one behind the other")
            self.time_at.push_back(<const int64_t*><size_t>each.ctypes.data)
            self.tuples.push_back(len(each))
        self.heard.resize(readers)

    cdef void work(self, int number) noexcept nogil:
        if number < self.gate.sources:
            self.add_all(number)
        else:
            self.read_all(number - self.gate.sources)

    cdef void add_all(self, int32_t source) noexcept nogil:
        cdef int64_t i = 0, vain = 0
        while i < self.tuples[source]:
            if self.gate.add(source, self.time_at[source][i], <const char*>&i) != FULL:
                i += 1
                vain = 0
            elif self.give_way(&vain):
                return
        self.gate.close(source)

    cdef void read_all(self, int32_t reader) noexcept nogil:
        cdef Ready ready[READ]
        cdef Heard heard = Heard(0, 0)
        cdef int64_t n = 0, i, vain = 0
        while n != ENDED and self.stopped.value.load(memory_order_relaxed) == 0:
            n = self.gate.next_ready(reader, ready, READ)
            for i in range(n):
                heard.tuples += 1
                heard.sum += <uint64_t>heard.tuples * <uint64_t>(ready[i].ts + ready[i].source + first_int64(&ready[i]))
            if n > 0:
                vain = 0
            elif n == 0 and self.give_way(&vain):
                return
        if n == ENDED:
            self.heard[reader] = heard

    cdef bint give_way(self, int64_t* vain) noexcept nogil:
        """There is nothing to do just now; True if there is nothing any more: the crew was stopped."""
        vain[0] += 1
        if vain[0] % SPINS == 0:
            yield_core()
            return self.stopped.value.load(memory_order_relaxed) == 1
        pause_briefly()
        return False

    @property
    def sums(self) -> list:
        """After ``run``, by reader: a sum by which tuples and order can be checked, see ``sum_of``."""
        return [each.sum for each in self.heard]


def sum_of(times) -> int:
    """What each reader must find of sources with these ``times``."""
    sources = np.repeat(np.arange(len(times)), [len(each) for each in times])
    numbers = np.concatenate([np.arange(len(each)) for each in times])
    all_times = np.concatenate(times)
    order = np.lexsort((numbers, sources, all_times))
    values = (all_times + sources + numbers)[order].astype(np.uint64)
    return int((np.arange(1, len(values) + 1, dtype=np.uint64) * values).sum())
