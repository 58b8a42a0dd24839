"""A cheap monotonic clock. In C++ because the cheapest counter differs by processor."""

from libc.stdint cimport int64_t

cdef extern from "clock.h":
    # CLOCK_MONOTONIC, about 22 ns a call.
    int64_t nanoseconds "streambench::nanoseconds"() noexcept nogil
    # The time-stamp counter where there is one, about 10 ns a call; units of 1 / ticks_per_second().
    int64_t ticks "streambench::ticks"() noexcept nogil

cpdef double ticks_per_second() noexcept
