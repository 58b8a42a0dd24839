"""Q3's own operators: known clicks, and what a user viewed before a purchase."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint8_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit_from, reserve
from streambench.pyx.operator cimport PartitionedStateful, Stateless
from streambench.queries.keyed_places cimport KeyedPlaces

import numpy as np

cdef enum:
    DEPTH = 5


@cython.final
cdef class KnownClicks(Stateless):
    """SL: drop clicks with no user or no item (-1). Input and output (ts, user, item, sales)."""

    def __init__(self):
        self.columns = ("ts", "user", "item", "sales")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, k, kept = 0
        cdef int64_t* user = rows.column[1]
        cdef int64_t* item = rows.column[2]
        reserve(out, rows.n)
        for i in range(rows.n):             # written always, counted if wanted: half are anonymous, no branch guesses that
            for k in range(4):
                out.column[k][kept] = rows.column[k][i]
            kept += (user[i] >= 0) & (item[i] >= 0)
        out.n = kept
        return -1


cdef struct Recent:
    # The user's last clicks of any kind: a ring, `next` is where the next one goes.
    int64_t ts[DEPTH]
    int64_t item[DEPTH]
    int32_t next
    int32_t held


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
    cdef KeyedPlaces users
    cdef vector[vector[Recent]] recent              # per partition, at the user's place

    def __init__(self, int64_t window, int32_t depth=DEPTH, purchased=None, wanted_views=None):
        if depth != DEPTH:
            raise ValueError(f"the ring holds {DEPTH} clicks, not {depth}")
        self.columns = ("purchased", "viewed")
        self.users = KeyedPlaces()
        self.window = window
        self.purchased = purchased if purchased is not None else -1
        self.check_view = wanted_views is not None
        self.wanted_view = np.ascontiguousarray(wanted_views if self.check_view else [0], dtype=np.uint8)

    def open(self, int32_t partitions=1):
        self.users.open(partitions)
        self.recent.clear()
        self.recent.resize(partitions)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            keys[i] = rows.column[1][i]

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef vector[Recent]* recent = &self.recent[partition]
        cdef int64_t* ts = rows.column[0]
        cdef int64_t* user = rows.column[1]
        cdef int64_t* item = rows.column[2]
        cdef int64_t* sales = rows.column[3]
        cdef Recent* ring
        cdef int32_t i, row, place
        for i in range(n):
            row = <int32_t>selected[i]
            place = self.users.find(partition, user[row])
            if <size_t>place == recent.size():
                recent.resize(recent.size() + 1)    # zeroed: an empty ring
            ring = &recent[0][place]
            if sales[row] >= 0 and (self.purchased < 0 or item[row] == self.purchased):
                self.emit_views(ring, item[row], ts[row] - self.window, out, <uint32_t>row)
            ring.ts[ring.next] = ts[row]
            ring.item[ring.next] = item[row]
            ring.next = ring.next + 1 if ring.next + 1 < DEPTH else 0
            if ring.held < DEPTH:
                ring.held += 1
        return -1

    cdef void emit_views(self, Recent* ring, int64_t purchased, int64_t since, Columns* out,
                         uint32_t source_row) noexcept nogil:
        cdef int32_t k, at, row
        cdef int64_t viewed
        for k in range(ring.held):
            at = (ring.next + DEPTH - ring.held + k) % DEPTH
            if ring.ts[at] < since:
                continue
            viewed = ring.item[at]
            if self.check_view and not (viewed < self.wanted_view.shape[0] and self.wanted_view[viewed]):
                continue
            row = emit_from(out, source_row)
            out.column[0][row] = purchased
            out.column[1][row] = viewed
