"""The operators that emit windows."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.partition.every_partition cimport EveryPartition
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Stateful, Stateless
from streambench.pyx.windows.definition cimport WindowDefinition
from streambench.pyx.windows.open_windows cimport OpenWindows

cdef struct Flushed:
    # What is left at end of stream, in order.
    Columns rows
    int32_t next

cdef class KeyedWindows(EveryPartition):
    cdef WindowDefinition of
    cdef vector[OpenWindows]* windows       # by partition; of several, behind them those of all together
    cdef bint joined                        # these have the keys; with one partition they are the only ones
    cdef vector[uint32_t] order
    cdef Flushed flushed
    cdef bint flushes

cdef class AllWindows(Stateful):
    cdef WindowDefinition of
    cdef vector[OpenWindows]* windows       # one
    cdef vector[uint32_t] order
    cdef Flushed flushed
    cdef bint flushes

cdef class WindowOrder(Stateless):
    cdef int32_t n_keys
