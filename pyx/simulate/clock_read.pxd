"""What a look at the clock takes, which is part of every span between two of them."""

from libc.stdint cimport int64_t
from streambench.pyx.machine.clock cimport ticks

cdef inline int64_t clock_read() noexcept nogil:
    """The ticks from one look at the clock to the next: each span holds one look."""
    cdef int64_t k, last, now, least = 1 << 30
    last = ticks()
    for k in range(1000):
        now = ticks()
        least = min(least, now - last)
        last = now
    return least
