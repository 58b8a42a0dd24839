"""A reorder buffer that is written in Python."""

from libc.stdint cimport int64_t
from streambench.pyx.schemes.lock_based_reorder_buffer cimport LockBasedReorderBuffer
from streambench.pyx.schemes.python_failure cimport PythonFailure

cdef class PythonReorderBuffer(LockBasedReorderBuffer):
    cdef object own
    cdef PythonFailure failure
    cdef int64_t returned               # serial number of the first output that `own` has not returned; under the lock
