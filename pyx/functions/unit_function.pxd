"""A function of the columns of a unit."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.reasons cimport Reasons
from streambench.pyx.tuples.columns cimport Columns

# Returns how many tuples it has written, out of room for ``room``; below 0 if it refused one of the ``n``, whichever.
ctypedef int64_t (*CompiledUnit)(int64_t n, void** read, int64_t room, void** written, void* state) noexcept nogil

cdef class UnitFunction:
    cdef object function
    cdef object kept                    # what holds the compiled code
    cdef CompiledUnit compiled          # NULL: the function is called, under the GIL
    cdef BoundColumns bound
    cdef int64_t most
    cdef bint in_place
    cdef bint whole
    cdef object state                   # array of one record, or None
    cdef object initial                 # the same, as it is at first
    cdef object before                  # the state as the unit found it
    cdef void* state_at
    cdef void* before_at
    cdef int64_t state_size             # bytes
    cdef Reasons reasons
    cdef void share(self, UnitFunction other)
    cdef void forget(self) except *
    cdef void restore(self) noexcept nogil
    cdef int64_t room(self, int64_t n) noexcept nogil
    cdef int32_t call(self, Columns* rows, Columns* out) noexcept nogil
    cdef int64_t ask(self, Columns* rows, int64_t row, int64_t n, Columns* out, int64_t at) except -1
    cdef int32_t call_for(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept nogil
    cdef int64_t ask_of_all(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept with gil
    cdef int32_t find_refused(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept with gil
