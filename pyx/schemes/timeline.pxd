"""The pipeline's state over time."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.padded cimport PaddedCounter

cdef class Timeline:
    cdef PaddedCounter* due             # tick of the next sample: who moves it on takes the sample
    cdef PaddedCounter* busy            # 1 while one is taken; guards all below
    cdef readonly int64_t most          # samples that are held
    cdef readonly int64_t interval      # ticks
    cdef int64_t row                    # numbers of a sample: its tick, then those of each stage
    cdef vector[int64_t] samples        # row by row
    cdef bint is_due(self, int64_t now) noexcept nogil
    cdef void sample(self, void** stages, int64_t now) noexcept nogil
    cdef void thin(self) noexcept nogil
