"""How workers are asked to return, and where those sleep that have nothing to do."""

from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport Parking

cdef class StopToken:
    cdef PaddedCounter* stopped         # 1: every worker shall return, and no further unit may reach a sink
    cdef Parking* parking               # where the workers sleep: who stops them wakes them
    cdef void stop(self) noexcept nogil
