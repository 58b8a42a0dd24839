"""A stateful operator, or the sink, as a stage."""

from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.schemes.stage cimport Stage

cdef class StatefulStage(Stage):
    cdef GrowingQueue* worklist         # `claims`: 1 while a worker is inside, the most that there may be
    cdef bint last
    cdef bint claim(self) noexcept nogil
    cdef bint sweep(self) noexcept nogil
