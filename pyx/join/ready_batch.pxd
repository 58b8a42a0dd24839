"""What a join's threads take at a time: ready tuples of both sides in the total order, each with
the window it is compared with.

The order is by timestamp, then side (left before right), then row. A pair belongs to its later tuple, which is compared
with rows ``first`` to ``last`` - 1 of the other side: all before it in the order that the rule has kept. Both bounds
never decrease from tuple to tuple of a side, whatever the rule.
"""

from libc.stdint cimport INT64_MIN, int32_t, int64_t

cdef enum:
    LEFT
    RIGHT

cdef enum:                              # which tuples of the other side are in the window
    EXACT                               # those of at most `window` earlier than the later tuple
    THREE_STEP                          # ... than the last tuple of their own side: they leave when one of it comes
    COUNT                               # the last `window` tuples

cdef enum:
    MOST_READY = 256                    # tuples of a batch

cdef struct Streams:
    const int64_t* ts[2]                # by side, never decreasing
    int64_t rows[2]
    int32_t rule
    int64_t window
    int64_t compared_from               # tuples before this position are stored only: they fill the windows

cdef struct Cursor:                     # where a thread is in the order
    int64_t position                    # tuples before it
    int64_t row[2]                      # of each side
    int64_t first[2]                    # the side's oldest row that is still in the window

cdef struct Probes:                     # a batch's tuples of one side
    int64_t begin                       # their rows begin here
    int32_t n
    int32_t place[MOST_READY]           # in the batch
    int64_t first[MOST_READY]           # rows of the other side
    int64_t last[MOST_READY]

cdef struct Batch:
    int64_t begin                       # position of its first tuple
    int32_t n
    Probes side[2]

cdef void next_batch(Streams* streams, Cursor* cursor, int32_t at_most, Batch* batch) noexcept nogil
cdef void expire(Streams* streams, Cursor* cursor, int32_t side, int64_t now) noexcept nogil
cdef void rows_before(Streams* streams, int64_t position, int64_t* rows) noexcept nogil
cdef void widest_windows(Streams* streams, int64_t* widest) noexcept nogil
cdef int64_t pairs_in_windows(Streams* streams) noexcept nogil

cdef inline int64_t earlier(int64_t ts, int64_t by) noexcept nogil:
    """``ts`` - ``by``, as far as time reaches."""
    return ts - by if ts >= INT64_MIN + by else INT64_MIN
