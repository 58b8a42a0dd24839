"""Delays that depend on nothing but the data, so that a run explores other interleavings and still gives one answer."""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.machine.threads cimport sleep_ns, yield_core

cdef inline void jitter(int64_t value, int64_t salt, int strength) noexcept nogil:
    """Strength 0: never wait. 1: sometimes give the core away. 2: and sometimes sleep 30 microseconds."""
    cdef uint64_t mixed
    if strength == 0:
        return
    mixed = (<uint64_t>value + 1) * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>salt * <uint64_t>0xD6E8FEB86659FD93
    mixed ^= mixed >> 29
    if mixed % 13 == 0:
        yield_core()
    if strength > 1 and mixed % 97 == 0:
        sleep_ns(30_000)

cdef inline void work_for(int64_t rounds) noexcept nogil:
    """A cost that the compiler cannot remove."""
    cdef volatile int64_t sum = 0
    cdef int64_t i
    for i in range(rounds):
        sum = sum + i
