"""Threads at a ScaleGate: one for each source and one for each reader, with delays injected."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_threads cimport Threads
from streambench.pyx.join.manual_scale_gate import make_scale_gate
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.scale_gate cimport ENDED, FULL, ScaleGate
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.tuples.columns cimport Columns

cdef enum:
    PATIENCE = 20_000_000       # vain calls in a row after which a thread gives up: a failing
                                # test rather than one that hangs
    MOST = 64                   # tuples of a read


cdef class GateTraffic(Threads):
    """Source s adds the times ``streams[s]``, in batches of ``batch`` where that is more than 1, and closes.

    A tuple's only value is its sequence. A heartbeat goes ahead of every ``beat_every``-th tuple (0: none), of its
    time. ``at_most``: tuples of a read. Run with a thread for each source and each reader.
    """
    cdef ScaleGate gate
    cdef vector[vector[int64_t]] streams
    cdef vector[vector[Ready]] read     # by reader
    cdef int64_t batch, beat_every, at_most
    cdef int strength
    cdef atomic[int64_t] wrong
    cdef atomic[int64_t] most_allocated

    def __init__(self, kind, streams, readers, capacity, batch=1, at_most=1, beat_every=0, strength=0):
        self.gate = make_scale_gate(kind, [("int64",)] * len(streams), readers, capacity)
        self.streams = streams
        self.read.resize(readers)
        self.batch, self.at_most, self.beat_every, self.strength = batch, min(at_most, MOST), beat_every, strength

    cdef void each(self, int64_t me) noexcept nogil:
        if me < self.gate.sources:
            self.feed(<int32_t>me)
        else:
            self.take(<int32_t>(me - self.gate.sources))

    cdef void feed(self, int32_t source) noexcept nogil:
        cdef vector[int64_t]* times = &self.streams[source]
        cdef int64_t n = <int64_t>times.size(), k = 0, added, vain = 0, end
        cdef vector[int64_t] numbers
        cdef Columns rows
        for k in range(n):
            numbers.push_back(k)
        rows.column[0] = numbers.data()
        k = 0
        while k < n and vain < PATIENCE:
            jitter(k, source, self.strength)
            if self.beat_every and k % self.beat_every == 0 and vain == 0:
                self.gate.heartbeat(source, times[0][k])
            end = min(k + self.batch, n)
            if self.batch > 1:
                added = self.gate.add_rows(source, times.data(), &rows, k, end - k)
            else:
                added = self.gate.add(source, times[0][k], <const char*>&numbers[k]) != FULL
            vain = 0 if added else vain + 1
            if not added:
                yield_core()
            k += added
        self.gate.close(source)
        self.wrong.fetch_add(k != n)

    cdef void take(self, int32_t reader) noexcept nogil:
        cdef Ready ready[MOST]
        cdef int64_t n = 0, i, vain = 0, number
        while n != ENDED and vain < PATIENCE:
            n = self.gate.next_ready(reader, ready, self.at_most)
            jitter(<int64_t>self.read[reader].size(), 31 + reader, self.strength)
            for i in range(n):
                # plain memory: only the gate's own ordering protects it
                memcpy(&number, ready[i].values, sizeof(number))
                self.wrong.fetch_add(number != ready[i].sequence)
                self.read[reader].push_back(ready[i])
            vain = 0 if n else vain + 1
            if n == 0:
                yield_core()
        self.wrong.fetch_add(n != ENDED)

    def result(self):
        """By reader, what it read: (ts, source, sequence); and how much was wrong."""
        return [[(each.ts, each.source, each.sequence) for each in own] for own in self.read], self.wrong.load()

    def allocated(self):
        return self.gate.allocated()
