"""How long threads have waited for a core."""

from libc.stdint cimport int64_t
from streambench.pyx.machine.padded cimport PaddedCounter

cdef class RunQueues:
    cdef PaddedCounter* files           # by thread: the descriptor of its account and 1; 0: there is none
    cdef PaddedCounter* seen            # ns that it had waited when it was last asked for
    cdef PaddedCounter* late            # ns that it has waited since `forget`; for who asks, one at a time
    cdef int threads
    cdef void enter(self, int number) noexcept nogil
    cdef void shut(self, int number) noexcept nogil
    cdef int64_t waited(self) noexcept nogil
    cdef void note(self, int number, int64_t waited) noexcept nogil
    cdef void forget(self) noexcept nogil
