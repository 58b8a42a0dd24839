"""Where Python is called: for records that come in, and by boxes."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.front.entities cimport Entity, Frame
from streambench.pyx.front.output cimport Output
from streambench.pyx.front.records cimport Record, Sequence
from streambench.pyx.front.worker cimport Worker

cpdef enum What:
    TAKES                               # a node takes a record
    TAKES_IN                            # a record comes from the source
    GIVES_OUT                           # a record leaves
    STARTS                              # an initialiser runs
    TAKES_OVER                          # an entity is stolen

cdef class Border(Output):
    cdef dict initial
    cdef object source, boxes, complain, trace
    cdef bint traced
    cdef list kept                      # native boxes, so that they stay
    cdef vector[void*] natives          # by the number of a box; NULL: Python calls it
    cdef readonly bint reading
    cdef readonly int waiting
    cdef void call(self, Worker* worker, Entity* entity, Record* record) noexcept with gil
    cdef void call_native(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef int64_t begin_call(self, Worker* worker, size_t box) noexcept nogil
    cdef void end_call(self, Worker* worker, size_t box, int64_t begun) noexcept nogil
    cdef void refuse_native(self, int64_t box, const char* problem) noexcept with gil
    cdef void start(self, Worker* worker, int64_t at, Frame* frame, Sequence* sequence) noexcept with gil
    cdef bint read(self, Worker* worker) noexcept with gil
    cdef void tell(self, Worker* worker, int what, int64_t at, Frame* frame, Record* record,
                   int other=*) noexcept with gil
    cdef void fail(self, int64_t at, Worker* worker, Record* record) noexcept with gil
