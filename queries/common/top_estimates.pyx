"""The top pairs of running estimates."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns, emit, integer_at, put_integer
from streambench.pyx.tuples.operator cimport Stateful
from streambench.pyx.tuples.typed_columns cimport int64_column
from streambench.queries.common.pair_counts cimport pack

import numpy as np

from streambench.queries.common.column_types import KEY, TIME


cdef struct Estimate:
    uint64_t pair
    int64_t n                           # it has occurred this often at most,
    int64_t lower                       # and this often at least


cdef inline bint before(const Estimate& x, const Estimate& y) noexcept nogil:
    """By (n descending, a, b)."""
    if x.n != y.n:
        return x.n > y.n
    return x.pair < y.pair


cdef inline bint lower_pair(const Estimate& x, const Estimate& y) noexcept nogil:
    """By (a, b), of one pair the highest estimate first."""
    if x.pair != y.pair:
        return x.pair < y.pair
    return x.n > y.n


@cython.final
cdef class TopEstimates(Stateful):
    """Keeps the ``top`` pairs by (n descending, a, b) of tuples ``([window,] a, b, n, error)``, whose ``n`` rises with
    each tuple of a pair; and emits them as `TopPairs` does, as ``([window,] a, b, n, lower, guaranteed)``.

    ``lower`` is ``n`` - ``error``. A pair is ``guaranteed`` (1, else 0) to be among the top by the true counts if no
    pair that is not emitted can have come before it.

    What a pair was last told is its highest estimate. So a pair that is behind ``top`` others once
    can wait for its next tuple.
    """

    cdef int32_t top
    cdef int64_t min_count
    cdef bint windowed
    cdef int64_t window
    cdef Estimate limit                 # only what comes before it can be among the top, or be the first behind
    cdef vector[Estimate] found         # all that could, when they were told; of one pair perhaps several
    cdef bint flushed

    def __init__(self, columns, int32_t top, int64_t min_count=0, bint windowed=False):
        if top < 1:
            raise ValueError(f"top must be at least 1, not {top}")
        *window, a, b = columns
        self.reads = {**{name: TIME + KEY for name in window}, a: KEY, b: f"={a}", "n": "int64", "error": "int64"}
        self.columns = (*columns, "n", "lower", "guaranteed")
        self.types = (*(f"={name}" for name in columns), "int64", "int64", "int64")
        self.top = top
        self.min_count = min_count
        self.windowed = windowed

    def open(self, int32_t partitions=1):
        self.found.reserve(4 * (self.top + 1))
        self.window = -1
        self.flushed = False
        self.start_window()

    def save(self):
        cdef size_t k
        cdef Estimate one
        found = [(self.window, 0, 0), (<int64_t>self.limit.pair, self.limit.n, self.limit.lower)]
        for k in range(self.found.size()):
            one = self.found[k]
            found.append((<int64_t>one.pair, one.n, one.lower))
        return {"estimates": np.array(found, np.int64)}

    def load(self, saved):
        cdef Estimate one
        cdef int64_t pair
        self.window = saved["estimates"][0, 0]
        for pair, one.n, one.lower in saved["estimates"][1:]:
            one.pair = <uint64_t>pair
            self.found.push_back(one)
        self.limit = self.found[0]
        self.found.erase(self.found.begin())

    cdef void start_window(self) noexcept nogil:
        self.found.clear()
        self.limit = Estimate(0, max(self.min_count, <int64_t>0), 0)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t first = 1 if self.windowed else 0, row
        cdef const int64_t* n = int64_column(rows, self.at[first + 2])
        cdef const int64_t* error = int64_column(rows, self.at[first + 3])
        cdef int64_t window
        cdef Estimate one
        for row in range(rows.n):
            if self.windowed:
                window = integer_at(rows, self.at[0], row)
                if window != self.window:
                    self.emit_window(out)
                    self.window = window
            if n[row] < self.limit.n:
                continue
            one.pair = pack(integer_at(rows, self.at[first], row), integer_at(rows, self.at[first + 1], row))
            one.n = n[row]
            one.lower = n[row] - error[row]
            if before(one, self.limit):
                if self.found.size() == <size_t>(4 * (self.top + 1)):
                    self.drop_behind()
                self.found.push_back(one)
        return -1

    cdef void drop_behind(self) noexcept nogil:
        """Keep each pair once, with its highest estimate, and of them the ``top`` first and one more; in order."""
        cdef size_t k, kept = 0
        sort(self.found.begin(), self.found.end(), &lower_pair)
        for k in range(self.found.size()):
            if k == 0 or self.found[k].pair != self.found[k - 1].pair:
                self.found[kept] = self.found[k]
                kept += 1
        self.found.resize(kept)
        sort(self.found.begin(), self.found.end(), &before)
        if kept > <size_t>self.top:
            self.found.resize(self.top + 1)
            self.limit = self.found[self.top]

    cdef int32_t emit_window(self, Columns* out) noexcept nogil:
        cdef int32_t n, k, row, first = 1 if self.windowed else 0
        cdef Estimate least
        self.drop_behind()
        n = min(<int32_t>self.found.size(), self.top)
        for k in range(n):
            row = emit(out)
            if self.windowed:
                put_integer(out, 0, row, self.window)
            put_integer(out, first, row, <int64_t>(self.found[k].pair >> 32))
            put_integer(out, first + 1, row, <int64_t>(self.found[k].pair & <uint64_t>0xFFFFFFFF))
            least = self.found[k]
            least.n = least.lower
            int64_column(out, first + 2)[row] = self.found[k].n
            int64_column(out, first + 3)[row] = self.found[k].lower
            int64_column(out, first + 4)[row] = before(least, self.limit)
        self.start_window()
        return n

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.flushed:
            return 0
        self.flushed = True
        return self.emit_window(out)
