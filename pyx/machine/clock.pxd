"""A cheap monotonic clock. Verbatim C++ because the cheapest counter differs by processor."""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <cstdint>
    #include <ctime>
    #if defined(__x86_64__)
    #include <x86intrin.h>
    #endif
    namespace streambench {
    inline int64_t nanoseconds() {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
    }
    inline int64_t ticks() {
    #if defined(__x86_64__)
        return int64_t(__rdtsc());
    #else
        return nanoseconds();
    #endif
    }
    }
    """
    # CLOCK_MONOTONIC, about 22 ns a call.
    int64_t nanoseconds "streambench::nanoseconds"() noexcept nogil
    # The time-stamp counter where there is one, about 10 ns a call; units of 1 / ticks_per_second().
    int64_t ticks "streambench::ticks"() noexcept nogil

cpdef double ticks_per_second() noexcept
