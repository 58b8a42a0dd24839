"""Records that have left."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Record
from streambench.pyx.front.values cimport Values
from streambench.pyx.front.worker cimport Worker

cdef class Output(Values):
    cdef object emit, emitting
    cdef vector[Record*] out            # has left, under the lock of the output
    cdef vector[Record*] leaving        # is being given to who listens, under `emitting`
    cdef int64_t credit
    cdef int64_t on_their_way(self) noexcept nogil
    cdef bint held_back(self) noexcept nogil
    cdef void give_out(self, Worker* worker, Record* record) noexcept nogil
    cdef void wait_for_listener(self, Worker* worker) noexcept nogil
    cdef void tidy(self, Worker* worker) noexcept with gil
    cdef bint untidy(self, Worker* worker) noexcept nogil
    cdef void flush(self) noexcept with gil
