"""Decoded columns in the types of a stream, without the GIL: so that workers do this side by side, as they decode.

Each function fills ``out``, an array of its own, and returns whether all values were fit; if not, ``out`` means
nothing. All arrays are contiguous. NumPy's own conversions keep the GIL, and take a pass for each check.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from "narrow.h" nogil:
    bint narrow_from "streambench::narrow_from"[From](const void* values, const uint8_t* valid, void* out, int32_t size,
                                                      int64_t n, int64_t last) noexcept
    bint moments_from "streambench::moments_from"[From](const void* days, const void* seconds, void* out, int32_t size,
                                                        int64_t n, int64_t last_day, int64_t last_second,
                                                        int64_t last) noexcept
    bint low_halves "streambench::low_halves"(const void* halves, void* out, int32_t size, int64_t n,
                                              int64_t most) noexcept


def narrow(values, valid, out, int64_t last) -> bool:
    """Integers from 0 to ``last``, and -1 for each null; ``values``: int64 or int32, ``out``: of any width.

    ``valid``: a bit for each value, the lowest of the first byte first; None: there is no null.
    """
    cdef const void* source = <const void*>address(values)
    cdef const uint8_t* bits = NULL
    cdef void* target = <void*>address(out)
    cdef int32_t size = out.itemsize
    cdef int64_t n = len(out)
    cdef bint wide = values.itemsize == 8, fit
    if valid is not None:
        bits = <const uint8_t*>address(valid)
    with nogil:
        if wide:
            fit = narrow_from[int64_t](source, bits, target, size, n, last)
        else:
            fit = narrow_from[int32_t](source, bits, target, size, n, last)
    return fit


def moments(days, seconds, out, int64_t last_day, int64_t last_second, int64_t last) -> bool:
    """``days * (last_second + 1) + seconds``, at most ``last``; days from 0 to
    ``last_day``, seconds to ``last_second``.

    ``days`` and ``seconds`` are both int64 or both int32, ``out`` takes 4 or 8 bytes a value.
    """
    cdef const void* of_days = <const void*>address(days)
    cdef const void* of_seconds = <const void*>address(seconds)
    cdef void* target = <void*>address(out)
    cdef int32_t size = out.itemsize
    cdef int64_t n = len(out)
    cdef bint wide = days.itemsize == 8, fit
    with nogil:
        if wide:
            fit = moments_from[int64_t](of_days, of_seconds, target, size, n, last_day, last_second, last)
        else:
            fit = moments_from[int32_t](of_days, of_seconds, target, size, n, last_day, last_second, last)
    return fit


def narrow_decimals(halves, out, int64_t most) -> bool:
    """Numbers of 128 bits from ``-most`` to ``most``; ``halves``: int64, the lower one first;
    ``out`` takes 4 or 8 bytes."""
    cdef const void* source = <const void*>address(halves)
    cdef void* target = <void*>address(out)
    cdef int32_t size = out.itemsize
    cdef int64_t n = len(out)
    cdef bint fit
    with nogil:
        fit = low_halves(source, target, size, n, most)
    return fit


cdef size_t address(array) except? 0:
    return array.ctypes.data            # may be read-only memory of Arrow's
