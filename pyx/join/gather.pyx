"""Values of rows in any order, one behind the other: of pairs the columns, once it is known which rows they are of."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    ROWS_AHEAD = 16                     # rows whose values are on their way

ctypedef fused value_t:
    int64_t
    int32_t
    int16_t
    int8_t


def gather_values(const uint8_t[::1] values, int32_t size, const int64_t[::1] rows, uint8_t[::1] to):
    """Write the ``values``, of ``size`` bytes each, that are in these rows, which must be
    there. The GIL is released."""
    assert to.shape[0] == rows.shape[0] * size
    if rows.shape[0] > 0:
        with nogil:
            gather(<const char*>&values[0], &rows[0], rows.shape[0], size, <char*>&to[0])


def gather_bits(const uint8_t[::1] bits, int64_t offset, const int64_t[::1] rows, uint8_t[::1] to):
    """The same of single bits, of which that of row 0 is the one at ``offset``, the lowest of a byte first."""
    cdef int64_t i, at, n = rows.shape[0]
    cdef uint8_t byte = 0
    assert to.shape[0] == (n + 7) // 8
    with nogil:
        for i in range(n):
            at = offset + rows[i]
            byte |= ((bits[at >> 3] >> (at & 7)) & 1) << (i & 7)
            if i & 7 == 7 or i == n - 1:
                to[i >> 3] = byte
                byte = 0


def gather_later(const int64_t[::1] left_ts, const int64_t[::1] left, const int64_t[::1] right_ts,
                 const int64_t[::1] right, int64_t[::1] to):
    """Of each pair of rows the later one's time. The GIL is released."""
    cdef int64_t i
    assert to.shape[0] == left.shape[0] == right.shape[0]
    with nogil:
        for i in range(to.shape[0]):
            to[i] = max(left_ts[left[i]], right_ts[right[i]])


cdef void gather(const char* values, const int64_t* rows, int64_t n, int32_t size, char* to) noexcept nogil:
    """The values of these rows, of ``size`` bytes each, one behind the other."""
    cdef int64_t i
    cdef int32_t at
    cdef const char* value
    if size == 8:
        gather_numbers(<const int64_t*>values, rows, n, <int64_t*>to)
    elif size == 4:
        gather_numbers(<const int32_t*>values, rows, n, <int32_t*>to)
    elif size == 2:
        gather_numbers(<const int16_t*>values, rows, n, <int16_t*>to)
    elif size == 1:
        gather_numbers(<const int8_t*>values, rows, n, <int8_t*>to)
    elif size < 8:
        for i in range(n):
            memcpy(to + i * size, values + rows[i] * size, size)
    else:  # by words, the last of which may begin within the one before: moves of a constant size
        for i in range(n):
            prefetch(values + rows[min(i + ROWS_AHEAD, n - 1)] * size, 0)
            value = values + rows[i] * size
            at = 0
            while at + 8 < size:
                memcpy(to + at, value + at, 8)
                at += 8
            memcpy(to + size - 8, value + size - 8, 8)
            to += size


cdef inline void gather_numbers(const value_t* values, const int64_t* rows, int64_t n, value_t* to) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        to[i] = values[rows[i]]
