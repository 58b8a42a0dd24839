"""A thread for each stream of items, all counting into one summary: what paper 002 measures (section 5)."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.threads cimport pause_briefly, sleep_ns
from streambench.pyx.topk.summary cimport Snapshot, Summary
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters

import numpy as np

cdef enum:
    PIECE = 1024                        # items of an update at most
    SLEPT = 100_000                     # ns: who waits so long sleeps

cdef struct Asked:                      # a query
    int64_t ns                          # until its answer was there
    int64_t stale                       # items that updates had counted by then, and that are not in the answer


cdef class StreamCrew(Crew):
    """Counts ``streams`` (uint64 arrays), each ``laps`` times, into ``summary``, thread k the k-th.

    ``query_every``: whoever takes the item that makes this many more, of all streams together, takes a snapshot; 0 for
    none. ``failing``: the probability that a thread which is ready finds no item (section 5.2): it asks again, ``wait``
    seconds later.
    """

    cdef Summary summary
    cdef list streams
    cdef vector[const uint64_t*] begins
    cdef vector[int64_t] sizes
    cdef int64_t query_every, laps
    cdef double failing
    cdef int64_t wait                   # ns
    cdef uint64_t seed
    cdef PaddedCounter* taken           # by thread: items that it has counted
    cdef PaddedCounter* queries         # asked so far, of all threads
    cdef vector[Asked] answered         # by query

    def __cinit__(self, Summary summary, list streams, *args, **kwargs):
        self.taken = new_counters(max(len(streams), 1))
        self.queries = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.taken)
        delete_counters(self.queries)

    def __init__(self, Summary summary, list streams, int64_t query_every=0, double failing=0.0, uint64_t seed=1,
                 tuple cores=(), int64_t laps=1, double wait=0.0):
        cdef const uint64_t[::1] stream
        if not 1 <= len(streams) <= summary.threads:
            raise ValueError(f"this summary takes 1 to {summary.threads} streams, not {len(streams)}")
        if not 0 <= failing < 1:
            raise ValueError(f"reads fail with a probability of 0 to less than 1, not {failing}")
        if query_every < 0:
            raise ValueError(f"there is a query every so many items, or 0 for none, not {query_every}")
        if not 0 <= wait <= 1:
            raise ValueError(f"a thread waits for 0 to 1 second, not {wait}")
        if laps < 1:
            raise ValueError(f"a stream is counted at least once, not {laps} times")
        super().__init__(len(streams), cores)
        self.summary, self.streams = summary, streams
        for stream in streams:
            self.begins.push_back(&stream[0] if stream.shape[0] else NULL)
            self.sizes.push_back(stream.shape[0])
        self.query_every, self.failing, self.seed, self.laps = query_every, failing, seed, laps
        self.wait = <int64_t>(wait * 1e9)
        if query_every > 0:
            self.answered.resize(laps * sum(len(each) for each in streams) // query_every)

    cdef void work(self, int number) noexcept nogil:
        cdef int64_t at = 0, place = 0, n, size = self.sizes[number], whole = size * self.laps
        cdef uint64_t random = (
            (self.seed * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>number) * <uint64_t>0xBF58476D1CE4E5B9 | 1)
        cdef uint64_t fails = <uint64_t>(self.failing * 18446744073709551615.0)
        while at < whole and self.stopped.value.load(memory_order_relaxed) == 0:
            n = min(<int64_t>PIECE, size - place)
            if fails > 0:               # as many items as come before a read that fails
                n = 0
                while n < min(<int64_t>PIECE, size - place):
                    random ^= random << 13
                    random ^= random >> 7
                    random ^= random << 17
                    if random < fails:
                        break
                    n += 1
                if n == 0:
                    self.await_item()
                    continue
            self.summary.update(number, self.begins[number] + place, n)
            at += n
            place = 0 if place + n == size else place + n
            self.taken[number].value.store(at, memory_order_relaxed)
            if self.query_every > 0:
                self.query_if_due()

    cdef void await_item(self) noexcept nogil:
        """As long as a read that fails takes: without leaving the core, unless it is for long."""
        cdef int64_t until
        if self.wait >= SLEPT:
            sleep_ns(self.wait)
        elif self.wait > 0:
            until = nanoseconds() + self.wait
            while nanoseconds() < until:
                pause_briefly()

    cdef void query_if_due(self) noexcept nogil:
        """Ask the summary where enough items have been counted for the next query, and no other thread asks it."""
        cdef Snapshot answer
        cdef int64_t begun, asked = self.queries[0].value.load(memory_order_relaxed)
        if self.progress() < (asked + 1) * self.query_every:
            return
        if self.queries[0].value.compare_exchange_strong(asked, asked + 1):
            begun = nanoseconds()
            self.summary.look(&answer)
            self.answered[asked].ns = nanoseconds() - begun
            self.answered[asked].stale = max(<int64_t>0, self.progress() - answer.n)

    cdef int64_t progress(self) noexcept nogil:
        """Items that are counted."""
        cdef int64_t sum = 0
        cdef int k
        for k in range(self.workers):
            sum += self.taken[k].value.load(memory_order_relaxed)
        return sum

    @property
    def counted(self) -> list:
        """By thread, how many items it has counted so far."""
        return [self.taken[k].value.load(memory_order_relaxed) for k in range(self.workers)]

    @property
    def asked(self) -> int:
        """Queries so far."""
        return self.queries[0].value.load(memory_order_relaxed)

    @property
    def query_seconds(self):
        """By query, how long its answer took. For a quiet moment, as the next one."""
        return np.array([self.answered[k].ns * 1e-9 for k in range(self.asked)])

    @property
    def stale_items(self):
        """By query, how many of the items that updates had counted when the answer was there are not in it."""
        return np.array([self.answered[k].stale for k in range(self.asked)], np.int64)
