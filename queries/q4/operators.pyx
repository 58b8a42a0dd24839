"""Q4's operators: clicks with their page type, sessions, abandoned ones, and the running totals."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, emit_from, reserve
from streambench.pyx.operator cimport PartitionedStateful, Stateful, Stateless
from streambench.queries.keyed_places cimport KeyedPlaces, KeyPlace

import numpy as np

cdef enum:
    # As the catalogue's look-up of page types codes them.
    DYNAMIC = 1
    ORDER = 2


@cython.final
cdef class PageClicks(Stateless):
    """SL: drop clicks with no user, purchases, and clicks on an unknown page; look up the page type.

    Input (ts, user, sales, page), output (ts, user, type). ``types``: by page key, 1 dynamic, 2 order, 0 other, -1 unknown.
    """

    cdef const int64_t[::1] types

    def __init__(self, types):
        self.columns = ("ts", "user", "type")
        self.types = np.ascontiguousarray(types if len(types) else [-1], dtype=np.int64)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, kept = 0
        cdef int64_t known = self.types.shape[0], page, type
        cdef int64_t* ts = rows.column[0]
        cdef int64_t* user = rows.column[1]
        cdef int64_t* sales = rows.column[2]
        cdef int64_t* pages = rows.column[3]
        cdef int64_t* to_ts
        cdef int64_t* to_user
        cdef int64_t* to_type
        reserve(out, rows.n)
        to_ts = out.column[0]
        to_user = out.column[1]
        to_type = out.column[2]
        for i in range(rows.n):             # written always, counted if wanted: half are anonymous, no branch guesses that
            page = pages[i]
            type = self.types[page] if 0 <= page < known else -1
            to_ts[kept] = ts[i]
            to_user[kept] = user[i]
            to_type[kept] = type
            kept += (user[i] >= 0) & (sales[i] < 0) & (type >= 0)
        out.n = kept
        return -1


cdef struct Cart:
    # An open session; -1 where no page of that type has been seen.
    int64_t last
    int64_t clicks
    int64_t last_dynamic
    int64_t last_order


@cython.final
cdef class CartSessions(PartitionedStateful):
    """PS by user: sessions as in Q2; emits (clicks, last_dynamic, last_order) of each one that closes."""

    cdef int64_t gap
    cdef KeyedPlaces users
    cdef vector[vector[Cart]] carts                 # per partition, at the user's place

    def __init__(self, int64_t gap):
        self.columns = ("clicks", "last_dynamic", "last_order")
        self.gap = gap
        self.users = KeyedPlaces()

    def open(self, int32_t partitions=1):
        self.users.open(partitions)
        self.carts.clear()
        self.carts.resize(partitions)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            keys[i] = rows.column[1][i]

    cdef void emit_cart(self, Cart* cart, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        out.column[0][row] = cart.clicks
        out.column[1][row] = cart.last_dynamic
        out.column[2][row] = cart.last_order

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef vector[Cart]* carts = &self.carts[partition]
        cdef int64_t* ts = rows.column[0]
        cdef int64_t* user = rows.column[1]
        cdef int64_t* type = rows.column[2]
        cdef Cart* cart
        cdef int32_t i, row, place
        for i in range(n):
            row = <int32_t>selected[i]
            place = self.users.find(partition, user[row])
            if <size_t>place == carts.size():
                carts.resize(carts.size() + 1)      # zeroed: no click yet
            cart = &carts[0][place]
            if cart.clicks == 0 or ts[row] - cart.last > self.gap:
                if cart.clicks:
                    self.emit_cart(cart, out, <uint32_t>row)
                cart.clicks = 0
                cart.last_dynamic = -1
                cart.last_order = -1
            cart.last = ts[row]
            cart.clicks += 1
            if type[row] == DYNAMIC:
                cart.last_dynamic = ts[row]
            elif type[row] == ORDER:
                cart.last_order = ts[row]
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef KeyPlace* user
        while out.n < at_most:
            user = self.users.next_in_order()
            if user is NULL:
                break
            self.emit_cart(&self.carts[user.partition][user.place], out, 0)
        return out.n


@cython.final
cdef class AbandonedCarts(Stateless):
    """SL: keep sessions whose last dynamic page came after their last order page; project (clicks)."""

    def __init__(self):
        self.columns = ("clicks",)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(rows.n):
            if rows.column[1][i] > rows.column[2][i]:
                row = emit(out)                     # first, as it may move the column
                out.column[0][row] = rows.column[0][i]
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
        cdef int32_t i, row
        for i in range(rows.n):
            self.pages += rows.column[0][i]
            self.sessions += 1
            row = emit(out)
            out.column[0][row] = self.pages
            out.column[1][row] = self.sessions
        return -1

    def totals(self):
        """Return (pages, sessions)."""
        return self.pages, self.sessions
