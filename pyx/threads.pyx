"""How an idle worker waits.

A sleep with an end cannot lose a wake-up, and it leaves the core to others when there are more workers than cores.
"""

cdef enum:
    PAUSES = 200                # about 5 to 10 microseconds of spinning
    YIELDS = 20
    SHORTEST_SLEEP = 20_000     # ns
    LONGEST_SLEEP = 1_000_000   # ns


cdef void wait_a_little(Backoff* backoff) noexcept nogil:
    cdef int64_t span
    backoff.idle += 1
    if backoff.idle <= PAUSES:
        pause_briefly()
    elif backoff.idle <= PAUSES + YIELDS:
        yield_core()
    else:
        span = SHORTEST_SLEEP * <int64_t>(backoff.idle - PAUSES - YIELDS)
        sleep_ns(span if span < LONGEST_SLEEP else LONGEST_SLEEP)
