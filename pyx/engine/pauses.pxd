"""Moments in which a pipeline is quiet."""

from libc.stdint cimport INT64_MAX, int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport PaddedCounter

cdef class Pauses:
    cdef StopToken token
    cdef PaddedCounter* due             # ns: from when on admission waits. Relaxed: any unit may be the first
    cdef int64_t held                   # ns: since when it waits, 0: it does not; guarded as admission is
    cdef object body
    cdef readonly object error          # what the body raised, if it did
    cdef readonly list lengths          # ns of each pause in which the body has done something
    cdef void take(self) noexcept with gil

    cdef inline bint is_due(self) noexcept nogil:
        """Is admission to wait? By who may admit."""
        cdef int64_t due = self.due.value.load(memory_order_relaxed), now
        if due == INT64_MAX:
            return False
        now = nanoseconds()
        if now < due:
            return False
        if self.held == 0:
            self.held = now
        return True
