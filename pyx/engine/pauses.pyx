"""Moments in which a pipeline is quiet: all that was admitted has reached the sink, and nothing is admitted meanwhile.

Then what operators hold is the state behind one serial number, whatever the workers and the plan.
"""

from streambench.pyx.machine.padded cimport delete_counters, new_counters


cdef class Pauses:
    """None are due at first. An engine looks whether one is before each unit, waits until all units have left, and
    calls ``take``."""

    def __cinit__(self, StopToken token not None):
        self.token = token
        self.due = new_counters(1)
        self.due.value.store(INT64_MAX)
        self.lengths = []

    def __dealloc__(self):
        delete_counters(self.due)

    def call(self, body):
        """In a pause call ``body``, which returns whether it has done something; what it raises stops the workers."""
        self.body = body

    def arm(self, double seconds):
        """The next one is due in so many seconds; each is armed anew. From any thread."""
        self.due.value.store(nanoseconds() + <int64_t>(seconds * 1e9), memory_order_relaxed)

    cdef void take(self) noexcept with gil:
        cdef int64_t begun = self.held
        self.held = 0
        self.due.value.store(INT64_MAX, memory_order_relaxed)
        if self.token.stopped.value.load() != 0:        # a cancelled sink may have dropped what it was given
            return
        try:
            if self.body():
                self.lengths.append(nanoseconds() - begun)
        except BaseException as problem:                # a worker cannot raise: the run looks here when it has ended
            self.error = problem
            self.token.stop()
