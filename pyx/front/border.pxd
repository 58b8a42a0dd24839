"""Where Python is called: for records that come in and leave, and by boxes."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.front.entities cimport Entity, Frame
from streambench.pyx.front.garbage cimport Garbage
from streambench.pyx.front.records cimport Field, Labels, Record, Sequence
from streambench.pyx.front.worker cimport Worker

cdef struct Job:
    void* border                        # borrowed: the thread that works has it
    Worker* worker
    Entity* entity
    Record* record
    int64_t at
    Frame* frame
    Sequence* sequence
    bint more

cpdef enum What:
    TAKES                               # a node takes a record
    TAKES_IN                            # a record comes from the source
    GIVES_OUT                           # a record leaves
    STARTS                              # an initialiser runs
    TAKES_OVER                          # an entity is stolen

cdef class Border(Garbage):
    cdef list names
    cdef dict numbers, initial
    cdef object source, emit, boxes, complain, emitting, trace
    cdef bint traced
    cdef list kept                      # native boxes, so that they stay
    cdef vector[void*] natives          # by the number of a box; NULL: Python calls it
    cdef bint native                    # whether there is any
    cdef vector[Record*] out            # has left, under the lock of the output
    cdef vector[Record*] leaving        # is being given to who listens, under `emitting`
    cdef readonly object error
    cdef readonly object failure
    cdef readonly bint reading
    cdef readonly int waiting
    cdef int64_t credit
    cdef void call(self, Worker* worker, Entity* entity, Record* record) noexcept with gil
    cdef void call_native(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef int64_t begin_call(self, Worker* worker, size_t box) noexcept nogil
    cdef void end_call(self, Worker* worker, size_t box, int64_t begun) noexcept nogil
    cdef void refuse_native(self, int64_t box, const char* problem) noexcept with gil
    cdef void start(self, Worker* worker, int64_t at, Frame* frame, Sequence* sequence) noexcept with gil
    cdef bint read(self, Worker* worker) noexcept with gil
    cdef void within_memory(self, void (*body)(void*) noexcept, Job* job) noexcept
    cdef void tidy(self, Worker* worker) noexcept with gil
    cdef int64_t on_their_way(self) noexcept nogil
    cdef bint held_back(self) noexcept nogil
    cdef void give_out(self, Worker* worker, Record* record) noexcept nogil
    cdef void wait_for_listener(self, Worker* worker) noexcept nogil
    cdef bint untidy(self, Worker* worker) noexcept nogil
    cdef void flush(self) noexcept with gil
    cdef dict seen(self, Record* record, Labels* asked)
    cdef int put(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1
    cdef int fill_in(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1
    cdef Field* field(self, object value)
    cdef void give_up(self, problem) noexcept
    cdef void tell(self, Worker* worker, int what, int64_t at, Frame* frame, Record* record, int other=*) noexcept with gil
    cdef void fail(self, int64_t at, Worker* worker, Record* record) noexcept with gil
