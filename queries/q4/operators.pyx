"""Q4's operators: clicks with their page type, sessions, abandoned ones, and the running totals."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns, keys_of, reserve
from streambench.pyx.tuples.keep_rows cimport (
    Kept, begin_blocks, copy_kept, count_kept, drop_nulls, keep_nulls, next_block,
)
from streambench.pyx.tuples.layout cimport INT16, type_of
from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateful, Stateless
from streambench.pyx.tuples.typed_columns cimport int16_column, int64_column
from streambench.queries.common.look_up cimport LookUp
from streambench.queries.common.row_loop cimport WIDE_KEYS, RowLoop, run_loop, time_at, widths

import numpy as np

from streambench.pyx.state.saved_rows import load_rows, save_rows
from streambench.queries.common.column_types import CODE, KEY, TIME

cdef enum:
    # As the catalogue's look-up of page types codes them; it knows no further types.
    DYNAMIC = 1
    ORDER = 2
    TYPES = 3


@cython.final
cdef class PageClicks(Stateless):
    """SL: drop clicks with no user, purchases, and clicks on an unknown page; look up the page type.

    ``types``: by page key, 1 dynamic, 2 order, 0 other, -1 unknown.
    """

    cdef LookUp page_types

    def __init__(self, types):
        self.page_types = LookUp(types)
        self.reads = {"ts": TIME, "wcs_user_sk": KEY, "wcs_sales_sk": KEY, "wcs_web_page_sk": CODE}
        self.columns = ("ts", "wcs_user_sk", "type")
        self.types = ("=ts", "=wcs_user_sk", self.page_types.type)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef bint narrow = type_of(rows.layout, self.at[3]) == INT16
        cdef Kept kept
        reserve(out, rows.n)
        if not narrow:                      # pages do not fit where types do
            self.page_types.look_up(rows, self.at[3], out.column[2])
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            drop_nulls(&kept, rows, self.at[1])
            keep_nulls(&kept, rows, self.at[2])
            copy_kept(&kept, rows, self.at[0], out, 0)
            copy_kept(&kept, rows, self.at[1], out, 1)
            if narrow:
                copy_kept(&kept, rows, self.at[3], out, 2)
            else:
                copy_kept(&kept, out, 2, out, 2)
            out.n += count_kept(&kept)
        if not narrow or not self.page_types.look_up(out, 2, out.column[2]):
            self.drop_unknown(out)
        return -1

    cdef void drop_unknown(self, Columns* out) noexcept nogil:
        """Take out the clicks whose page has no type."""
        cdef Kept kept
        cdef int32_t n = out.n, k
        out.n = 0
        begin_blocks(&kept, 0)
        while next_block(&kept, n):
            drop_nulls(&kept, out, 2)
            for k in range(3):
                copy_kept(&kept, out, k, out, k)
            out.n += count_kept(&kept)


cdef struct Cart:
    # An open session, in a row.
    int64_t last
    int64_t clicks
    int64_t seen[TYPES]                     # by page type: when one was seen last, + 1; 0 for never
    int64_t unused[3]

CART = ("last", "clicks", "seen_other", "seen_dynamic", "seen_order")    # its words


@cython.final
cdef class CartSessions(PartitionedStateful):
    """PS by user: sessions as in Q2; emits (clicks, last_dynamic, last_order) of each one that closes.

    Where the stream ``continues`` behind this run, what is open stays open, for `save`.
    """

    cdef public bint continues
    cdef int64_t gap
    cdef KeyedRows carts                    # by user

    def __init__(self, int64_t gap):
        self.reads = {"ts": TIME, "wcs_user_sk": KEY, "type": "int16"}
        self.columns = ("clicks", "last_dynamic", "last_order")
        self.partition_free = True
        self.gap = gap
        self.carts = KeyedRows(sizeof(Cart))

    def open(self, int32_t partitions=1):
        self.carts.open(partitions, self.high_key)

    def save(self):
        """The open sessions, as int64 columns by name, ascending by user."""
        return save_rows(self.carts, CART)

    def load(self, saved):
        load_rows(self.carts, saved, CART)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        keys_of(rows, self.at[1], keys)

    cdef inline void write_cart(self, Cart* cart, Columns* out) noexcept nogil:
        int64_column(out, 0)[out.n] = cart.clicks
        int64_column(out, 1)[out.n] = cart.seen[DYNAMIC] - 1
        int64_column(out, 2)[out.n] = cart.seen[ORDER] - 1
        out.n += 1

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>CartSessions.add_clicks, self, partition, rows, selected, n, out,
                        widths(rows, self.at[0], self.at[1]))

    cdef inline void add_clicks(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out, int32_t wide) noexcept nogil:
        cdef const void* times = rows.column[self.at[0]]
        cdef const int16_t* type = int16_column(rows, self.at[2])
        cdef RowsAhead ahead
        cdef Cart* cart
        cdef int64_t gap = self.gap, ts
        cdef int32_t i, row
        reserve(out, n)                     # a click closes one session at most
        look_ahead(&ahead, self.carts, sizeof(Cart), partition, rows.column[self.at[1]],
                   8 if wide & WIDE_KEYS else 4, selected, n)
        for i in range(n):
            row = row_at(selected, i)
            cart = <Cart*>next_row(&ahead, self.carts, sizeof(Cart), i)
            ts = time_at(times, row, wide)
            if ts - cart.last > gap:
                if cart.clicks:
                    if selected is not NULL:
                        out.source_row[out.n] = <uint32_t>row
                    self.write_cart(cart, out)
                cart.clicks = 0
                cart.seen[DYNAMIC] = 0
                cart.seen[ORDER] = 0
            cart.last = ts
            cart.clicks += 1
            cart.seen[type[row]] = ts + 1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int64_t user
        cdef Cart* cart
        if self.continues:
            return 0
        while out.n < at_most:
            cart = <Cart*>self.carts.next_in_order(&user)
            if cart is NULL:
                break
            if cart.clicks:
                reserve(out, 1)
                self.write_cart(cart, out)
        return out.n


@cython.final
cdef class AbandonedCarts(Stateless):
    """SL: keep sessions whose last dynamic page came after their last order page; project (clicks)."""

    def __init__(self):
        self.reads = {"clicks": "int64", "last_dynamic": "int64", "last_order": "int64"}
        self.columns = ("clicks",)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, kept = 0
        cdef const int64_t* clicks = int64_column(rows, self.at[0])
        cdef const int64_t* last_dynamic = int64_column(rows, self.at[1])
        cdef const int64_t* last_order = int64_column(rows, self.at[2])
        cdef int64_t* to
        reserve(out, rows.n)
        to = int64_column(out, 0)
        for i in range(rows.n):             # always written, counted if kept: no branch guesses which
            to[kept] = clicks[i]
            kept += last_dynamic[i] > last_order[i]
        out.n = kept
        return -1


@cython.final
cdef class CartTotals(Stateful):
    """SF: running (pages, sessions), emitted after each session."""

    cdef int64_t pages
    cdef int64_t sessions

    def __init__(self):
        self.reads = {"clicks": "int64"}
        self.columns = ("pages", "sessions")

    def open(self, int32_t partitions=1):
        self.pages = 0
        self.sessions = 0

    def save(self):
        return {"totals": np.array([self.pages, self.sessions])}

    def load(self, saved):
        self.pages, self.sessions = saved["totals"]

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i
        cdef int64_t pages = self.pages
        cdef const int64_t* clicks = int64_column(rows, self.at[0])
        reserve(out, rows.n)
        for i in range(rows.n):
            pages += clicks[i]
            int64_column(out, 0)[i] = pages
            int64_column(out, 1)[i] = self.sessions + i + 1
        out.n = rows.n
        self.pages = pages
        self.sessions += rows.n
        return -1

    def totals(self):
        """Return (pages, sessions)."""
        return self.pages, self.sessions
