"""Sinks that are given the output sequence in Arrow record batches while the run lasts."""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.machine.mutexes cimport Mutex
from streambench.pyx.tuples.kept_columns cimport KeptColumns
from streambench.pyx.tuples.operator cimport Sink

cdef class BatchSink(Sink):
    cdef readonly int64_t batch_rows
    cdef readonly object batch_seconds
    cdef object nulls
    cdef public object restorer         # what brings a source's columns back into a table, or None
    cdef public object renamed          # how the output calls columns of the source; None: not brought back
    cdef readonly object error          # what `write` raised, if it did
    cdef tuple given                    # schema
    # Guards all below where a batch has a time: then a worker and the thread that looks on may give one.
    cdef Mutex* guard
    cdef KeptColumns filling            # the batch under way
    cdef int64_t filled                 # its rows
    cdef int64_t begun_ns               # when its first row came, where that is looked at
    cdef int64_t most_ns                # how long it may wait, 0: until it is full
    cdef bint broken                    # there is an error
    cdef readonly int64_t written       # rows of the batches that `write` has taken
    cdef int64_t count
    cdef uint64_t sequence
    cdef bint hand_over(self) noexcept with gil
