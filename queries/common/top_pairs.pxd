"""The pairs with the highest counts."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Stateful

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
    cdef int32_t top
    cdef int64_t min_count
    cdef readonly bint windowed
    cdef int64_t window
    cdef int64_t level                  # at first the least count that is wanted
    cdef uint64_t limit                 # of the pairs that come to the level, only lower ones
                                        # can be among the `top` least
    cdef vector[uint64_t] level_pairs   # `n_level` of them: those that came to the level, at least the `top` least
    cdef int32_t n_level
    cdef vector[Ranked] above           # tuples with n > level, of one pair perhaps several
    cdef int32_t n_next                 # pairs that have come to the level above
    cdef bint flushed
    cdef list parts                     # TopPairs, of a partition each, that take its tuples while it is divided
    cdef vector[void*] part_at          # the same, borrowed
    cdef bint divided
    cdef void start_window(self) noexcept nogil
    cdef void take(self, Columns* rows, int32_t begin, int32_t end) noexcept nogil
    cdef void take_packed(self, const uint64_t* pairs, const int64_t* n, int32_t size) noexcept nogil
    cdef void divide(self) noexcept nogil
    cdef void unite(self) noexcept nogil
    cdef void begin_at(self, int64_t window, int64_t level, uint64_t limit) noexcept nogil
    cdef void take_back(self, TopPairs part) noexcept nogil
    cdef void came_above(self, Ranked one) noexcept nogil
    cdef void came_to_level(self, uint64_t pair) noexcept nogil
    cdef void drop_highest(self, int32_t most) noexcept nogil
    cdef void rise(self, uint64_t pair, int64_t n) noexcept nogil
    cdef void drop_outdated(self) noexcept nogil
    cdef void raise_level_to(self, int64_t level) noexcept nogil
    cdef int32_t emit_window(self, Columns* out) noexcept nogil
    cdef void emit_rows(self, Columns* out) noexcept nogil
