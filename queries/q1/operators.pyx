"""Q1's own operators: the lines of interest, and the pairs of a ticket."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint8_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, reserve
from streambench.pyx.flat_map cimport unordered_flat_map
from streambench.pyx.operator cimport PartitionedStateful, Stateless

import numpy as np


@cython.final
cdef class KeepLines(Stateless):
    """SL: keep the lines of the chosen stores and of items of the chosen categories; project (ts, ticket, item).

    ``stores``: a list of keys or None for all. ``wanted_items``: an array of 0 and 1 by item key, or None for all.
    Input (ts, ticket, item[, store]).
    """

    cdef object stores
    cdef object items
    cdef const uint8_t[::1] wanted_store
    cdef const uint8_t[::1] wanted_item
    cdef bint check_store
    cdef bint check_item

    def __init__(self, stores=None, wanted_items=None):
        self.columns = ("ts", "ticket", "item")
        self.check_store = stores is not None
        self.check_item = wanted_items is not None
        self.in_place = not (self.check_store or self.check_item)       # all lines pass: nothing to do
        store_flags = np.zeros(max(stores, default=0) + 1 if stores else 1, dtype=np.uint8)
        if stores:
            store_flags[stores] = 1
        self.wanted_store = store_flags
        self.wanted_item = np.ascontiguousarray(wanted_items if self.check_item else [0], dtype=np.uint8)

    cdef bint wanted(self, int64_t item, int64_t store) noexcept nogil:
        if self.check_store and not (0 <= store < self.wanted_store.shape[0] and self.wanted_store[store]):
            return False
        return not self.check_item or (item < self.wanted_item.shape[0] and self.wanted_item[item] != 0)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        if self.in_place:
            return -1
        reserve(out, rows.n)
        for i in range(rows.n):
            if self.wanted(rows.column[2][i], rows.column[3][i] if self.check_store else -1):
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = rows.column[1][i]
                out.column[2][row] = rows.column[2][i]
        return -1


@cython.final
cdef class TicketPairs(PartitionedStateful):
    """PS by ticket: a line that brings the ticket a new item emits (hour, a, b), a < b, with each earlier item.

    ``ascending``: ticket numbers never decrease along the stream (the loader has checked). Then a partition that sees a
    higher ticket can get no further line of a lower one, and its state may go: each partition holds one ticket. Otherwise
    a ticket may come back at any time and all are kept. ``hourly`` off: the hour is 0 throughout.
    """

    cdef bint ascending
    cdef bint hourly
    cdef vector[unordered_flat_map[int64_t, int64_t]] place     # per partition: ticket -> place in `items`
    cdef vector[vector[vector[int64_t]]] items                  # per partition and ticket: distinct, as they appeared
    cdef vector[int64_t] last                                   # per partition: the ticket of the last line

    def __init__(self, bint ascending, bint hourly=True):
        self.columns = ("hour", "a", "b")
        self.ascending = ascending
        self.hourly = hourly

    def open(self, int32_t partitions=1):
        self.place.clear()
        self.place.resize(partitions)
        self.items.clear()
        self.items.resize(partitions)
        self.last.assign(partitions, -1)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            keys[i] = rows.column[1][i]

    cdef vector[int64_t]* ticket_items(self, int32_t partition, int64_t ticket) noexcept nogil:
        cdef vector[vector[int64_t]]* tickets = &self.items[partition]
        cdef int64_t* place
        if self.ascending:
            if tickets.empty():
                tickets.resize(1)
            tickets[0][0].clear()
            return &tickets[0][0]
        place = &self.place[partition][ticket]          # 0 where it is new: places are counted from 1
        if place[0] == 0:
            tickets.resize(tickets.size() + 1)
            place[0] = <int64_t>tickets.size()
        return &tickets[0][place[0] - 1]

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef vector[int64_t]* items = NULL
        cdef int64_t ticket, item, hour, other, last = -1
        cdef int32_t i, row, at
        cdef size_t k, known
        cdef bint seen
        if self.ascending and not self.items[partition].empty():
            items = &self.items[partition][0]
            last = self.last[partition]
        for i in range(n):
            row = <int32_t>selected[i]
            ticket = rows.column[1][row]
            if ticket != last:
                items = self.ticket_items(partition, ticket)
                last = ticket
            item = rows.column[2][row]
            known = items.size()
            seen = False
            for k in range(known):
                seen |= items[0][k] == item
            if seen:
                continue
            hour = rows.column[0][row] // 3600 if self.hourly else 0
            reserve(out, <int64_t>known)
            at = out.n
            for k in range(known):
                other = items[0][k]
                out.column[0][at] = hour
                out.column[1][at] = min(item, other)
                out.column[2][at] = max(item, other)
                out.source_row[at] = <uint32_t>row
                at += 1
            out.n = at
            items.push_back(item)
        self.last[partition] = last
        return -1
