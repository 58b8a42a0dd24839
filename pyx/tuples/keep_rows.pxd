"""Keeping some of a unit's rows: what filters do. No branch guesses which."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport size_of

cdef enum:
    KEPT_AT_ONCE = 4096                     # rows of a block
    KEPT_WORDS = 64                         # their bits

cdef struct Kept:
    # Which of rows begin to begin + n - 1 are kept: bit i % 64 of word i / 64 stands for row begin + i.
    int32_t begin
    int32_t n
    uint64_t word[KEPT_WORDS]

cdef bint next_block(Kept* kept, int32_t end) noexcept nogil
cdef void drop_nulls(Kept* kept, Columns* rows, int32_t k) noexcept nogil
cdef void keep_nulls(Kept* kept, Columns* rows, int32_t k) noexcept nogil
cdef void keep_equal(Kept* kept, Columns* rows, int32_t k, int64_t value) noexcept nogil
cdef void keep_within(Kept* kept, Columns* rows, int32_t k, int64_t first, int64_t last) noexcept nogil
cdef void keep_listed(Kept* kept, Columns* rows, int32_t k, const uint8_t* listed, int64_t size) noexcept nogil
cdef int32_t count_kept(Kept* kept) noexcept nogil
cdef void copy_kept(Kept* kept, Columns* rows, int32_t k, Columns* out, int32_t to) noexcept nogil

cdef inline void begin_blocks(Kept* kept, int32_t begin) noexcept nogil:
    """Before the first `next_block`, which begins with row ``begin``."""
    kept.begin = begin
    kept.n = 0

cdef inline void pass_column(Columns* rows, int32_t k, Columns* out, int32_t to) noexcept nogil:
    """Make the rows' column ``k`` column ``to`` of ``out``, which keeps all rows and has room
    for them. Nothing is copied.

    Memory of the unit's own changes hands: the rows can still be read, but their next user
    starts with what they own then.
    """
    cdef int64_t* memory = rows.owned[k]
    cdef int64_t bytes = rows.owned_bytes[k]
    if rows.column[k] == memory:
        rows.owned[k] = out.owned[to]
        rows.owned_bytes[k] = out.owned_bytes[to]
        rows.capacity = 0
        out.owned[to] = out.column[to] = memory
        out.owned_bytes[to] = bytes
        out.capacity = <int32_t>min(<int64_t>out.capacity, bytes // size_of(out.layout, to))
    else:
        out.column[to] = rows.column[k]
        out.capacity = 0                    # not its own: the next user starts with what it owns
