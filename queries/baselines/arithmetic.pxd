"""``arithmetic.h``, for Cython."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "arithmetic.h" namespace "micro" nogil:
    uint64_t mix(uint64_t key, uint64_t value) noexcept
    uint64_t work(uint64_t x, int64_t iterations) noexcept
    void prefetch_for_writing(const void* address) noexcept

    cppclass Digest:
        uint64_t sum
        uint64_t sums
        void add(uint64_t x) noexcept
        void add_columns(const int64_t* first, const int64_t* second, int64_t n) noexcept
