"""The end of a stream of sessions: open ones leave in ascending user order."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

cdef struct OpenSession:
    int64_t user
    int32_t partition
    int32_t place

cdef void sort_by_user(vector[OpenSession]& sessions) noexcept nogil
