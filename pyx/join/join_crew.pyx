"""A join's threads: all take the same batches of the total order, each compares them with the tuples that it stores."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.join.arrivals cimport CUT, OVER, WAIT, Arrivals
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.match_merge cimport BATCHES_AHEAD, MatchMerge
from streambench.pyx.join.ready_batch cimport LEFT, MOST_READY, RIGHT, Batch, Cursor, next_batch
from streambench.pyx.join.tier cimport Match, Tier
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.parking cimport wake_all

import numpy as np

from streambench.pyx.join.index_tier import IndexTier
from streambench.pyx.join.list_tier import ListTier
from streambench.pyx.join.scan_tier import CodesTier, ScanTier
from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.whole_number import whole_number

TIERS = {"scan": ListTier, "simd": ScanTier, "codes": CodesTier, "index": IndexTier}


def tier_named(name):
    """The class of the tier of this name. Raises UnfitOptionError where there is none."""
    if name not in list(TIERS):
        raise UnfitOptionError(f"there is no tier {name!r}: choose from {', '.join(TIERS)}")
    return TIERS[name]


cdef class JoinCrew(Crew):
    """Joins what ``definition`` says by a ``tier``: ``scan`` (the paper's), ``simd``, ``codes`` or ``index``.

    ``batch``: tuples that are taken at a time, at most `MOST_READY`; 0 for a number by the window. ``arrivals``: how
    tuples arrive; None for all of them at once. ``expected``: matches for which memory is found before the run begins.
    """

    cdef Definition definition
    cdef MatchMerge results
    cdef list tiers                     # by thread
    cdef vector[void*] tier_pointers
    cdef readonly int32_t batch         # tuples that are taken at a time
    cdef Arrivals arrivals
    cdef int64_t expected               # matches
    cdef bint arriving
    cdef PaddedCounter* looked_at       # by thread: pairs; it alone writes
    cdef vector[int64_t] comparing_ns   # by thread: when it began to compare, by the clock; its own, read after the run

    def __cinit__(self, Definition definition, tier, threads=1, *args, **kwargs):
        self.looked_at = new_counters(whole_number("threads", threads, 1, 2**31 - 1))

    def __dealloc__(self):
        delete_counters(self.looked_at)

    def __init__(self, Definition definition, tier, threads=1, int32_t batch=0, tuple cores=(),
                 Arrivals arrivals=None, int64_t expected=0):
        super().__init__(threads, cores)
        if not 0 <= batch <= MOST_READY:
            raise UnfitOptionError(
                f"a batch has at most {MOST_READY} tuples, or 0 for a number by the window, not {batch}"
            )
        make_tier = tier_named(tier)
        self.definition = definition
        self.results = MatchMerge(threads)
        self.expected = expected
        self.tiers = [make_tier(definition, number, threads) for number in range(threads)]
        for each in self.tiers:
            self.tier_pointers.push_back(<void*>each)
        if arrivals is not None and arrivals.definition is not definition:
            raise UnfitOptionError("the tuples arrive for another join")
        self.arrivals, self.arriving = arrivals, arrivals is not None
        self.results.timed = self.arriving
        self.comparing_ns.resize(threads)
        self.batch = batch or definition.batch

    cdef void work(self, int number) noexcept nogil:
        cdef Cursor cursor
        cdef Batch batch
        cdef Idle idle = busy(self.parking)
        cdef int64_t n = 0, end = 0
        # What has arrived is merged at once; of what is there already, in bulk.
        cdef int64_t at_least = 1 if self.arriving else BATCHES_AHEAD // 4
        cdef int32_t outcome = CUT, at_most = self.batch
        cdef vector[Match]* out
        memset(&cursor, 0, sizeof(cursor))
        if self.definition.streams.compared_from == 0:
            self.comparing_ns[number] = nanoseconds()
        if number == 0 and self.expected > 0:
            self.results.make_room(self.expected)       # before any thread's first batch is ready to be merged
        (<Tier>self.tier_pointers[number]).begin()
        while self.stopped.value.load(memory_order_relaxed) == 0:
            out = self.results.room(number, n)
            if out is not NULL and self.arriving:
                outcome = self.arrivals.end_of(n, self.batch, self.results, &end)
            if out is NULL or outcome == WAIT:
                if self.results.merge(1):
                    wake_all(self.parking)
                else:
                    rest(&idle, self.arrivals.until_due() if self.arriving else 0)
                continue
            resume(&idle)
            if self.arriving:
                if outcome == OVER:
                    break
                if outcome == CUT:
                    wake_all(self.parking)
                at_most = <int32_t>(end - cursor.position)
            next_batch(&self.definition.streams, &cursor, at_most, &batch)
            if batch.n == 0:
                break
            if batch.begin == self.definition.streams.compared_from > 0:
                self.comparing_ns[number] = nanoseconds()
            (<Tier>self.tier_pointers[number]).process(&batch, out)
            self.looked_at[number].value.store((<Tier>self.tier_pointers[number]).compared, memory_order_relaxed)
            self.results.publish(number, n)
            n += 1
            if self.results.merge(at_least):
                wake_all(self.parking)
        while self.results.merge(1):    # what arrived last shall leave now
            pass
        wake_all(self.parking)

    cdef int64_t progress(self) noexcept nogil:
        """Batches of which all matches are known."""
        return self.results.ready()

    def matches(self):
        """After ``run``, once: the matches' rows of the left and of the right side, in order.

        Raises ValueError where physical streams were not in the order of their side's rows.
        """
        if self.arriving and self.arrivals.disordered:
            raise UnfitOptionError(
                "physical streams do not hold the sides' rows in the order of time, stream and place"
            )
        self.results.merge(1)
        return self.results.take(LEFT), self.results.take(RIGHT)

    @property
    def compared(self) -> list:
        """By thread, how many pairs it has looked at so far."""
        return [self.looked_at[number].value.load(memory_order_relaxed) for number in range(self.workers)]

    @property
    def comparing_seconds(self) -> float:
        """After ``run``: from when the first thread began to compare (see ``compared_from``)
        to the return of the last."""
        begun = [each for each in self.comparing_ns if each > 0]
        return (self.ended_ns - min(begun)) * 1e-9 if begun else 0.0

    @property
    def left_ns(self):
        """After ``matches``, of a join with arrivals: by batch, when its matches left in
        order, by the arrivals' clock."""
        return np.asarray(self.results.left_ns, np.int64)
