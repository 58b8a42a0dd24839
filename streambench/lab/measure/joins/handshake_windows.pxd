"""What one thread of a handshake join stores, and what it compares the tuples with that come by."""

from libc.stdint cimport int64_t
from streambench.pyx.join.list_tier cimport ListTier
from streambench.pyx.join.tuple_list cimport Tuple, TupleList

cdef class HandshakeWindows(ListTier):
    cdef TupleList in_flight   # right tuples passed on towards their home, whose receipt is not yet acknowledged
    cdef TupleList expeditions # left tuples whose home this is, but which are still on their way
    cdef int64_t compared_from[2]       # rows of each side before this one only fill the windows,
                                        # and are there from the start
    cdef int64_t comparing_ns           # when the first tuple that is compared came by, by
                                        # the clock; INT64_MAX: none has
    cdef int64_t seen[2]                # rows of each side before this one have come by
    cdef void fill(self) noexcept nogil
    cdef void left_comes(self, int64_t row) noexcept nogil
    cdef void right_comes(self, int64_t row) noexcept nogil
    cdef void acknowledge(self) noexcept nogil
    cdef void end_expedition(self) noexcept nogil
    cdef void compare_window(self, int side, Tuple* one, TupleList* others) noexcept nogil
