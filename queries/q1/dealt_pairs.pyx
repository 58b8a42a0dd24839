"""Q1's pairs, made where they are counted: each partition makes those whose lesser member belongs to it.

A ticket's lines are a fiftieth of its pairs, so every partition reads all lines, and keeps the items of the ticket at
hand: all, and apart from them its own. A line's item is paired with the partition's own ones that are less; where it
belongs to the partition itself, also with all that are greater. No pair is made twice, or looked at in vain. Pairs are
counted in blocks that stay in the first-level cache, and what could be among the window's top ones is kept by
partition, too. Only the top of each partition is emitted.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport append
from streambench.pyx.partition.dealt cimport Dealt, is_stopped
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.state.count_table cimport count_keys
from streambench.pyx.tuples.columns cimport Columns, emit, integer_at, put_integer
from streambench.pyx.tuples.unit cimport Group
from streambench.queries.common.item_lists cimport ItemList, items_of
from streambench.queries.common.pair_counts cimport PairCounts, pack
from streambench.queries.common.row_loop cimport key_at, time_at, widths
from streambench.queries.common.top_pairs cimport Ranked, TopPairs, before
from streambench.queries.q1.operators cimport TicketPairs

cdef enum:
    BLOCK = 512                             # pairs that are counted at a time
    LOOK_EVERY = 16                         # rows: whether the run is stopped. A row may bring as many
                                            # pairs as its ticket has items

cdef cppclass Share:
    # What one partition's worker knows of the ticket at hand, and pairs that it has made and not counted.
    int64_t ticket                          # -1: there has been none
    int32_t highest                         # of its items
    vector[int32_t] items                   # all that differ, as they appeared
    vector[int32_t] own                     # those of them that are of this partition
    int64_t hour_begins
    int64_t hour
    int64_t made                            # pairs, of the present unit
    int32_t n
    uint64_t keys[BLOCK]
    int64_t counts[BLOCK]
    char apart[128]                         # two partitions' workers share no cache line


@cython.final
cdef class DealtPairs(Dealt):
    """Of TicketPairs with ascending tickets, PairCounts by first member and window, and TopPairs."""

    cdef TicketPairs pairs
    cdef PairCounts counted
    cdef TopPairs top
    cdef list parts                         # of `top`, by partition
    cdef vector[void*] part_at              # the same, borrowed
    cdef vector[Share] shares               # by partition

    def __init__(self, tuple operators, int32_t partitions):
        Dealt.__init__(self, operators, partitions)
        self.pairs, self.counted, self.top = operators
        self.parts = self.top.in_parts(partitions)
        for part in self.parts:
            self.part_at.push_back(<void*>part)
        self.shares.resize(partitions)

    cdef void share(self, bint dealt) noexcept nogil:
        """Tickets at hand and top pairs change hands; counts are by partition in either case."""
        cdef int32_t p
        cdef size_t k
        cdef Share* first = &self.shares[0]
        cdef ItemList* items
        if dealt:
            self.top.divide()
            for p in range(self.partitions):
                self.begin_share(p)
            return
        self.top.unite()
        if first.ticket < 0:
            return
        # All have seen all lines, and so have the same items.
        p = partition_by_hash(first.ticket, self.partitions)
        items = self.pairs.ticket_items(p, first.ticket)
        items.n = 0
        for k in range(first.items.size()):
            self.pairs.tickets.append(p, items, first.items[k])

    cdef void begin_share(self, int32_t partition) noexcept nogil:
        cdef Share* share = &self.shares[partition]
        cdef ItemList* items = self.pairs.latest_items()
        cdef const int32_t* known
        cdef int32_t k
        share.ticket = -1
        share.highest = -1
        share.items.clear()
        share.own.clear()
        share.hour = share.hour_begins = 0
        share.made = 0
        share.n = 0
        if self.top.window >= 0:
            self.counted.begin_window(partition, self.top.window)    # it may not have been told
        if items is NULL:
            return
        share.ticket = items.mark - 1
        known = items_of(items)
        for k in range(items.n):
            append(share.items, known[k])
            share.highest = max(share.highest, known[k])
            if partition_by_hash(known[k], self.partitions) == partition:
                append(share.own, known[k])

    cdef void process(self, int32_t partition, Columns* rows, Columns* out, int64_t* counts) noexcept nogil:
        cdef Share* share = &self.shares[partition]
        cdef const void* times = rows.column[self.pairs.at[0]]
        cdef const void* tickets = rows.column[self.pairs.at[1]]
        cdef const void* items = rows.column[self.pairs.at[2]]
        cdef int32_t wide = widths(rows, self.pairs.at[0], self.pairs.at[1]), row
        cdef int64_t ticket
        share.made = 0
        for row in range(rows.n):
            if row % LOOK_EVERY == 0 and is_stopped(self):
                break
            ticket = key_at(tickets, row, wide)
            if ticket != share.ticket:
                share.ticket = ticket
                share.highest = -1
                share.items.clear()
                share.own.clear()
            self.take_line(partition, share, time_at(times, row, wide), <int32_t>key_at(items, row, wide),
                           <uint32_t>row, out)
        self.count(partition, share)
        counts[1] = counts[2] = share.made

    cdef void take_line(self, int32_t partition, Share* share, int64_t ts, int32_t item, uint32_t row,
                        Columns* out) noexcept nogil:
        cdef size_t k
        cdef bint held = False, ascends = item > share.highest
        if not ascends:
            for k in range(share.items.size()):
                held |= share.items[k] == item
            if held:
                return
        if not share.items.empty():         # pairs come of it, here or in another partition
            if self.pairs.hourly and <uint64_t>(ts - share.hour_begins) >= 3600:
                share.hour = ts // 3600
                share.hour_begins = share.hour * 3600
            if share.hour != (<TopPairs>self.part_at[partition]).window:
                self.begin_window(partition, share, row, out)
            if ascends:
                self.pair_with(partition, share, share.own.data(), <int32_t>share.own.size(), item)
            else:
                self.pair_any(partition, share, item)
        append(share.items, item)
        share.highest = max(share.highest, item)
        if partition_by_hash(item, self.partitions) == partition:
            append(share.own, item)

    cdef void begin_window(self, int32_t partition, Share* share, uint32_t row, Columns* out) noexcept nogil:
        """The first pair of a later hour comes, in whatever partition: emit the top of the hour before."""
        cdef int32_t k, n = out.n
        self.count(partition, share)
        (<TopPairs>self.part_at[partition]).emit_window(out)
        for k in range(n, out.n):
            out.source_row[k] = row
        (<TopPairs>self.part_at[partition]).window = share.hour
        self.counted.begin_window(partition, share.hour)

    cdef void pair_with(self, int32_t partition, Share* share, const int32_t* items, int32_t n,
                        int32_t item) noexcept nogil:
        """Make the pairs of each of ``items``, which are less, with the item."""
        cdef int32_t k, more
        cdef uint64_t* keys
        while n > 0:
            more = min(n, BLOCK - share.n)
            keys = share.keys + share.n
            for k in range(more):
                keys[k] = pack(items[k], item)
            share.n += more
            items += more
            n -= more
            if share.n == BLOCK:
                self.count(partition, share)

    cdef void pair_any(self, int32_t partition, Share* share, int32_t item) noexcept nogil:
        """The same where the item is not the ticket's highest one."""
        cdef size_t k
        for k in range(share.own.size()):
            if share.own[k] < item:
                self.put(partition, share, pack(share.own[k], item))
        if partition_by_hash(item, self.partitions) != partition:
            return
        for k in range(share.items.size()):
            if share.items[k] > item:
                self.put(partition, share, pack(item, share.items[k]))

    cdef void put(self, int32_t partition, Share* share, uint64_t key) noexcept nogil:
        share.keys[share.n] = key
        share.n += 1
        if share.n == BLOCK:
            self.count(partition, share)

    cdef void count(self, int32_t partition, Share* share) noexcept nogil:
        """Count the pairs that have been made, and rank them by what they come to."""
        count_keys(&self.counted.tables[partition], share.keys, share.n, share.counts)
        (<TopPairs>self.part_at[partition]).take_packed(share.keys, share.counts, share.n)
        share.made += share.n
        share.n = 0

    cdef void merge(self, Group* groups, int32_t n, Columns* out) noexcept nogil:
        """Hour by hour, the top of the partitions' tops; of an hour, all have emitted theirs at the same row."""
        cdef vector[int32_t] at             # by group: its next row
        cdef vector[Ranked] ranked
        cdef int32_t p
        cdef int64_t hour = 0
        for p in range(n):
            append(at, <int32_t>0)
        while hour >= 0:
            hour = -1
            for p in range(n):
                if at[p] < groups[p].out.n and (hour < 0 or integer_at(&groups[p].out, 0, at[p]) < hour):
                    hour = integer_at(&groups[p].out, 0, at[p])
            ranked.clear()
            for p in range(n):
                while at[p] < groups[p].out.n and integer_at(&groups[p].out, 0, at[p]) == hour:
                    append(ranked, ranked_at(&groups[p].out, at[p]))
                    at[p] += 1
            sort(ranked.begin(), ranked.end(), &before)
            self.emit_top(hour, ranked, out)

    cdef void emit_top(self, int64_t hour, const vector[Ranked]& ranked, Columns* out) noexcept nogil:
        cdef int32_t row
        cdef size_t k
        for k in range(min(ranked.size(), <size_t>self.top.top)):
            row = emit(out)
            put_integer(out, 0, row, hour)
            put_integer(out, 1, row, <int64_t>(ranked[k].pair >> 32))
            put_integer(out, 2, row, <int64_t>(ranked[k].pair & <uint64_t>0xFFFFFFFF))
            out.column[3][row] = ranked[k].n


cdef inline Ranked ranked_at(Columns* rows, int32_t row) noexcept nogil:
    cdef Ranked one
    one.pair = pack(integer_at(rows, 1, row), integer_at(rows, 2, row))
    one.n = rows.column[3][row]
    return one
