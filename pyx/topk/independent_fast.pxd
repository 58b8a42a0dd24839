"""The design "independent-fast"."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.topk.counter_table cimport CounterTable
from streambench.pyx.topk.hot_items cimport HotItems
from streambench.pyx.topk.summary cimport Snapshot, Summary
from streambench.pyx.machine.mutexes cimport Mutex

cdef class IndependentFast(Summary):
    cdef Mutex* locks                    # by thread: of the following two
    cdef CounterTable* tables
    cdef HotItems* hot
    cdef void count_hot(self, int32_t thread) noexcept nogil
