"""The micro pipeline: (key, value) -> Map appends result -> Count appends the key's running count -> DigestSink.

No tuple is copied: both operators work in place. ``work`` is in iterations per tuple; without any the three are fused.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.tuples.columns cimport Columns, fail
from streambench.pyx.tuples.fused cimport Fused
from streambench.pyx.tuples.operator cimport PartitionedStateful, Sink, Source, Stateless
from streambench.pyx.tuples.unit cimport Unit
from streambench.queries.baselines.arithmetic cimport Digest, mix, prefetch_for_writing, work

import numpy as np

cdef enum:
    COUNTS_AHEAD = 8                    # rows: the line is on its way while so many tuples are worked on


@cython.final
cdef class Map(Stateless):
    """SL: appends ``result``, the key and value mixed and worked on."""

    cdef int64_t work

    def __init__(self, int64_t work=0):
        self.columns = ("key", "value", "result")
        self.in_place = True
        self.work = work

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int64_t* key = rows.column[0]
        cdef int64_t* value = rows.column[1]
        cdef int64_t* result = out.column[2]
        cdef int32_t i
        if self.work == 0:
            for i in range(rows.n):
                result[i] = <int64_t>mix(<uint64_t>key[i], <uint64_t>value[i])
        else:
            for i in range(rows.n):
                result[i] = <int64_t>work(mix(<uint64_t>key[i], <uint64_t>value[i]), self.work)
        return -1


cdef inline int64_t increment(int64_t* count) noexcept nogil:
    count[0] += 1
    return count[0]


@cython.final
cdef class Count(PartitionedStateful):
    """PS by key: appends ``count``, how many tuples of the key there have been, worked on. Keys are 0 to ``keys`` - 1.

    One dense table, whatever the partitions: neighbouring keys may belong to workers on different cores, so where
    partitions are told apart a count's cache line is asked for some rows ahead.
    """

    cdef vector[int64_t] counts         # by key
    cdef int64_t work

    def __init__(self, int64_t keys, int64_t work=0):
        self.columns = ("key", "value", "result", "count")
        self.in_place = True
        self.partition_free = True
        self.high_key = keys
        self.work = work

    def open(self, int32_t partitions=1):
        self.counts.assign(self.high_key, 0)

    def save(self):
        return {"counts": np.array(list(self.counts), np.int64)}

    def load(self, saved):
        self.counts = saved["counts"]

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int64_t* key = rows.column[0]
        cdef int64_t* count = out.column[3]
        cdef int64_t* counts = self.counts.data()
        cdef int64_t keys = <int64_t>self.counts.size(), one
        cdef int32_t i, row, failed = -1
        if selected is NULL:
            for row in range(n):
                one = key[row]
                if not 0 <= one < keys:
                    n = row
                    failed = fail(out, row, b"its key is outside the key space")
                    break
                count[row] = increment(&counts[one])
            if self.work > 0:           # a loop of its own: even an empty one inside would slow the counting
                for row in range(n):
                    count[row] = <int64_t>work(<uint64_t>count[row], self.work)
            return failed
        for i in range(n):
            row = <int32_t>selected[i]
            one = key[row]
            if not 0 <= one < keys:
                return fail(out, row, b"its key is outside the key space")
            if i + COUNTS_AHEAD < n:         # any key will do: nothing is read there
                prefetch_for_writing(&counts[key[selected[i + COUNTS_AHEAD]]])
            count[row] = <int64_t>work(<uint64_t>increment(&counts[one]), self.work)
        return -1


@cython.final
cdef class DigestSink(Sink):
    """Folds result + count of every tuple, in order: any two tuples that change places change the digest."""

    cdef Digest folded
    cdef readonly int64_t tuples

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        self.folded.add_columns(rows.column[2], rows.column[3], rows.n)
        self.tuples += rows.n
        return -1

    def save(self):
        return {"sums": np.array([self.folded.sum, self.folded.sums, self.tuples], np.uint64)}

    def load(self, saved):
        self.folded.sum, self.folded.sums, self.tuples = saved["sums"]

    def fused_behind(self, tuple before):
        if len(before) < 2 or type(before[0]) is not Count or type(before[1]) is not Map:
            return None
        if (<Count>before[0]).work > 0 or (<Map>before[1]).work > 0:
            return None
        return MappedCountedDigested(before[1], before[0], self)

    @property
    def digest(self) -> str:
        """32 hexadecimal digits: the sum of the sequence, and the sum of its sums."""
        return f"{self.folded.sum:016x}{self.folded.sums:016x}"


@cython.final
cdef class MappedCountedDigested(Fused):
    """Map, Count and DigestSink without work; leaves a unit with a key outside the key space."""

    cdef Count counted
    cdef DigestSink sink

    def __init__(self, mapped, counted, sink):
        Fused.__init__(self, (mapped, counted, sink))
        self.counted, self.sink = counted, sink

    cdef bint process(self, Columns* rows, Columns* out, int64_t* tuples_out) noexcept nogil:
        cdef const int64_t* key = rows.column[0]
        cdef const int64_t* value = rows.column[1]
        cdef int64_t* counts = self.counted.counts.data()
        cdef int64_t keys = <int64_t>self.counted.counts.size(), one
        cdef Digest digest = self.sink.folded
        cdef int32_t n = rows.n, row, before
        for row in range(n):
            one = key[row]
            if <uint64_t>one >= <uint64_t>keys:         # below 0, too: a comparison less
                for before in range(row):
                    counts[key[before]] -= 1
                return False
            digest.add(mix(<uint64_t>one, <uint64_t>value[row]) + <uint64_t>increment(&counts[one]))
        self.sink.folded = digest
        self.sink.tuples += n
        tuples_out[1] = tuples_out[2] = n
        return True


@cython.final
cdef class SilentSource(Source):
    """A stream of unknown length in which nothing arrives, and which ends after ``seconds``."""

    cdef double seconds
    cdef int64_t ends                   # by `nanoseconds`; 0 before the first call

    def __init__(self, double seconds):
        self.columns = ("key", "value")
        self.seconds = seconds

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        if self.ends == 0:
            self.ends = nanoseconds() + <int64_t>(self.seconds * 1e9)
        return 0 if nanoseconds() < self.ends else -1
