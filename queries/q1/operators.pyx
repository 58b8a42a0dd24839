"""Q1's own operators: the lines of interest, and the pairs of a ticket."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.tuples.keep_rows cimport NOT_NULL, keep_rows
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.state.keyed_rows cimport row_at
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful, Stateless
from streambench.queries.common.item_lists cimport ItemList, ItemLists, items_of
from streambench.queries.common.row_loop cimport RowLoop, run_loop

import numpy as np


@cython.final
cdef class KeepLines(Stateless):
    """SL: keep the lines of the chosen stores and of items of the chosen categories; project (ts, ticket, item).

    ``stores``: a list of keys or None for all. ``wanted_items``: an array of 0 and 1 by item key, or None for all.
    Input (ts, ticket, item[, store]).
    """

    cdef const int64_t[::1] store_verdict   # by key, -1 for those to drop; the last one is for all keys beyond
    cdef const int64_t[::1] item_verdict
    cdef bint check_store

    def __init__(self, stores=None, wanted_items=None):
        self.columns = ("ts", "ticket", "item")
        self.check_store = stores is not None
        self.in_place = stores is None and wanted_items is None             # all lines pass: nothing to do
        self.store_verdict = verdicts(np.isin(np.arange(max(stores, default=-1) + 1), stores) if stores else [])
        self.item_verdict = verdicts(wanted_items) if wanted_items is not None else np.zeros(1, dtype=np.int64)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef uint64_t items = self.item_verdict.shape[0] - 1, stores = self.store_verdict.shape[0] - 1
        cdef int64_t* verdict
        cdef int32_t i
        if self.in_place:
            return -1
        reserve(out, rows.n)
        verdict = out.column[0]
        for i in range(rows.n):
            verdict[i] = self.item_verdict[min(<uint64_t>rows.column[2][i], items)]
        if self.check_store:
            for i in range(rows.n):
                verdict[i] |= self.store_verdict[min(<uint64_t>rows.column[3][i], stores)]      # a null is far beyond, too
        out.n = keep_rows(verdict, verdict, NOT_NULL, rows.n, 3, rows.column, out.column)
        return -1


def verdicts(wanted):
    """By key: 0 where ``wanted`` is not 0, else -1; and -1 for the keys beyond."""
    return np.append(np.where(np.asarray(wanted, dtype=bool), 0, -1), -1).astype(np.int64)


@cython.final
cdef class TicketPairs(PartitionedStateful):
    """PS by ticket: a line that brings the ticket a new item emits (hour, a, b), a < b, with each earlier item.

    ``ascending``: ticket numbers never decrease along the stream (the loader has checked). Then a partition that sees a
    higher ticket can get no further line of a lower one, and its state may go: each partition holds one ticket. Otherwise
    a ticket may come back at any time and all are kept. ``hourly`` off: the hour is 0 throughout.
    """

    cdef bint ascending
    cdef bint hourly
    cdef ItemLists tickets                  # distinct items as they appeared, by ticket or, ascending, by partition

    def __init__(self, bint ascending, bint hourly=True):
        self.columns = ("hour", "a", "b")
        self.partition_free = True
        self.ascending = ascending
        self.hourly = hourly
        self.tickets = ItemLists()

    def open(self, int32_t partitions=1):
        self.tickets.open(partitions, partitions if self.ascending else self.high_key)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        memcpy(keys, rows.column[1], rows.n * sizeof(int64_t))

    cdef ItemList* ticket_items(self, int32_t partition, int64_t ticket) noexcept nogil:
        cdef int64_t key = ticket
        cdef ItemList* items
        if self.ascending:
            key = partition if partition != ANY_PARTITION else partition_by_hash(ticket, self.partitions)
        items = <ItemList*>self.tickets.rows.near + key
        if <uint64_t>key >= self.tickets.rows.near_keys:
            items = <ItemList*>self.tickets.rows.far(partition, key)
        if items.mark != ticket + 1:        # a new one: a mark is never 0, which it is at first
            items.mark = ticket + 1
            items.n = 0
        return items

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>TicketPairs.pair_lines, self, partition, rows, selected, n, out)

    cdef inline void pair_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out) noexcept nogil:
        cdef const int64_t* ts = rows.column[0]
        cdef const int64_t* ticket = rows.column[1]
        cdef const int64_t* item = rows.column[2]
        cdef ItemList* items
        cdef int64_t one
        cdef int32_t begin, end = 0, row, first
        cdef bint plain
        while end < n:
            begin = end
            first = row = row_at(selected, begin)
            one = ticket[first]
            # In replay order, by (ts, ticket, item), a ticket's lines stand together and ascend by item, unless it has an
            # item twice. Then each line brings a new item, and those before it can be read from the column.
            plain = True
            end += 1
            while end < n and ticket[row_at(selected, end)] == one:
                row += 1
                plain &= (row_at(selected, end) == row) & (ts[row] == ts[first]) & (item[row] > item[row - 1])
                end += 1
            items = NULL
            if not self.ascending or begin == 0 or end == n:        # other calls may have lines of the ticket, too
                items = self.ticket_items(partition, one)
            if plain and row + 3 <= rows.n and (items is NULL or items.n == 0):
                self.write_run(rows, first, end - begin, out, selected is not NULL)
                if items is not NULL:
                    for row in range(first, first + end - begin):
                        self.tickets.append(partition, items, item[row])
            else:
                self.add_lines(partition, rows, selected, begin, end, out)

    cdef inline void write_run(self, Columns* rows, int32_t first, int32_t n, Columns* out, bint sourced) noexcept nogil:
        """Emit the pairs of ``n`` lines with ascending items: of each one with all before it.

        Four at a time, however many are left, so rows must be readable 2 beyond; the next pairs overwrite what is too much.
        """
        cdef const int64_t* item = rows.column[2] + first
        cdef int64_t pairs = <int64_t>n * (n - 1) // 2, hour = rows.column[0][first] // 3600 if self.hourly else 0
        cdef int64_t* to_hour
        cdef int64_t* a
        cdef int64_t* b
        cdef uint32_t* source
        cdef int64_t j, k, i, one
        reserve(out, pairs + 4)
        to_hour = out.column[0] + out.n
        a = out.column[1] + out.n
        b = out.column[2] + out.n
        source = out.source_row + out.n
        out.n += <int32_t>pairs
        for k in range(0, pairs, 4):
            for i in range(4):
                to_hour[k + i] = hour
        for j in range(1, n):
            one = item[j]
            for k in range(0, j, 4):
                memcpy(a + k, item + k, 4 * sizeof(int64_t))
                for i in range(4):
                    b[k + i] = one
                if sourced:
                    for i in range(4):
                        source[k + i] = <uint32_t>(first + j)
            a += j
            b += j
            source += j

    cdef void add_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t begin, int32_t end,
                        Columns* out) noexcept nogil:
        """Emit the pairs of lines of one ticket, whatever their order and what the ticket already holds."""
        cdef int32_t row = row_at(selected, begin), i
        cdef ItemList* items = self.ticket_items(partition, rows.column[1][row])
        for i in range(begin, end):
            row = row_at(selected, i)
            self.add_line(partition, items, rows.column[2][row], rows.column[0][row] // 3600 if self.hourly else 0, out,
                          <uint32_t>row)

    cdef void add_line(self, int32_t partition, ItemList* items, int64_t item, int64_t hour, Columns* out,
                       uint32_t source_row) noexcept nogil:
        cdef int32_t* known = items_of(items)
        cdef int32_t k, at
        for k in range(items.n):
            if known[k] == item:
                return
        reserve(out, items.n)
        at = out.n
        for k in range(items.n):
            out.column[0][at + k] = hour
            out.column[1][at + k] = min(item, <int64_t>known[k])
            out.column[2][at + k] = max(item, <int64_t>known[k])
            out.source_row[at + k] = source_row
        out.n += items.n
        self.tickets.append(partition, items, item)
