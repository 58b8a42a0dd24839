"""A stateful operator, or the sink, as a stage."""

from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.schemes.stage cimport Stage

cdef class StatefulStage(Stage):
    cdef GrowingQueue* worklist         # `claims`: 1 while a worker is inside, as the maximum degree of parallelism is 1
    cdef bint last
    cdef bint sweep(self) noexcept nogil
