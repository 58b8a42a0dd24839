"""Keyed functions that ask to be called at a time of the stream."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.functions.key_order cimport KeyOrder
from streambench.pyx.functions.keyed_operator cimport KeyCall, KeyedFunction
from streambench.pyx.partition.every_partition cimport EveryPartition
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Stateless

cdef enum:
    # Columns in front of those that functions write, see `TimedFunction`.
    TIME
    KEY
    TIMER
    HIDDEN

cdef struct Timer:
    int64_t time
    int64_t key                         # of a key by its bits where they are
    char* state

cdef cppclass Timers:
    vector[Timer] waiting               # of a partition: a heap, the earliest first
    char apart[128]                     # two partitions' workers share no cache line

cdef class TimedFunction(EveryPartition):
    cdef readonly KeyedFunction of
    cdef KeyCall on_time
    cdef int32_t time                   # the column's place
    cdef bint at_end
    cdef vector[Timers]* timers         # by partition
    cdef KeyOrder last                  # those that are pending at the end of the stream
    cdef void wait(self, Timers* timers, char* state, int64_t key, int64_t time) noexcept nogil
    cdef int32_t call_due(self, int32_t partition, Columns* rows, int64_t until, Columns* out) noexcept nogil
    cdef bint call(self, int32_t partition, const Timer* timer, uint32_t row, Columns* out) noexcept nogil
    cdef int64_t key_of(self, Columns* rows, int64_t row, char* state) noexcept nogil
    cdef bint begin_flush(self, Columns* out) noexcept with gil
    cdef KeyOrder pending(self)
    cdef int wait_again(self) except -1

cdef class TimerOrder(Stateless):
    cdef KeyedFunction of
    cdef void read_key(self, int64_t key, vector[int64_t]& words) noexcept nogil
