"""A worklist that is written in Python."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.mutexes cimport Mutex
from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.schemes.python_failure cimport PythonFailure

cdef class PythonWorklist(PartitionedWorklist):
    cdef object own
    cdef PythonFailure failure
    cdef GrowingQueue* queues           # one per partition; popped under the mutex only
    cdef Mutex* asked                   # while `own` is
    cdef vector[int64_t] waiting        # by partition, items that `own` knows of; under the mutex
    cdef vector[bint] busy              # by partition; under the mutex
    cdef bint take(self, int64_t* partition, void** item) noexcept nogil
