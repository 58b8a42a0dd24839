"""A second sink amid a pipeline."""

from libc.stdint cimport int32_t
from streambench.pyx.tuples.columns cimport Columns


cdef class Tap(Stateful):
    """Gives ``sink`` all rows, in order, and passes them on as they are."""

    def __init__(self, Sink sink not None):
        self.sink = sink
        self.name = f"Tap of {sink.name}"
        self.reads = {}
        self.in_place = True

    def bind(self, given):
        """Take any columns; emit the same."""
        self.sink.bind(given)
        return Stateful.bind(self, given)

    def open(self, int32_t partitions=1):
        self.sink.prepare(partitions)

    def save(self):
        """Nothing: the sink is saved by itself."""
        return {}

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return self.sink.process(rows, out)
