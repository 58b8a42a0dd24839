"""Q4's operators: clicks with their page type, sessions, abandoned ones, and the running totals."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.tuples.keep_rows cimport NOT_NULL, NULL_ONLY, keep_rows
from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateful, Stateless
from streambench.queries.common.row_loop cimport RowLoop, run_loop

import numpy as np

cdef enum:
    # As the catalogue's look-up of page types codes them; it knows no further types.
    DYNAMIC = 1
    ORDER = 2
    TYPES = 3


@cython.final
cdef class PageClicks(Stateless):
    """SL: drop clicks with no user, purchases, and clicks on an unknown page; look up the page type.

    Input (ts, user, sales, page), output (ts, user, type). ``types``: by page key, 1 dynamic, 2 order, 0 other, -1 unknown.
    """

    cdef const int64_t[::1] types           # and one more: -1, of all pages beyond

    def __init__(self, types):
        self.columns = ("ts", "user", "type")
        self.types = np.append(np.asarray(types, dtype=np.int64), -1)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* types = &self.types[0]
        cdef uint64_t beyond = self.types.shape[0] - 1
        cdef int64_t* source[3]
        cdef int64_t* type
        cdef int64_t known = 0
        cdef int32_t i
        reserve(out, rows.n)
        source[0] = rows.column[0]
        source[1] = rows.column[1]
        source[2] = rows.column[3]
        out.n = keep_rows(rows.column[1], rows.column[2], NULL_ONLY, rows.n, 3, source, out.column)
        type = out.column[2]                # pages, so far
        for i in range(out.n):
            type[i] = types[min(<uint64_t>type[i], beyond)]
            known |= type[i]
        if known < 0:
            out.n = keep_rows(type, type, NOT_NULL, out.n, 3, out.column, out.column)
        return -1


cdef struct Cart:
    # An open session, in a row.
    int64_t last
    int64_t clicks
    int64_t seen[TYPES]                     # by page type: when one was seen last, + 1; 0 for never
    int64_t unused[3]


@cython.final
cdef class CartSessions(PartitionedStateful):
    """PS by user: sessions as in Q2; emits (clicks, last_dynamic, last_order) of each one that closes."""

    cdef int64_t gap
    cdef KeyedRows carts                    # by user

    def __init__(self, int64_t gap):
        self.columns = ("clicks", "last_dynamic", "last_order")
        self.partition_free = True
        self.gap = gap
        self.carts = KeyedRows(sizeof(Cart))

    def open(self, int32_t partitions=1):
        self.carts.open(partitions, self.high_key)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        memcpy(keys, rows.column[1], rows.n * sizeof(int64_t))

    cdef inline void write_cart(self, Cart* cart, Columns* out) noexcept nogil:
        out.column[0][out.n] = cart.clicks
        out.column[1][out.n] = cart.seen[DYNAMIC] - 1
        out.column[2][out.n] = cart.seen[ORDER] - 1
        out.n += 1

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>CartSessions.add_clicks, self, partition, rows, selected, n, out)

    cdef inline void add_clicks(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out) noexcept nogil:
        cdef const int64_t* ts = rows.column[0]
        cdef const int64_t* type = rows.column[2]
        cdef RowsAhead ahead
        cdef Cart* cart
        cdef int64_t gap = self.gap
        cdef int32_t i, row
        reserve(out, n)                     # a click closes one session at most
        look_ahead(&ahead, self.carts, sizeof(Cart), partition, rows.column[1], selected, n)
        for i in range(n):
            row = row_at(selected, i)
            cart = <Cart*>next_row(&ahead, self.carts, sizeof(Cart), i)
            if ts[row] - cart.last > gap:
                if cart.clicks:
                    if selected is not NULL:
                        out.source_row[out.n] = <uint32_t>row
                    self.write_cart(cart, out)
                cart.clicks = 0
                cart.seen[DYNAMIC] = 0
                cart.seen[ORDER] = 0
            cart.last = ts[row]
            cart.clicks += 1
            cart.seen[type[row]] = ts[row] + 1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int64_t user
        cdef Cart* cart
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
        self.columns = ("clicks",)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, kept = 0
        cdef const int64_t* clicks = rows.column[0]
        cdef const int64_t* last_dynamic = rows.column[1]
        cdef const int64_t* last_order = rows.column[2]
        cdef int64_t* to
        reserve(out, rows.n)
        to = out.column[0]
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
        self.columns = ("pages", "sessions")

    def open(self, int32_t partitions=1):
        self.pages = 0
        self.sessions = 0

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i
        cdef int64_t pages = self.pages
        cdef const int64_t* clicks = rows.column[0]
        reserve(out, rows.n)
        for i in range(rows.n):
            pages += clicks[i]
            out.column[0][i] = pages
            out.column[1][i] = self.sessions + i + 1
        out.n = rows.n
        self.pages = pages
        self.sessions += rows.n
        return -1

    def totals(self):
        """Return (pages, sessions)."""
        return self.pages, self.sessions
