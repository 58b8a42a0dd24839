"""A crew's stop: a flag that every worker looks at before it works and before it sleeps, and the sleepers to be woken.

As ``std::stop_token`` it is shared by those who may stop the workers and those who are to be stopped.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.parking cimport delete_parking, new_parking, wake_all


cdef class StopToken:
    """Not stopped, and nobody asleep."""

    def __cinit__(self):
        self.stopped = new_counters(1)
        self.parking = new_parking()
        self.ending = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.stopped)
        delete_parking(self.parking)
        delete_counters(self.ending)

    cdef void stop(self) noexcept nogil:
        self.stopped.value.store(1, memory_order_seq_cst)       # pairs with the look at it before a worker sleeps
        wake_all(self.parking)

    @property
    def is_cut(self) -> bool:
        """Whether the stream was ended, and what operators hold is not its output."""
        return self.ending.value.load(memory_order_relaxed) == CUT

    def end_stream(self, bint flush):
        """Let the stream end with what has been admitted; ``flush``: and with what operators hold. From any thread; of
        several calls the first one counts."""
        cdef int64_t lasting = LASTS
        # A nap ends by itself.
        self.ending.value.compare_exchange_strong(lasting, FLUSHED if flush else CUT, memory_order_relaxed,
                                                  memory_order_relaxed)
