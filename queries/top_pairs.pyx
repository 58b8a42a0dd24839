"""The pairs with the highest counts, of each window or of the whole stream: the last step of Q1 and Q2."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memmove
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit
from streambench.pyx.operator cimport Stateful
from streambench.queries.pair_counts cimport pack

cdef struct Ranked:
    uint64_t pair
    int64_t n


cdef inline bint before(const Ranked& x, const Ranked& y) noexcept nogil:
    """By (n descending, a, b)."""
    if x.n != y.n:
        return x.n > y.n
    return x.pair < y.pair


@cython.final
cdef class TopPairs(Stateful):
    """Keeps the ``top`` pairs by (n descending, a, b) of tuples ``([window,] a, b, n)`` whose n counts up by one.

    Emits them in that order, those with n > ``min_count``: for a window when a tuple of another one arrives, and at end of
    stream. Exact, because counts only rise: who drops out comes in again with its next tuple if it belongs there.
    """

    cdef int32_t top
    cdef int64_t min_count
    cdef bint windowed
    cdef int64_t window
    cdef vector[Ranked] best            # in order, best first; never more than `top`
    cdef Ranked last                    # only what stands before it can come in; once full, the last of `best`
    cdef bint flushed

    def __init__(self, columns, int32_t top, int64_t min_count=0, bint windowed=False):
        if top < 1:
            raise ValueError(f"top must be at least 1, not {top}")
        self.columns = tuple(columns)
        self.top = top
        self.min_count = min_count
        self.windowed = windowed

    def open(self, int32_t partitions=1):
        self.best.reserve(self.top)
        self.window = -1
        self.flushed = False
        self.start_window()

    cdef void start_window(self) noexcept nogil:
        self.best.clear()
        self.last.n = 0                 # everything has been counted at least once
        self.last.pair = 0

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, first = 1 if self.windowed else 0
        cdef int64_t* window = rows.column[0]
        cdef int64_t* a = rows.column[first]
        cdef int64_t* b = rows.column[first + 1]
        cdef int64_t* n = rows.column[first + 2]
        cdef Ranked one
        for i in range(rows.n):
            if self.windowed and window[i] != self.window:
                self.emit_window(out)
                self.window = window[i]
            if n[i] < self.last.n:
                continue
            one.n = n[i]
            one.pair = pack(a[i], b[i])
            if before(one, self.last):
                self.rank(one)
        return -1

    cdef void rank(self, Ranked one) noexcept nogil:
        """Put a pair into its place. If it is in the list already, it stands there with n - 1."""
        cdef Ranked old
        cdef int32_t place, was, k
        was = <int32_t>self.best.size()
        if one.n > 1:
            old.n = one.n - 1
            old.pair = one.pair
            k = self.place_of(old)
            if k < was and self.best[k].pair == one.pair and self.best[k].n == old.n:
                was = k
        if was == <int32_t>self.best.size():
            if was == self.top:
                was -= 1                # the last one drops out
            else:
                self.best.push_back(one)
        place = self.place_of(one)
        if place > was:
            place = was
        memmove(&self.best[place] + 1, &self.best[place], (was - place) * sizeof(Ranked))
        self.best[place] = one
        if <int32_t>self.best.size() == self.top:
            self.last = self.best.back()

    cdef int32_t place_of(self, const Ranked& one) noexcept nogil:
        """The first place whose pair does not stand before ``one``."""
        cdef int32_t low = 0, high = <int32_t>self.best.size(), middle
        while low < high:
            middle = (low + high) // 2
            if before(self.best[middle], one):
                low = middle + 1
            else:
                high = middle
        return low

    cdef int32_t emit_window(self, Columns* out) noexcept nogil:
        cdef size_t k
        cdef int32_t row, first = 1 if self.windowed else 0, emitted = 0
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
        self.start_window()
        return emitted

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.flushed:
            return 0
        self.flushed = True
        return self.emit_window(out)
