"""The fast ScaleGate: a ring for each source, and in each reader a merge."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.join.merge cimport Head, Merge
from streambench.pyx.join.scale_gate cimport ScaleGate

cdef extern from "scale_gate_ring.h":
    cppclass Ring "streambench::ScaleGateRing" nogil:
        atomic[int64_t] written
        atomic[int64_t] promised
        int64_t* times
        char* records

    Ring* new_rings "streambench::new_gate_rings"(int64_t n) except +
    void delete_rings "streambench::delete_gate_rings"(Ring* rings) noexcept nogil

cdef class RingScaleGate(ScaleGate):
    cdef Ring* rings                    # by source
    cdef Merge** merges                 # by reader, each its reader's own
    cdef bint look(self, Head* head, int32_t source, int64_t* key) noexcept nogil
    cdef void let_go(self, int32_t reader) noexcept nogil
