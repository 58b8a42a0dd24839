"""Q3's own operator: what a user viewed before a purchase."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint8_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.queries.common.row_loop cimport RowLoop, run_loop

import numpy as np

cdef enum:
    DEPTH = 5


cdef struct Recent:
    # The user's last clicks of any kind, in a row: a ring, `next` is where the next one goes.
    int64_t ts[DEPTH]
    int32_t item[DEPTH]                     # below 2**31, as the loader sees to
    int16_t next
    int16_t held


@cython.final
cdef class RecentViews(PartitionedStateful):
    """PS by user: a purchase emits (purchased, viewed) for each of the user's last 5 clicks of the last ``window`` seconds.

    Oldest first; only then the purchase joins the ring. ``purchased``: this item only, or None. ``wanted_views``: an array
    of 0 and 1 by item key, applied after the ring chose, or None.
    """

    cdef int64_t window
    cdef int64_t purchased
    cdef bint check_view
    cdef const uint8_t[::1] wanted_view
    cdef KeyedRows recent                   # by user

    def __init__(self, int64_t window, int32_t depth=DEPTH, purchased=None, wanted_views=None):
        if depth != DEPTH:
            raise ValueError(f"the ring holds {DEPTH} clicks, not {depth}")
        self.columns = ("purchased", "viewed")
        self.partition_free = True
        self.recent = KeyedRows(sizeof(Recent))
        self.window = window
        self.purchased = purchased if purchased is not None else -1
        self.check_view = wanted_views is not None
        self.wanted_view = np.ascontiguousarray(wanted_views if self.check_view else [0], dtype=np.uint8)

    def open(self, int32_t partitions=1):
        self.recent.open(partitions, self.high_key)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        memcpy(keys, rows.column[1], rows.n * sizeof(int64_t))

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>RecentViews.add_clicks, self, partition, rows, selected, n, out)

    cdef inline void add_clicks(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out) noexcept nogil:
        cdef const int64_t* ts = rows.column[0]
        cdef const int64_t* item = rows.column[2]
        cdef const int64_t* sales = rows.column[3]
        cdef RowsAhead ahead
        cdef Recent* ring
        cdef int32_t i, row, place
        look_ahead(&ahead, self.recent, sizeof(Recent), partition, rows.column[1], selected, n)
        for i in range(n):
            row = row_at(selected, i)
            ring = <Recent*>next_row(&ahead, self.recent, sizeof(Recent), i)
            if sales[row] >= 0 and (self.purchased < 0 or item[row] == self.purchased):
                self.emit_views(ring, item[row], ts[row] - self.window, out, row, selected is not NULL)
            place = ring.next
            ring.ts[place] = ts[row]
            ring.item[place] = <int32_t>item[row]
            ring.next = <int16_t>((place + 1) * (place + 1 < DEPTH))       # no branch: it would be guessed wrong
            ring.held += ring.held < DEPTH

    cdef inline void emit_views(self, const Recent* ring, int64_t purchased, int64_t since, Columns* out,
                                int32_t source_row, bint sourced) noexcept nogil:
        cdef int64_t* to_purchased
        cdef int64_t* to_viewed
        cdef int32_t at = ring.next if ring.held == DEPTH else 0, row = out.n, k         # the oldest first
        reserve(out, DEPTH)
        to_purchased = out.column[0]
        to_viewed = out.column[1]
        for k in range(ring.held):              # written always, counted if wanted
            to_purchased[row] = purchased
            to_viewed[row] = ring.item[at]
            if sourced:
                out.source_row[row] = <uint32_t>source_row
            row += (ring.ts[at] >= since) & (not self.check_view or self.wanted(ring.item[at]))
            at = at + 1 if at + 1 < DEPTH else 0
        out.n = row

    cdef inline bint wanted(self, int64_t viewed) noexcept nogil:
        return viewed < self.wanted_view.shape[0] and self.wanted_view[viewed] != 0
