"""What every engine says of its operators after a run."""

from libc.stdint cimport int64_t

cdef dict profile_of(list operators, int64_t ticks, int64_t tuples_in, int64_t tuples_out, int64_t visits, dict reorder)
