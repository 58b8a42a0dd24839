"""The micro pipeline as one straightforward loop in the calling thread: what one good thread
does without any runtime."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.queries.baselines.arithmetic cimport Digest, mix, work
from streambench.queries.baselines.pace cimport Pace


def loop(const int64_t[::1] key, const int64_t[::1] value, int64_t keys, int64_t map_work, int64_t keyed_work,
         Pace pace not None):
    """Return (seconds, digest) of the stream that ``pace`` feeds, laps over the columns. Keys are below ``keys``.

    The digest is `DigestSink`'s.
    """
    cdef vector[int64_t] counts
    cdef Digest digest
    cdef int64_t* table
    cdef int64_t n = key.shape[0], at, first, last, i, begun, ended, one, count
    cdef uint64_t result
    if n == 0 and pace.tuples > 0:
        raise ValueError("no tuples to replay")
    counts.assign(keys, 0)
    table = counts.data()
    with nogil:
        begun = nanoseconds()
        while pace.more():
            at = pace.begin
            while at < pace.end:                # lap by lap
                first = at % n
                last = min(n, first + pace.end - at)
                at += last - first
                if map_work == 0 and keyed_work == 0:
                    for i in range(first, last):
                        one = key[i]
                        count = table[one] + 1
                        table[one] = count
                        digest.add(mix(<uint64_t>one, <uint64_t>value[i]) + <uint64_t>count)
                else:
                    for i in range(first, last):
                        one = key[i]
                        result = work(mix(<uint64_t>one, <uint64_t>value[i]), map_work)
                        count = table[one] + 1
                        table[one] = count
                        digest.add(result + work(<uint64_t>count, keyed_work))
        ended = nanoseconds()
    return (ended - begun) * 1e-9, f"{digest.sum:016x}{digest.sums:016x}"


def time_work(int64_t tuples, int64_t iterations):
    """Return (seconds, result) of the work on so many tuples, in this thread."""
    cdef int64_t begun, ended, i
    cdef uint64_t result = 0
    with nogil:
        begun = nanoseconds()
        for i in range(tuples):
            result += work(<uint64_t>i, iterations)
        ended = nanoseconds()
    return (ended - begun) * 1e-9, result       # used, so that no compiler leaves the work out
