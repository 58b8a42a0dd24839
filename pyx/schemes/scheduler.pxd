"""Which operator should a worker work on next?"""

from libc.stdint cimport int32_t, int64_t

cdef struct OperatorState:
    bint schedulable        # has work, and fewer workers than its maximum degree of parallelism
    int64_t worklist        # tuples waiting
    int64_t workers         # allotted now
    int64_t max_workers
    double cost             # time per input tuple; 0 when not measured yet
    double selectivity      # output tuples per input tuple
    double window_time      # worker time spent on it in the current window

cdef struct Asker:
    # Who asks.
    int32_t worker          # its number
    int32_t core            # the CPU that it is bound to; -1: to none
    int32_t node            # the NUMA node of that, -1 where there is none

cdef class Heuristic:
    cdef readonly bint walks    # after a unit the worker goes on to the next operator with it, without asking again
    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice, const Asker* asker) noexcept nogil
