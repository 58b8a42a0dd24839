"""What the engines share: a crew and, at the end of the pipeline, an egress, which stops
the crew at a refused tuple."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed


cdef class Engine(Crew):
    """``marker_interval``: see ``Egress``. A watch is told how many stream tuples have reached the sink."""

    def __init__(self, int workers, tuple cores, int64_t marker_interval):
        Crew.__init__(self, workers, cores)
        self.egress = Egress(self.token, marker_interval)
        self.pauses = Pauses(self.token)

    def settle(self) -> bool:
        """After a run: let operators have all state themselves. Whether the stream was cut, and they hold some."""
        return False

    cdef int64_t progress(self) noexcept nogil:
        return self.egress.tuples.value.load(memory_order_relaxed)
