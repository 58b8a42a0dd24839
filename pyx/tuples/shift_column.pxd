"""The values of a column, shifted from lap to lap; nulls (-1) stay what they are."""

from libc.stdint cimport int64_t

# In C++ for the loop's sake, which the compiler vectorises for each kind of processor; which it is, is asked while it runs.
cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    __attribute__((always_inline)) inline void shift_all(const int64_t* from, int64_t* to, int64_t n, int64_t shift) {
        for (int64_t i = 0; i < n; ++i) to[i] = from[i] + (from[i] < 0 ? 0 : shift);
    }
    #if defined(__x86_64__)
    __attribute__((target("avx512f"))) inline void shift_by_eight(const int64_t* from, int64_t* to, int64_t n, int64_t shift) {
        shift_all(from, to, n, shift);
    }
    __attribute__((target("avx2"))) inline void shift_by_four(const int64_t* from, int64_t* to, int64_t n, int64_t shift) {
        shift_all(from, to, n, shift);
    }
    #endif
    inline void shift_column(const int64_t* from, int64_t* to, int64_t n, int64_t shift) {
    #if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f")) return shift_by_eight(from, to, n, shift);
        if (__builtin_cpu_supports("avx2")) return shift_by_four(from, to, n, shift);
    #endif
        shift_all(from, to, n, shift);
    }
    }
    """
    void shift_column "streambench::shift_column"(const int64_t* source, int64_t* to, int64_t n, int64_t shift) noexcept nogil
