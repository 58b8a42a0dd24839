"""Keeping some of a unit's rows, in blocks: tests take rows out of a block, then its columns are copied one by one.

A filter asks for block after block with ``next_block``, at first with all rows kept; takes rows out; copies the columns
it projects with ``copy_kept``, all to the same rows of its output; and adds ``count_kept`` to the output's n. The
output needs room for all rows. It may be the rows' own memory: what is kept never moves past where it was.
"""

from libc.stdint cimport int8_t, int16_t, uint16_t, uint32_t
from libc.string cimport memset
from streambench.pyx.tuples.columns cimport integer_at
from streambench.pyx.tuples.integer_types cimport integer_t
from streambench.pyx.tuples.layout cimport BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, type_of

cdef extern from "keep_rows.h" nogil:
    void keep_between "streambench::keep_between"[T](const T* values, int32_t n, T first, T last, uint64_t flip,
                                                     uint64_t* words) noexcept
    int32_t count_words "streambench::count_words"(const uint64_t* words, int32_t n) noexcept
    void copy_words "streambench::copy_words"(const char* source, char* to, int32_t size, const uint64_t* words,
                                              int32_t n, bint by_one) noexcept


cdef bint next_block(Kept* kept, int32_t end) noexcept nogil:
    """The next rows before ``end``, at most `KEPT_AT_ONCE`, all of them kept so far; False
    where there are none left."""
    cdef int32_t words
    kept.begin += kept.n
    kept.n = min(end - kept.begin, <int32_t>KEPT_AT_ONCE)
    words = kept.n // 64
    memset(kept.word, 0xFF, words * sizeof(uint64_t))
    if kept.n % 64:
        kept.word[words] = (<uint64_t>1 << (kept.n % 64)) - 1
    return kept.n > 0


cdef inline void within(Kept* kept, const integer_t* values, int64_t first, int64_t last, uint64_t flip) noexcept nogil:
    """As far as the type reaches: beyond it no value can be."""
    cdef int64_t least = 0, greatest
    if integer_t is int64_t:
        least, greatest = <int64_t>1 << 63, ~(<int64_t>1 << 63)
    elif integer_t is uint64_t:
        greatest = ~(<int64_t>1 << 63)      # of those above it nobody can ask
    else:
        greatest = (<int64_t>1 << (8 * sizeof(integer_t) - (1 if <integer_t>-1 < 0 else 0))) - 1
        if <integer_t>-1 < 0:
            least = -greatest - 1
    if last < least or first > greatest:
        if not flip:
            memset(kept.word, 0, sizeof(kept.word))
        return
    keep_between(values + kept.begin, kept.n, <integer_t>max(first, least), <integer_t>min(last, greatest), flip,
                 kept.word)


cdef void test_column(Kept* kept, Columns* rows, int32_t k, int64_t first, int64_t last, uint64_t flip) noexcept nogil:
    cdef void* column = rows.column[k]
    cdef int32_t type = type_of(rows.layout, k)
    if type == INT64:
        within(kept, <const int64_t*>column, first, last, flip)
    elif type == INT32:
        within(kept, <const int32_t*>column, first, last, flip)
    elif type == INT16:
        within(kept, <const int16_t*>column, first, last, flip)
    elif type == INT8:
        within(kept, <const int8_t*>column, first, last, flip)
    elif type == UINT32:
        within(kept, <const uint32_t*>column, first, last, flip)
    elif type == UINT16:
        within(kept, <const uint16_t*>column, first, last, flip)
    elif type == UINT8 or type == BOOL:
        within(kept, <const uint8_t*>column, first, last, flip)
    else:
        within(kept, <const uint64_t*>column, first, last, flip)


cdef void drop_nulls(Kept* kept, Columns* rows, int32_t k) noexcept nogil:
    """Take out the rows in which column ``k``, of integers, is null, which is negative."""
    test_column(kept, rows, k, <int64_t>1 << 63, -1, ~<uint64_t>0)


cdef void keep_nulls(Kept* kept, Columns* rows, int32_t k) noexcept nogil:
    """Take out the rows in which it is not."""
    test_column(kept, rows, k, <int64_t>1 << 63, -1, 0)


cdef void keep_equal(Kept* kept, Columns* rows, int32_t k, int64_t value) noexcept nogil:
    """Take out the rows in which column ``k``, of integers, is not ``value``."""
    test_column(kept, rows, k, value, value, 0)


cdef void keep_within(Kept* kept, Columns* rows, int32_t k, int64_t first, int64_t last) noexcept nogil:
    """Take out the rows in which it is below ``first`` or above ``last``."""
    test_column(kept, rows, k, first, last, 0)


cdef void keep_listed(Kept* kept, Columns* rows, int32_t k, const uint8_t* listed, int64_t size) noexcept nogil:
    """Take out the rows for whose key ``listed``, of ``size`` entries by key, has 0; and
    those of keys beyond, or null."""
    cdef int32_t i
    cdef int64_t key
    for i in range(kept.n):
        key = integer_at(rows, k, kept.begin + i)
        if not (0 <= key < size and listed[key]):
            kept.word[i // 64] &= ~(<uint64_t>1 << (i % 64))


cdef int32_t count_kept(Kept* kept) noexcept nogil:
    return count_words(kept.word, (kept.n + 63) // 64)


cdef void copy_kept(Kept* kept, Columns* rows, int32_t k, Columns* out, int32_t to) noexcept nogil:
    """Append the kept values of column ``k`` to column ``to`` of ``out``, of the same type; ``out.n`` stays."""
    cdef int64_t size = size_of(rows.layout, k)
    copy_words(<const char*>rows.column[k] + kept.begin * size, <char*>out.column[to] + out.n * size, <int32_t>size,
               kept.word, kept.n, False)
