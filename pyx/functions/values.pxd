"""What functions return for a tuple."""

from libc.stdint cimport int64_t

cpdef int write_values(tuple values, tuple to, int64_t row) except -1
