"""Q3's own operator: what a user viewed before a purchase."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint8_t
from streambench.pyx.tuples.columns cimport Columns, keys_of, reserve
from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column
from streambench.queries.common.row_loop cimport WIDE_KEYS, RowLoop, key_at, run_loop, time_at, widths

import numpy as np

from streambench.pyx.state.saved_rows import load_rows, save_rows
from streambench.queries.common.column_types import KEY, TIME

cdef enum:
    DEPTH = 5


cdef struct Recent:
    # The user's last clicks of any kind, in a row: a ring, `next` is where the next one goes.
    int64_t ts[DEPTH]
    int32_t item[DEPTH]                     # below 2**31, as the loader sees to
    int16_t next
    int16_t held

RING = ("ts_0", "ts_1", "ts_2", "ts_3", "ts_4", "items_0_1", "items_2_3", "item_4_next_held")    # its words


ctypedef fused item_t:
    int64_t
    int32_t


@cython.final
cdef class RecentViews(PartitionedStateful):
    """PS by user: a purchase emits (purchased, viewed) for each of the user's last 5 clicks of
    the last ``window`` seconds.

    Oldest first; only then the purchase joins the ring. ``purchased``: this item only, or None. ``wanted_views``: an
    array of 0 and 1 by item key, applied after the ring chose, or None.
    """

    cdef public bint continues              # as of any that a stream can resume; a ring emits nothing at its end
    cdef int64_t window
    cdef int64_t purchased
    cdef bint check_view
    cdef const uint8_t[::1] wanted_view
    cdef KeyedRows recent                   # by user

    def __init__(self, int64_t window, int32_t depth=DEPTH, purchased=None, wanted_views=None):
        if depth != DEPTH:
            raise ValueError(f"the ring holds {DEPTH} clicks, not {depth}")
        self.reads = {"ts": TIME, "wcs_user_sk": KEY, "wcs_item_sk": "=wcs_user_sk", "wcs_sales_sk": "=wcs_user_sk"}
        self.columns = ("purchased", "viewed")
        self.types = ("=wcs_item_sk", "=wcs_item_sk")
        self.partition_free = True
        self.recent = KeyedRows(sizeof(Recent))
        self.window = window
        self.purchased = purchased if purchased is not None else -1
        self.check_view = wanted_views is not None
        self.wanted_view = np.ascontiguousarray(wanted_views if self.check_view else [0], dtype=np.uint8)

    def open(self, int32_t partitions=1):
        self.recent.open(partitions, self.high_key)

    def save(self):
        """The rings, as int64 columns by name, ascending by user; items are packed by two, as the ring has them."""
        return save_rows(self.recent, RING)

    def load(self, saved):
        load_rows(self.recent, saved, RING)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        keys_of(rows, self.at[1], keys)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>RecentViews.add_clicks, self, partition, rows, selected, n, out,
                        widths(rows, self.at[0], self.at[1]))

    cdef inline void add_clicks(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out, int32_t wide) noexcept nogil:
        cdef const void* times = rows.column[self.at[0]]
        cdef const void* items = rows.column[self.at[2]]
        cdef const void* sales = rows.column[self.at[3]]
        cdef RowsAhead ahead
        cdef Recent* ring
        cdef int64_t ts, item
        cdef int32_t i, row, place
        look_ahead(&ahead, self.recent, sizeof(Recent), partition, rows.column[self.at[1]],
                   8 if wide & WIDE_KEYS else 4, selected, n)
        for i in range(n):
            row = row_at(selected, i)
            ring = <Recent*>next_row(&ahead, self.recent, sizeof(Recent), i)
            ts = time_at(times, row, wide)
            item = key_at(items, row, wide)
            if key_at(sales, row, wide) >= 0 and (self.purchased < 0 or item == self.purchased):
                reserve(out, DEPTH)
                if wide & WIDE_KEYS:
                    emit_views(self, ring, item, int64_column(out, 0), int64_column(out, 1), ts - self.window, out, row)
                else:
                    emit_views(self, ring, item, int32_column(out, 0), int32_column(out, 1), ts - self.window, out, row)
            place = ring.next
            ring.ts[place] = ts
            ring.item[place] = <int32_t>item
            ring.next = <int16_t>((place + 1) * (place + 1 < DEPTH))       # no branch: it would be guessed wrong
            ring.held += ring.held < DEPTH

    cdef inline bint wanted(self, int64_t viewed) noexcept nogil:
        return viewed < self.wanted_view.shape[0] and self.wanted_view[viewed] != 0


cdef inline void emit_views(RecentViews views, const Recent* ring, int64_t purchased, item_t* to_purchased,
                            item_t* to_viewed, int64_t since, Columns* out, int32_t source_row) noexcept nogil:
    """What a purchase emits, for which there is room."""
    cdef int32_t at = ring.next if ring.held == DEPTH else 0, row = out.n, k         # the oldest first
    for k in range(ring.held):              # written always, counted if wanted
        to_purchased[row] = <item_t>purchased
        to_viewed[row] = ring.item[at]
        out.source_row[row] = <uint32_t>source_row
        row += (ring.ts[at] >= since) & (not views.check_view or views.wanted(ring.item[at]))
        at = at + 1 if at + 1 < DEPTH else 0
    out.n = row
