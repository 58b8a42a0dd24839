"""The pairs with the highest counts, of each window or of the whole stream: the last step of Q1 and Q2."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit
from streambench.pyx.operator cimport Stateful
from streambench.queries.pair_counts cimport pack

cdef struct Ranked:
    uint64_t pair
    int64_t n


cdef bint before(const Ranked& x, const Ranked& y) noexcept nogil:
    """By (n descending, a, b)."""
    if x.n != y.n:
        return x.n > y.n
    return x.pair < y.pair


cdef class TopPairs(Stateful):
    """Keeps the ``top`` pairs by (n descending, a, b) of tuples ``([window,] a, b, n)`` whose n counts up.

    Emits them in that order, those with n > ``min_count``: for a window when a tuple of another one arrives, and at end of
    stream. Exact, because counts only rise: who drops out comes in again with its next tuple if it belongs there.
    """

    cdef int32_t top
    cdef int64_t min_count
    cdef bint windowed
    cdef int64_t window
    cdef vector[Ranked] best            # in no order
    cdef size_t worst                   # place of the last in order, once `best` is full
    cdef bint flushed

    def __init__(self, columns, int32_t top, int64_t min_count=0, bint windowed=False):
        if top < 1:
            raise ValueError(f"top must be at least 1, not {top}")
        self.columns = tuple(columns)
        self.top = top
        self.min_count = min_count
        self.windowed = windowed

    def open(self, int32_t partitions=1):
        self.best.clear()
        self.best.reserve(self.top)
        self.window = -1
        self.flushed = False

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, first = 1 if self.windowed else 0
        cdef int64_t* window = rows.column[0]
        cdef int64_t* a = rows.column[first]
        cdef int64_t* b = rows.column[first + 1]
        cdef int64_t* n = rows.column[first + 2]
        cdef int64_t lowest = self.lowest()
        for i in range(rows.n):
            if self.windowed and window[i] != self.window:
                self.emit_window(out)
                self.window = window[i]
                lowest = self.lowest()
            if n[i] >= lowest:
                self.offer(pack(a[i], b[i]), n[i])
                lowest = self.lowest()
        return -1

    cdef int64_t lowest(self) noexcept nogil:
        """No pair with fewer can be among the best."""
        return self.best[self.worst].n if <int32_t>self.best.size() == self.top else 0

    cdef void offer(self, uint64_t pair, int64_t n) noexcept nogil:
        cdef Ranked one
        cdef size_t k, size = self.best.size()
        cdef bint full = <int32_t>size == self.top
        one.pair = pair
        one.n = n
        # Not better than the last: then it is not in the list either, where it would stand with n - 1.
        if full and not before(one, self.best[self.worst]):
            return
        for k in range(size):
            if self.best[k].pair == pair:
                self.best[k].n = n
                if full and k == self.worst:
                    self.find_worst()
                return
        if full:
            self.best[self.worst] = one
            self.find_worst()
        else:
            self.best.push_back(one)
            if <int32_t>self.best.size() == self.top:
                self.find_worst()

    cdef void find_worst(self) noexcept nogil:
        cdef size_t k
        self.worst = 0
        for k in range(1, self.best.size()):
            if before(self.best[self.worst], self.best[k]):
                self.worst = k

    cdef int32_t emit_window(self, Columns* out) noexcept nogil:
        cdef size_t k
        cdef int32_t row, first = 1 if self.windowed else 0, emitted = 0
        sort(self.best.begin(), self.best.end(), &before)
        for k in range(self.best.size()):
            if self.best[k].n <= self.min_count:
                break
            row = emit(out)
            if self.windowed:
                out.column[0][row] = self.window
            out.column[first][row] = <int64_t>(self.best[k].pair >> 32)
            out.column[first + 1][row] = <int64_t>(self.best[k].pair & <uint64_t>0xFFFFFFFF)
            out.column[first + 2][row] = self.best[k].n
            emitted += 1
        self.best.clear()
        return emitted

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.flushed:
            return 0
        self.flushed = True
        return self.emit_window(out)
