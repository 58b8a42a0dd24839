"""A join's threads: all take the same batches of the total order, each compares them with the tuples that it stores."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.match_merge cimport BATCHES_AHEAD, MatchMerge
from streambench.pyx.join.ready_batch cimport LEFT, RIGHT, Batch, Cursor, next_batch
from streambench.pyx.join.tier cimport Match, Tier
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.machine.parking cimport wake_all

from streambench.pyx.join.index_tier import IndexTier
from streambench.pyx.join.list_tier import ListTier
from streambench.pyx.join.scan_tier import CodesTier, ScanTier

TIERS = {"scan": ListTier, "simd": ScanTier, "codes": CodesTier, "index": IndexTier}


def tier_named(name):
    """The class of the tier of this name. Raises ValueError where there is none."""
    if name not in TIERS:
        raise ValueError(f"there is no tier {name!r}: choose from {', '.join(TIERS)}")
    return TIERS[name]


cdef class JoinCrew(Crew):
    """Joins what ``definition`` says by a ``tier``: ``scan`` (the paper's), ``simd``, ``codes`` or ``index``.

    ``batch``: tuples that are taken at a time, at most `MOST_READY`; 0 for a number by the window.
    """

    cdef Definition definition
    cdef MatchMerge results
    cdef list tiers                     # by thread
    cdef vector[void*] tier_pointers
    cdef readonly int32_t batch         # tuples that are taken at a time

    def __init__(self, Definition definition, str tier, int threads=1, int32_t batch=0, tuple cores=()):
        super().__init__(threads, cores)
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        make_tier = tier_named(tier)
        self.definition = definition
        self.results = MatchMerge(threads)
        self.tiers = [make_tier(definition, number, threads) for number in range(threads)]
        for each in self.tiers:
            self.tier_pointers.push_back(<void*>each)
        self.batch = batch or definition.batch

    cdef void work(self, int number) noexcept nogil:
        cdef Cursor cursor
        cdef Batch batch
        cdef Idle idle = busy(self.parking)
        cdef int64_t n = 0
        cdef vector[Match]* out
        memset(&cursor, 0, sizeof(cursor))
        next_batch(&self.definition.streams, &cursor, self.batch, &batch)
        while batch.n > 0 and self.stopped.value.load(memory_order_relaxed) == 0:
            out = self.results.room(number, n)
            if out is NULL:
                if self.results.merge(1):
                    wake_all(self.parking)
                else:
                    rest(&idle, 0)
                continue
            resume(&idle)
            (<Tier>self.tier_pointers[number]).process(&batch, out)
            self.results.publish(number, n)
            n += 1
            if self.results.merge(BATCHES_AHEAD // 4):
                wake_all(self.parking)
            next_batch(&self.definition.streams, &cursor, self.batch, &batch)

    cdef int64_t progress(self) noexcept nogil:
        """Batches of which all matches are known."""
        return self.results.ready()

    def matches(self):
        """After ``run``, once: the matches' rows of the left and of the right side, in order."""
        self.results.merge(1)
        return self.results.take(LEFT), self.results.take(RIGHT)

    @property
    def compared(self) -> list:
        """By thread, how many pairs it has looked at."""
        return [(<Tier>each).compared for each in self.tiers]
