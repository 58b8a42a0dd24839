"""The rate of the tick counter, measured once against CLOCK_MONOTONIC."""

cdef double measured_rate = 0.0


cpdef double ticks_per_second() noexcept:
    """Return how many ticks of :c:func:`ticks` make a second (measured over 10 ms on the first call)."""
    global measured_rate
    cdef int64_t first_tick, first_time, last_tick, last_time
    if measured_rate == 0.0:
        with nogil:
            first_time = nanoseconds()
            first_tick = ticks()
            last_time = first_time
            while last_time - first_time < 10_000_000:
                last_time = nanoseconds()
            last_tick = ticks()
        measured_rate = (last_tick - first_tick) * 1e9 / (last_time - first_time)
    return measured_rate


def read() -> int:
    """Return the tick counter, as the runtime reads it."""
    return ticks()
