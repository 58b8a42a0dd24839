"""The matches of a handshake join, put in order by punctuations: what the threads say they are done with."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.queues.growing_queue cimport GrowingQueue

# In C++ for the standard library's heap, which wants an order of its items.
cdef extern from "pair_heap.h":
    cppclass Pair "streambench::Pair" nogil:
        int64_t ts
        int64_t side
        int64_t later                   # rows
        int64_t earlier

    void push_pair "streambench::push_pair"(vector[Pair]& heap, const Pair& one) noexcept nogil     # see `memory`
    void pop_pair "streambench::pop_pair"(vector[Pair]& heap) noexcept nogil

cdef class HandshakeOutput:
    cdef Definition definition
    cdef int32_t threads
    cdef GrowingQueue* found            # by thread: the rows of its matches, left and right in turn, as it finds them
    cdef PaddedCounter* passed          # by thread: it finds no match earlier than this time any more; it alone writes
    cdef PaddedCounter* turn            # 1: somebody lets matches out. What follows is theirs whose the turn is
    cdef vector[Pair] waiting           # a heap
    cdef vector[int64_t] left
    cdef vector[int64_t] right
    cdef void put(self, int32_t thread, int64_t left, int64_t right) noexcept nogil
    cdef void promise(self, int32_t thread, int64_t ts) noexcept nogil
    cdef void let_out(self) noexcept nogil
    cdef void collect(self) noexcept nogil
    cdef void append_first(self) noexcept nogil
