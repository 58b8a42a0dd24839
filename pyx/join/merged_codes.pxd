"""Codes of texts from several streams as codes of one dictionary."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.tuples.columns cimport Columns

cdef enum:
    UNKNOWN = -2                        # in the place of a code; that of null is -1 everywhere

cdef class MergedCodes:
    cdef object codes                   # the one dictionary's
    cdef list values                    # by stream its values, by their codes there
    cdef vector[vector[int32_t]] merged # by stream, by its codes: the codes here
    cdef vector[int32_t] columns        # that hold codes
    cdef vector[int32_t] streams        # of these columns; where they are not those of the tuples
    cdef readonly object error          # why a text has no code: memory
    cdef bint translate(self, Columns* rows, int64_t begin, int64_t n, const Ready* ready) noexcept nogil
    cdef bint translate_to(self, int32_t stream, const int32_t* codes, int64_t n, int64_t* to) noexcept nogil
    cdef bint learn(self, Columns* rows, int64_t begin, int64_t n, const Ready* ready) noexcept with gil
    cdef bint learn_all(self, int32_t stream, const int32_t* codes, int64_t n) noexcept with gil
    cdef int learn_code(self, int32_t stream, int32_t code) except -1

    cdef inline int32_t code(self, int32_t stream, int32_t code) noexcept nogil:
        """The code here of a stream's code, or UNKNOWN."""
        if code < 0:
            return code
        return self.merged[stream][code] if <size_t>code < self.merged[stream].size() else <int32_t>UNKNOWN
