"""Arrival by rate, an open loop: tuple number i, from 0, is there (i + 1) / ``rate`` seconds after the start.

``started`` in ns, ``rate`` in tuples per second, not 0; ``admitted``: tuples that were taken in before.
"""

from libc.stdint cimport int64_t
from streambench.pyx.machine.clock cimport nanoseconds

cdef inline int64_t arrived(int64_t started, double rate, int64_t admitted) noexcept nogil:
    """Tuples that are there and not admitted."""
    return <int64_t>((nanoseconds() - started) * 1e-9 * rate) - admitted

cdef inline int64_t until_due(int64_t started, double rate, int64_t admitted) noexcept nogil:
    """Nanoseconds until the next tuple is there; 0 or less: it is."""
    return started + <int64_t>((admitted + 1) * 1e9 / rate) - nanoseconds()
