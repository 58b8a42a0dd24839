"""Operators that stop long before there is enough, so that small units come in many pieces."""

from libc.stdint cimport int32_t
from streambench.pyx.tuples.columns cimport NO_END, Columns

cdef inline bint stops(Columns* out, int32_t taken, int32_t piece) noexcept nogil:
    """With ``piece`` tuples emitted, 0 for never; where the engine comes back for the rest."""
    if piece == 0 or out.n < piece or out.most == NO_END:
        return False
    out.taken = taken
    return True
