"""A crew's stop: a flag that every worker looks at before it works and before it sleeps, and the sleepers to be woken.

As ``std::stop_token`` it is shared by those who may stop the workers and those who are to be stopped.
"""

from libcpp.atomic cimport memory_order_seq_cst
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.parking cimport delete_parking, new_parking, wake_all


cdef class StopToken:
    """Not stopped, and nobody asleep."""

    def __cinit__(self):
        self.stopped = new_counters(1)
        self.parking = new_parking()

    def __dealloc__(self):
        delete_counters(self.stopped)
        delete_parking(self.parking)

    cdef void stop(self) noexcept nogil:
        self.stopped.value.store(1, memory_order_seq_cst)       # pairs with the look at it before a worker sleeps
        wake_all(self.parking)
