"""Q2's own operators: known clicks, sessions of a user as lists of items, and the pairs of a session."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.algorithm cimport sort, unique
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, reserve, reserve_heap
from streambench.pyx.operator cimport PartitionedStateful, Stateless
from streambench.queries.keyed_places cimport KeyedPlaces, KeyPlace


@cython.final
cdef class KnownClicks(Stateless):
    """SL: drop clicks with no user or no item (-1). Input and output (ts, user, item)."""

    def __init__(self):
        self.columns = ("ts", "user", "item")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, kept = 0
        cdef int64_t* ts = rows.column[0]
        cdef int64_t* user = rows.column[1]
        cdef int64_t* item = rows.column[2]
        cdef int64_t* to_ts
        cdef int64_t* to_user
        cdef int64_t* to_item
        reserve(out, rows.n)
        to_ts = out.column[0]
        to_user = out.column[1]
        to_item = out.column[2]
        for i in range(rows.n):             # written always, counted if wanted: half are anonymous, no branch guesses that
            to_ts[kept] = ts[i]
            to_user[kept] = user[i]
            to_item[kept] = item[i]
            kept += (user[i] >= 0) & (item[i] >= 0)
        out.n = kept
        return -1


cdef cppclass Session:
    int64_t last                            # time of the last click
    vector[int64_t] items                   # as clicked


@cython.final
cdef class Sessions(PartitionedStateful):
    """PS by user: a gap of more than ``gap`` seconds closes a session; the click behind it emits the closed one.

    A session is emitted as the ascending list of its distinct items: (start, length) in the columns' heap.
    """

    cdef int64_t gap
    cdef KeyedPlaces users
    cdef vector[vector[Session]] sessions           # per partition, at the user's place

    def __init__(self, int64_t gap):
        self.columns = ("start", "length")
        self.list_column = 0
        self.gap = gap
        self.users = KeyedPlaces()

    def open(self, int32_t partitions=1):
        self.users.open(partitions)
        self.sessions.clear()
        self.sessions.resize(partitions)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            keys[i] = rows.column[1][i]

    cdef void emit_session(self, Session* session, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit(out)
        cdef vector[int64_t]* items = &session.items
        cdef size_t k
        sort(items.begin(), items.end())
        items.erase(unique(items.begin(), items.end()), items.end())
        reserve_heap(out, <int64_t>items.size())
        out.source_row[row] = source_row
        out.column[0][row] = out.heap_n
        out.column[1][row] = <int64_t>items.size()
        for k in range(items.size()):
            out.heap[out.heap_n] = items[0][k]
            out.heap_n += 1
        items.clear()

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef vector[Session]* sessions = &self.sessions[partition]
        cdef int64_t* ts = rows.column[0]
        cdef int64_t* user = rows.column[1]
        cdef int64_t* item = rows.column[2]
        cdef Session* session
        cdef int32_t i, row, place
        for i in range(n):
            row = <int32_t>selected[i]
            place = self.users.find(partition, user[row])
            if <size_t>place == sessions.size():
                sessions.resize(sessions.size() + 1)
                sessions.back().last = ts[row]
            session = &sessions[0][place]
            if ts[row] - session.last > self.gap:
                self.emit_session(session, out, <uint32_t>row)
            session.last = ts[row]
            session.items.push_back(item[row])
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef KeyPlace* user
        while out.n < at_most:
            user = self.users.next_in_order()
            if user is NULL:
                break
            self.emit_session(&self.sessions[user.partition][user.place], out, 0)
        return out.n


@cython.final
cdef class SessionPairs(Stateless):
    """SL: every pair (a, b), a < b, of a session, in lexicographic order; the operator with the high selectivity.

    ``item``: only sessions that hold it, and only its pairs, as (partner, item); None for all.
    """

    cdef int64_t item
    cdef bint one_item

    def __init__(self, item=None):
        self.columns = ("a", "b")
        self.one_item = item is not None
        self.item = item if item is not None else -1

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, at
        cdef int64_t k, m, length
        cdef int64_t* items
        cdef int64_t* a
        cdef int64_t* b
        cdef bint held
        for i in range(rows.n):
            items = rows.heap + rows.column[0][i]
            length = rows.column[1][i]
            if self.one_item:
                held = False
                for k in range(length):
                    held |= items[k] == self.item
                if not held:
                    continue
                reserve(out, length)
                for k in range(length):
                    if items[k] != self.item:
                        at = emit(out)
                        out.column[0][at] = items[k]
                        out.column[1][at] = self.item
                continue
            reserve(out, length * (length - 1) // 2)
            a = out.column[0]
            b = out.column[1]
            at = out.n
            for k in range(length):
                for m in range(k + 1, length):
                    a[at] = items[k]
                    b[at] = items[m]
                    at += 1
            out.n = at
        return -1
