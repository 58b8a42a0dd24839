"""Q2's own operators: sessions of a user as lists of items, and the pairs of a session."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort, unique
from streambench.pyx.tuples.columns cimport Columns, emit_from, enough, fail, keys_of, reserve, reserve_heap
from streambench.pyx.state.keyed_rows cimport RowsAhead, look_ahead, next_row, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.queries.common.item_lists cimport ItemList, ItemLists, items_of
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column
from streambench.queries.common.row_loop cimport WIDE_KEYS, RowLoop, key_at, run_loop, time_at, widths

from streambench.queries.common.column_types import KEY, TIME
from streambench.queries.common.item_lists import load_lists, save_lists

cdef extern from *:
    int lowest_bit "__builtin_ctzll"(uint64_t word) noexcept nogil


cdef enum:
    MOST_RANKED = 64
    MOST_PAIRED = 46_340  # items of a session: more have over a thousand million pairs, which no memory counts


cdef int32_t sort_by_rank(const int32_t* items, int32_t n, int64_t* to) noexcept nogil:
    """Write the distinct of ``n`` items, 1 to 64, to ``to`` in ascending order; returns how many.

    An item's place is the number of lower ones: equal ones meet there and leave a gap. Counting takes n * n steps, but
    no branch depends on the items. It goes by 8, so ``items`` must be readable up to the next multiple of 8.
    """
    cdef int32_t rank[8]
    cdef uint64_t places = 0
    cdef int32_t begin, k, i, kept = 0
    for begin in range(0, n, 8):
        memset(rank, 0, sizeof(rank))
        for k in range(n):
            for i in range(8):
                rank[i] += items[k] < items[begin + i]
        for i in range(min(8, n - begin)):
            to[rank[i]] = items[begin + i]
            places |= <uint64_t>1 << rank[i]
    if places == (<uint64_t>2 << (n - 1)) - 1:          # no gap
        return n
    while places:
        to[kept] = to[lowest_bit(places)]
        places &= places - 1
        kept += 1
    return kept


cdef int32_t sort_distinct(const int32_t* items, int32_t n, int64_t* to) noexcept nogil:
    """Write the distinct of ``n`` items to ``to``, which has room for all, in ascending order; returns how many."""
    cdef int32_t k
    if n <= MOST_RANKED:
        return sort_by_rank(items, n, to)
    for k in range(n):
        to[k] = items[k]
    sort(to, to + n)
    return <int32_t>(unique(to, to + n) - to)


@cython.final
cdef class Sessions(PartitionedStateful):
    """PS by user: a gap of more than ``gap`` seconds closes a session; the click behind it emits the closed one.

    A session is emitted as the ascending list of its distinct items: (start, length) in the columns' heap. Where the
    stream ``continues`` behind this run, what is open stays open, for `save`.
    """

    cdef public bint continues
    cdef int64_t gap
    cdef ItemLists sessions                 # by user; the mark is the time of the last click

    def __init__(self, int64_t gap):
        self.reads = {"ts": TIME, "wcs_user_sk": KEY, "wcs_item_sk": "=wcs_user_sk"}
        self.columns = ("start", "length")
        self.list_column = 0
        self.partition_free = True
        self.gap = gap
        self.sessions = ItemLists()

    def open(self, int32_t partitions=1):
        self.sessions.open(partitions, self.high_key)

    def save(self):
        """The open sessions by user: ``mark`` is the time of the last click, ``items`` the items
        clicked, ``length`` each."""
        return save_lists(self.sessions)

    def load(self, saved):
        load_lists(self.sessions, saved)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        keys_of(rows, self.at[1], keys)

    cdef void emit_session(self, ItemList* session, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row), n
        reserve_heap(out, session.n)
        n = sort_distinct(items_of(session), session.n, out.heap + out.heap_n)
        int64_column(out, 0)[row] = out.heap_n
        int64_column(out, 1)[row] = n
        out.heap_n += n
        session.n = 0

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>Sessions.add_clicks, self, partition, rows, selected, n, out,
                        widths(rows, self.at[0], self.at[1]))

    cdef inline void add_clicks(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                Columns* out, int32_t wide) noexcept nogil:
        cdef const void* times = rows.column[self.at[0]]
        cdef const void* items = rows.column[self.at[2]]
        cdef RowsAhead ahead
        cdef ItemList* session
        cdef int64_t gap = self.gap, ts
        cdef int32_t i, row
        look_ahead(&ahead, self.sessions.rows, sizeof(ItemList), partition, rows.column[self.at[1]],
                   8 if wide & WIDE_KEYS else 4, selected, n)
        for i in range(n):
            row = row_at(selected, i)
            session = <ItemList*>next_row(&ahead, self.sessions.rows, sizeof(ItemList), i)
            ts = time_at(times, row, wide)
            if ts - session.mark > gap and session.n:
                self.emit_session(session, out, <uint32_t>row)
            session.mark = ts
            self.sessions.append(partition, session, key_at(items, row, wide))

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int64_t user
        cdef ItemList* session
        if self.continues:
            return 0
        while out.n < at_most and out.heap_n < at_most:         # by items: each brings several pairs
            session = <ItemList*>self.sessions.rows.next_in_order(&user)
            if session is NULL:
                break
            if session.n:
                self.emit_session(session, out, 0)
        return out.n


cdef inline int64_t pairs_of(int64_t length) noexcept nogil:
    return length * (length - 1) // 2


cdef inline void write_pairs(const int64_t* items, int64_t length, int64_t firsts, int32_t* a,
                             int32_t* b) noexcept nogil:
    """Write the pairs of each of a list's first ``firsts`` items with those behind it, in lexicographic order.

    Four at a time, however many are left of an item's: the next pairs overwrite what is too much. So there must be room
    for 3 more in ``a`` and ``b``, and ``items`` must be readable 3 beyond the list.
    """
    cdef int64_t k, m, i
    cdef int32_t one
    for k in range(firsts):
        one = <int32_t>items[k]
        for m in range(0, length - 1 - k, 4):
            for i in range(4):
                a[m + i] = one
            for i in range(4):
                b[m + i] = <int32_t>items[k + 1 + m + i]
        a += length - 1 - k
        b += length - 1 - k


cdef void write_last_pairs(const int64_t* items, int64_t length, int64_t firsts, int32_t* a, int32_t* b) noexcept nogil:
    """The same one at a time, for a list at the end of the memory."""
    cdef int64_t k, m, at = 0
    for k in range(firsts):
        for m in range(k + 1, length):
            a[at] = <int32_t>items[k]
            b[at] = <int32_t>items[m]
            at += 1


cdef inline void emit_pairs(Columns* rows, int64_t start, int64_t length, int64_t firsts, Columns* out) noexcept nogil:
    """As ``write_pairs``, of a list in the heap; ``out`` has room for 3 more."""
    cdef int32_t* a = int32_column(out, 0) + out.n
    cdef int32_t* b = int32_column(out, 1) + out.n
    if start + length + 3 <= rows.heap_rows:
        write_pairs(rows.heap + start, length, firsts, a, b)
    else:
        write_last_pairs(rows.heap + start, length, firsts, a, b)
    out.n += <int32_t>(pairs_of(length) - pairs_of(length - firsts))


@cython.final
cdef class SessionPairs(Stateless):
    """SL: every pair (a, b), a < b, of a session, in lexicographic order; the operator with the high selectivity.

    ``item``: only sessions that hold it, and only its pairs, as (partner, item); None for all.

    It may stop within a session, which is then left without the items whose pairs have all been emitted: what
    is to come are the pairs of the others. So what has been done is kept where the session is, in the unit,
    whoever makes its next piece.
    """

    cdef int64_t item
    cdef bint one_item

    def __init__(self, item=None):
        self.reads = {"start": "int64", "length": "int64"}
        self.columns = ("item_a", "item_b")
        self.types = ("int32", "int32")     # items are below 2**31, as the loader sees to
        self.one_item = item is not None
        self.item = item if item is not None else -1

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int64_t* start = int64_column(rows, self.at[0])        # of lists, so the unit's own: a source has none
        cdef int64_t* length = int64_column(rows, self.at[1])
        cdef int64_t pairs = 0, firsts = 0
        cdef int32_t i, n = 0
        if self.one_item:
            return self.emit_all_partners(rows, out)
        while n < rows.n and length[n] <= MOST_PAIRED and pairs + pairs_of(length[n]) <= out.most:
            pairs += pairs_of(length[n])            # whole sessions, as many as make a piece
            n += 1
        if n < rows.n and length[n] <= MOST_PAIRED:
            while pairs < out.most:                 # and of the next one what fills it
                firsts += 1
                pairs += length[n] - firsts
        reserve(out, pairs + 3)
        for i in range(n):
            emit_pairs(rows, start[i], length[i], length[i] - 1, out)
        out.taken = n
        if firsts > 0:
            emit_pairs(rows, start[n], length[n], firsts, out)
            start[n] += firsts
            length[n] -= firsts
            out.taken += length[n] < 2              # nothing is left of it
        elif n < rows.n and length[n] > MOST_PAIRED:
            return fail(out, n, "a session of more than 46,340 items has too many pairs: "
                                "leave such a user out, or part the session")
        return -1

    cdef int32_t emit_all_partners(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* start = int64_column(rows, self.at[0])
        cdef const int64_t* length = int64_column(rows, self.at[1])
        cdef int32_t i
        for i in range(rows.n):
            reserve(out, length[i])
            self.emit_partners(rows.heap + start[i], length[i], out)
            if enough(out, i + 1):
                break
        return -1

    cdef void emit_partners(self, const int64_t* items, int64_t length, Columns* out) noexcept nogil:
        cdef int32_t* a = int32_column(out, 0)
        cdef int32_t* b = int32_column(out, 1)
        cdef int64_t k
        cdef bint held = False
        for k in range(length):
            held |= items[k] == self.item
        if not held:
            return
        for k in range(length):
            a[out.n] = <int32_t>items[k]
            b[out.n] = <int32_t>self.item
            out.n += items[k] != self.item
