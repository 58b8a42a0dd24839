"""`Pace`, which feeds a loop, for those who cimport it."""

from libc.stdint cimport int64_t


cdef class Pace:
    cdef readonly double rate                   # tuples per second; 0: all are there at once
    cdef readonly int64_t tuples, most          # in all, and of a chunk
    cdef readonly int64_t begin, end            # the chunk
    cdef readonly int64_t interval              # between two marked tuples
    cdef int64_t marked                         # the first marked tuple behind the chunk
    cdef int64_t begun, now                     # ns: when the stream began, the last look at the clock
    cdef double[::1] entered, left              # by marker: seconds from the beginning

    cdef bint more(self) noexcept nogil
    cdef double seconds(self) noexcept nogil
