"""What a thread's time goes into, as figures 1, 2, 9 and 10 of paper 002 divide it: nothing of it
is compiled unless asked for.

A module that is compiled with STREAMBENCH_PROFILED=1 measures; see `cooperative_profiled.pyx`.
"""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.clock cimport ticks, ticks_per_second

cdef extern from "operation_times.h":
    bint PROFILED "STREAMBENCH_PROFILED"

    # A thread's own.
    cppclass OperationTimes "streambench::OperationTimes" nogil:
        int64_t spent[7]                # ticks, by operation
        int64_t since
        int32_t now                     # the operation under way

cdef enum Operation:
    REST                            # reading the stream, and what is none of the others
    HASH
    SUMMARY
    QUEUE
    ELEMENT_SYNCHRONISATION
    BUCKET_SYNCHRONISATION
    MERGE
    OPERATIONS

cdef inline void operate(OperationTimes* times, Operation operation) noexcept nogil:
    """From now on the time goes into this operation."""
    cdef int64_t tick
    if PROFILED:
        tick = ticks()
        times.spent[times.now] += tick - times.since
        times.since = tick
        times.now = operation

cdef inline void begin(OperationTimes* times) noexcept nogil:
    if PROFILED:
        times.since = ticks()
        times.now = REST

cdef inline dict no_seconds():
    names = ("rest", "hash", "summary", "queue", "element_synchronisation", "bucket_synchronisation", "merge")
    return dict.fromkeys(names, 0.0)        # in the order of `Operation`

cdef inline void add_seconds(dict seconds, OperationTimes* times):
    """What a thread has spent, to the sum over threads."""
    cdef int operation
    for operation, name in enumerate(seconds):
        seconds[name] += times.spent[operation] / ticks_per_second()
