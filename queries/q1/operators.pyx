"""Q1's own operators: the lines of interest, and the pairs of a ticket."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, enough, keys_of, reserve
from streambench.pyx.tuples.keep_rows cimport Kept, begin_blocks, copy_kept, count_kept, keep_listed, next_block
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.state.keyed_rows cimport row_at
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful
from streambench.queries.common.item_lists cimport ItemList, ItemLists, items_of
from streambench.queries.common.pair_counts cimport PairCounts
from streambench.queries.common.top_pairs cimport TopPairs
from streambench.queries.common.row_loop cimport (
    WIDE_KEYS, WIDE_TIME, RowLoop, key_at, put_key, run_loop, time_at, widths,
)

import numpy as np

from streambench.queries.common.column_types import CODE, KEY, TIME
from streambench.queries.common.item_lists import load_lists, save_lists


cdef class KeepLines(Stateless):
    """SL: keep the lines of the chosen stores and of items of the chosen categories; project (ts, ticket, item).

    ``stores``: a list of keys or None for all. ``wanted_items``: an array of 0 and 1 by item key, or None for all.
    """

    def __init__(self, stores=None, wanted_items=None):
        self.check_store = stores is not None
        self.check_item = wanted_items is not None
        self.listed_stores = np.isin(np.arange(max(stores or [], default=-1) + 1), stores or []).astype(np.uint8)
        self.listed_items = np.ascontiguousarray(wanted_items if self.check_item else [], dtype=np.uint8)
        self.reads = {"ts": TIME, "ss_ticket_number": KEY, "ss_item_sk": KEY}
        self.in_place = not (self.check_store or self.check_item)           # all lines pass: nothing to do
        if not self.in_place:
            self.columns = tuple(self.reads)
            self.types = tuple(f"={name}" for name in self.columns)
        if self.check_store:
            self.reads = {**self.reads, "ss_store_sk": CODE}

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Kept kept
        cdef int32_t k
        if self.in_place:
            return -1
        reserve(out, rows.n)
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            if self.check_item:
                keep_listed(&kept, rows, self.at[2], &self.listed_items[0], self.listed_items.shape[0])
            if self.check_store:
                keep_listed(&kept, rows, self.at[3], &self.listed_stores[0], self.listed_stores.shape[0])
            for k in range(3):
                copy_kept(&kept, rows, self.at[k], out, k)
            out.n += count_kept(&kept)
        return -1


ctypedef fused item_t:
    int64_t
    int32_t


cdef inline void fill(item_t* to, item_t value, int32_t n) noexcept nogil:
    cdef int32_t k
    for k in range(n):
        to[k] = value


cdef inline void write_pairs(const int32_t* items, int32_t n, int32_t item, item_t* a, item_t* b) noexcept nogil:
    """Write the pairs of an item with each of ``items``, the lesser one first."""
    cdef int32_t k
    for k in range(n):
        a[k] = min(item, items[k])
        b[k] = max(item, items[k])


cdef class TicketPairs(PartitionedStateful):
    """PS by ticket: a line that brings the ticket a new item emits (hour, a, b), a < b, with each earlier item.

    ``ascending``: ticket numbers never decrease along the stream (the loader has checked). Then a partition that sees a
    higher ticket can get no further line of a lower one, and its state may go: each partition holds one ticket.
    Otherwise a ticket may come back at any time and all are kept. ``hourly`` off: the hour is 0 throughout. ``dealt``:
    DealtPairs, where pairs may be made by partition of what they are; it knows this class, and not the other way round.
    """

    def __init__(self, bint ascending, bint hourly=True, dealt=None):
        self.reads = {"ts": TIME, "ss_ticket_number": KEY, "ss_item_sk": "=ss_ticket_number"}
        self.columns = ("hour", "item_a", "item_b")
        self.types = ("int64", "=ss_item_sk", "=ss_item_sk")
        self.partition_free = True
        self.ascending = ascending
        self.hourly = hourly
        self.dealt = dealt
        self.tickets = ItemLists()

    def bind(self, inputs):
        """As of any operator; hours take 32 bits where times do."""
        self.types = ("int32" if dict(inputs).get("ts") == np.uint32 else "int64", *self.types[1:])
        return PartitionedStateful.bind(self, inputs)

    def open(self, int32_t partitions=1):
        self.tickets.open(partitions, partitions if self.ascending else self.high_key)

    def save(self):
        """The items by ticket; of ascending ones by partition, with the ticket in the mark."""
        return save_lists(self.tickets)

    def load(self, saved):
        cdef int64_t place, mark, k
        cdef ItemList* items
        if not self.ascending:
            load_lists(self.tickets, saved)
            return
        ends = np.cumsum(saved["length"])
        for place in np.argsort(saved["mark"]):         # a partition keeps the highest that it gets
            mark = saved["mark"][place]
            items = self.ticket_items(ANY_PARTITION, mark - 1)
            for k in range(ends[place] - saved["length"][place], ends[place]):
                self.tickets.append(ANY_PARTITION, items, saved["items"][k])

    def dealt_with(self, tuple behind, bint prepared):
        """With the operators that count pairs, by the first member, and keep the top ones, where a partition
        need not know all tickets."""
        if not (self.dealt is not None and self.ascending and len(behind) >= 2 and isinstance(behind[0], PairCounts)
                and isinstance(behind[1], TopPairs)
                and behind[0].counts_windows_by_first and behind[1].windowed):
            return None if prepared else 0
        return self.dealt((self, *behind[:2]), self.partitions) if prepared else 3

    cdef ItemList* latest_items(self) noexcept nogil:
        """Ascending: the items of the highest ticket so far, whose number is the mark less 1;
        NULL before there is one."""
        cdef ItemList* latest = NULL
        cdef ItemList* items
        cdef int32_t p
        for p in range(self.partitions):
            items = self.row_of(p, p)
            if items.mark > (0 if latest is NULL else latest.mark):
                latest = items
        return latest

    cdef inline ItemList* row_of(self, int32_t partition, int64_t key) noexcept nogil:
        cdef ItemList* items = <ItemList*>self.tickets.rows.near + key
        if <uint64_t>key >= self.tickets.rows.near_keys:
            items = <ItemList*>self.tickets.rows.far(partition, key)
        return items

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        keys_of(rows, self.at[1], keys)

    cdef ItemList* ticket_items(self, int32_t partition, int64_t ticket) noexcept nogil:
        cdef int64_t key = ticket
        cdef ItemList* items
        if self.ascending:
            key = partition if partition != ANY_PARTITION else partition_by_hash(ticket, self.partitions)
        items = self.row_of(partition, key)
        if items.mark != ticket + 1:        # a new one: a mark is never 0, which it is at first
            items.mark = ticket + 1
            items.n = 0
        return items

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>TicketPairs.pair_lines, self, partition, rows, selected, n, out,
                        widths(rows, self.at[0], self.at[1]))

    cdef inline void pair_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out, int32_t wide) noexcept nogil:
        cdef const void* times = rows.column[self.at[0]]
        cdef const void* tickets = rows.column[self.at[1]]
        cdef const void* items = rows.column[self.at[2]]
        cdef ItemList* known
        cdef int64_t ticket, ts, hour = 0, hour_begins = 0
        cdef int32_t begin, end = 0, row, first
        cdef bint plain
        while end < n:
            begin = end
            first = row = row_at(selected, begin)
            ticket = key_at(tickets, first, wide)
            # In replay order, by (ts, ticket, item), a ticket's lines stand together and ascend by item, unless it has
            # an item twice. Then each line brings a new item, and those before it can be read from the column.
            plain = True
            end += 1
            while end < n and key_at(tickets, row_at(selected, end), wide) == ticket:
                row += 1
                plain &= ((row_at(selected, end) == row) & (time_at(times, row, wide) == time_at(times, first, wide))
                          & (key_at(items, row, wide) > key_at(items, row - 1, wide)))
                end += 1
            known = NULL
            if not self.ascending or begin == 0 or end == n:        # other calls may have lines of the ticket, too
                known = self.ticket_items(partition, ticket)
            if (plain and row + 3 <= rows.n and (known is NULL or known.n == 0)
                    and out.n + <int64_t>(end - begin) * (end - begin - 1) // 2 <= out.most):
                ts = time_at(times, first, wide)
                # most tickets are of the hour of the one before
                if self.hourly and <uint64_t>(ts - hour_begins) >= 3600:
                    hour = ts // 3600
                    hour_begins = hour * 3600
                self.write_run(items, first, end - begin, hour, out, selected is not NULL, wide)
                if known is not NULL:
                    for row in range(first, first + end - begin):
                        self.tickets.append(partition, known, key_at(items, row, wide))
            else:
                end = self.add_lines(partition, rows, selected, begin, end, out, wide)
            if enough(out, end):
                return

    cdef inline void write_run(self, const void* items, int32_t first, int32_t n, int64_t hour, Columns* out,
                               bint sourced, int32_t wide) noexcept nogil:
        """Emit the pairs of ``n`` lines with ascending items: of each one with all before it.

        Four at a time, however many are left, so rows must be readable 2 beyond; the next
        pairs overwrite what is too much.
        """
        cdef int64_t pairs = <int64_t>n * (n - 1) // 2, at = out.n, j, k, i, one
        cdef void* hours
        cdef void* a
        cdef void* b
        reserve(out, pairs + 4)
        hours, a, b = out.column[0], out.column[1], out.column[2]
        out.n += <int32_t>pairs
        for k in range(0, pairs, 4):
            for i in range(4):
                if wide & WIDE_TIME:
                    (<int64_t*>hours)[at + k + i] = hour
                else:
                    (<int32_t*>hours)[at + k + i] = <int32_t>hour
        for j in range(1, n):
            one = key_at(items, first + j, wide)
            for k in range(0, j, 4):
                if wide & WIDE_KEYS:
                    memcpy(<int64_t*>a + at + k, <const int64_t*>items + first + k, 4 * sizeof(int64_t))
                else:
                    memcpy(<int32_t*>a + at + k, <const int32_t*>items + first + k, 4 * sizeof(int32_t))
                for i in range(4):
                    put_key(b, at + k + i, one, wide)
                if sourced:
                    for i in range(4):
                        out.source_row[at + k + i] = <uint32_t>(first + j)
            at += j

    cdef inline int32_t add_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t begin,
                                  int32_t end, Columns* out, int32_t wide) noexcept nogil:
        """Emit the pairs of lines of one ticket, whatever their order and what the ticket already holds.

        Returns where it has stopped: at ``end``, or where there are enough pairs.
        """
        cdef const void* times = rows.column[self.at[0]]
        cdef const void* items = rows.column[self.at[2]]
        cdef int32_t row = row_at(selected, begin), i
        cdef ItemList* known = self.ticket_items(partition, key_at(rows.column[self.at[1]], row, wide))
        for i in range(begin, end):
            row = row_at(selected, i)
            self.add_line(partition, known, <int32_t>key_at(items, row, wide),
                          time_at(times, row, wide) // 3600 if self.hourly else 0, out, <uint32_t>row, wide)
            if out.n >= out.most:
                return i + 1
        return end

    cdef inline void add_line(self, int32_t partition, ItemList* items, int32_t item, int64_t hour, Columns* out,
                              uint32_t source_row, int32_t wide) noexcept nogil:
        cdef const int32_t* known = items_of(items)
        cdef int64_t at = out.n
        cdef int32_t k
        cdef bint held = False
        for k in range(items.n):            # all of them: in this form compilers make vectors of it
            held |= known[k] == item
        if held:
            return
        reserve(out, items.n)
        if wide & WIDE_TIME:
            fill(<int64_t*>out.column[0] + at, hour, items.n)
        else:
            fill(<int32_t*>out.column[0] + at, <int32_t>hour, items.n)
        if wide & WIDE_KEYS:
            write_pairs(known, items.n, item, <int64_t*>out.column[1] + at, <int64_t*>out.column[2] + at)
        else:
            write_pairs(known, items.n, item, <int32_t*>out.column[1] + at, <int32_t*>out.column[2] + at)
        fill(<int32_t*>out.source_row + at, <int32_t>source_row, items.n)
        out.n += items.n
        self.tickets.append(partition, items, item)
