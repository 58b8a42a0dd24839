"""What records hold, as Python has it, and what has gone wrong."""

from libc.stdint cimport int64_t
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

cdef class Values(Garbage):
    cdef list names
    cdef dict numbers
    cdef bint native                    # whether there is any native box
    cdef readonly object error
    cdef readonly object failure
    cdef dict seen(self, Record* record, Labels* asked)
    cdef int put(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1
    cdef int fill_in(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1
    cdef Field* field(self, object value)
    cdef void give_up(self, problem) noexcept
    cdef void within_memory(self, void (*body)(void*) noexcept, Job* job) noexcept
