"""What one thread of a handshake join stores, and what it compares the tuples with that come by."""

from libc.stdint cimport int64_t
from libcpp.list cimport list as linked_list
from streambench.pyx.join.list_tier cimport ListTier, Tuple

cdef class HandshakeWindows(ListTier):
    cdef linked_list[Tuple] in_flight   # right tuples passed on towards their home, whose receipt is not yet acknowledged
    cdef linked_list[Tuple] expeditions # left tuples whose home this is, but which are still on their way
    cdef int64_t compared_from[2]       # rows of each side before this one only fill the windows
    cdef int64_t comparing_ns           # when the first of the others came by, by the clock; INT64_MAX: none has
    cdef int64_t seen[2]                # rows of each side before this one have come by
    cdef int64_t left_comes(self, int64_t row) noexcept nogil
    cdef int64_t right_comes(self, int64_t row) noexcept nogil
    cdef void acknowledge(self) noexcept nogil
    cdef void end_expedition(self) noexcept nogil
    cdef inline bint fills(self, int side, int64_t row) noexcept nogil:
        return row < self.compared_from[side]
    cdef void compare_window(self, int side, Tuple* one, linked_list[Tuple]* others) noexcept nogil
