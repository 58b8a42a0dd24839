"""oneTBB's ordered pipeline over the same stream: see ``pipeline.h``."""

from libc.stdint cimport int64_t
from streambench.queries.baselines.arithmetic cimport Digest

cdef extern from "pipeline.h" namespace "micro" nogil:
    cppclass Stream:
        const int64_t* key
        const int64_t* value
        int64_t rows, laps, keys, map_work, keyed_work

    cppclass PeerResult:
        double seconds
        Digest digest

    PeerResult tbb_records(const Stream& stream, int threads, int64_t token, int64_t live) except +
    PeerResult tbb_by_hand(const Stream& stream, int threads, int64_t token, int64_t live) except +


def pipeline(const int64_t[::1] key, const int64_t[::1] value, int64_t laps, int64_t keys, int64_t map_work,
             int64_t keyed_work, *, int threads, int64_t token, int64_t live, bint by_hand=False):
    """Return (seconds, digest), as the loop does; at most ``live`` tokens of ``token`` tuples are under way."""
    cdef Stream stream
    cdef PeerResult made
    if threads < 1 or token < 1 or live < 1:
        raise ValueError("threads, token and live must be at least 1")
    stream.rows = key.shape[0]
    stream.laps = laps
    stream.keys = keys
    stream.map_work = map_work
    stream.keyed_work = keyed_work
    if stream.rows:
        stream.key = &key[0]
        stream.value = &value[0]
    with nogil:
        if by_hand:
            made = tbb_by_hand(stream, threads, token, live)
        else:
            made = tbb_records(stream, threads, token, live)
    return made.seconds, f"{made.digest.sum:016x}{made.digest.sums:016x}"
