"""Values of rows in any order, one behind the other."""

from libc.stdint cimport int32_t, int64_t

cdef void gather(const char* values, const int64_t* rows, int64_t n, int32_t size, char* to) noexcept nogil
