"""A tier: one of the ways to find a join's matches. All give the same ones in the same order."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.ready_batch cimport MOST_READY, Batch

cdef struct Match:
    int64_t position                    # in the total order, of the later tuple
    int64_t left                        # rows
    int64_t right

cdef struct Found:                      # a match of a batch
    int32_t place                       # of the later tuple
    int64_t row                         # of the other

cdef class Tier:
    cdef Definition definition
    cdef int32_t number                 # of the thread whose share this is
    cdef int32_t threads
    cdef int64_t compared               # pairs that it has looked at
    cdef vector[Found] found
    cdef int64_t begins[MOST_READY]     # by place: where its matches go
    cdef int64_t row_at[MOST_READY]     # by place: the left side's row, or ~ the right side's
    cdef void begin(self) noexcept nogil
    cdef void process(self, Batch* batch, vector[Match]* out) noexcept nogil
    cdef void put_out(self, Batch* batch, vector[Match]* out) noexcept nogil
