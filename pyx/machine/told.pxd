"""The seam of `simulated.pxd` for steps of some nanoseconds, where even a predicted branch would be felt:
compiled only where asked for.

A module that is compiled with STREAMBENCH_TOLD=1 tells a simulated machine of its pieces of work and its lines; the
same code without that holds nothing of it. Such a module is a twin, `..._told.pyx`, which includes the code.
"""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.simulated cimport begin_piece, end_piece, fetch, look, post, spent, touch

cdef extern from *:
    """
    #ifndef STREAMBENCH_TOLD
    #define STREAMBENCH_TOLD 0
    #endif
    """
    bint TOLD "STREAMBENCH_TOLD"

cdef inline void begin_told(int kind, int32_t place) noexcept nogil:
    """As ``begin_piece``; how many tuples it is about is told at its end."""
    if TOLD:
        begin_piece(kind, place, -1)

cdef inline void end_told(int kind, int32_t place, int64_t tuples) noexcept nogil:
    if TOLD:
        end_piece(kind, place, tuples)

cdef inline const void* line_at(const void* address) noexcept nogil:
    """The cache line, for what shares one with others."""
    return <const void*>(<size_t>address & ~<size_t>63)

cdef inline void to_write(int kind, const void* address) noexcept nogil:
    """The caller is about to write to a line that other threads want, too, and waits for it."""
    if TOLD:
        touch(kind, line_at(address))

cdef inline void to_read(int kind, const void* address) noexcept nogil:
    """The caller is about to read one that others write."""
    if TOLD:
        look(kind, line_at(address))

cdef inline void to_store(int kind, const void* address) noexcept nogil:
    """The caller is about to store to one that others read, and does not wait for it."""
    if TOLD:
        post(kind, line_at(address))

cdef inline void to_fetch(int64_t bytes) noexcept nogil:
    """The caller is about to read so many bytes that others have written, one behind the other."""
    if TOLD:
        fetch(bytes)

cdef inline bint told_to_wait(int64_t ns) noexcept nogil:
    """As ``spent``."""
    return TOLD and spent(ns)
