"""Keys of any type as words of 64 bits, which are ordered as the values are; and back."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.tuples.columns cimport Columns

cdef int32_t key_words_of(int32_t type, int32_t size) noexcept nogil
cdef void read_words(Columns* rows, int32_t column, const int32_t* row, int32_t n, int64_t* words,
                     int32_t stride) noexcept nogil
cdef void write_words(Columns* out, int32_t column, int32_t row, const int64_t* words) noexcept nogil
cdef void read_integers(Columns* rows, int32_t column, const int32_t* row, int32_t n, int64_t* words,
                        int32_t stride) noexcept nogil
