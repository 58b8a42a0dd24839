"""What happens next: a binary heap of cores by the time at which each goes on; of equal
times the earlier entry first."""

from libc.stdint cimport int64_t

cdef extern from "event_heap.h":
    cppclass Event "streambench::Event" nogil:
        double at
        int64_t number
        int64_t stamp
        int core

    cppclass Events "streambench::Events" nogil:
        const Event& top()
        void push(const Event& event)
        void pop()
        bint empty()
        size_t size()
