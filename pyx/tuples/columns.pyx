"""Columns: the fixed-width tuples of a work unit, each field a contiguous array of 64-bit integers.

A field that is a float holds the bits of a double; a field that is a list holds its start in the columns' heap, and the
field after it the length.
"""

from libc.stdlib cimport free


cdef void grow(Columns* columns, int64_t rows) noexcept nogil:
    """Give every column in use room for at least ``rows`` tuples."""
    cdef int32_t k
    cdef int64_t size = 16
    while size < rows:
        size *= 2
    for k in range(columns.width):
        if columns.owned_rows[k] < size:
            columns.owned[k] = <int64_t*>enlarge(columns.owned[k], size * sizeof(int64_t))
            columns.owned_rows[k] = <int32_t>size
        columns.column[k] = columns.owned[k]
    if columns.source_rows < size:
        columns.source_row = <uint32_t*>enlarge(columns.source_row, size * sizeof(uint32_t))
        columns.source_rows = <int32_t>size
    columns.capacity = <int32_t>size


cdef void grow_heap(Columns* columns, int64_t length) noexcept nogil:
    cdef int64_t size = 64
    while size < length:
        size *= 2
    columns.heap = <int64_t*>enlarge(columns.heap, size * sizeof(int64_t))
    columns.heap_rows = size


cdef void grow_column(Columns* columns, int32_t k) noexcept nogil:
    cdef int64_t size = 16
    while size < columns.n:
        size *= 2
    columns.owned[k] = <int64_t*>enlarge(columns.owned[k], size * sizeof(int64_t))
    columns.owned_rows[k] = <int32_t>size


cdef void clear_columns(Columns* columns) noexcept nogil:
    cdef int32_t k
    for k in range(MAX_COLUMNS):
        free(columns.owned[k])
        columns.owned[k] = NULL
        columns.owned_rows[k] = 0
    free(columns.source_row)
    free(columns.heap)
    columns.source_row = NULL
    columns.heap = NULL
    columns.source_rows = 0
    columns.heap_rows = 0
    columns.capacity = 0


cdef uint64_t digest_columns(Columns* columns, int32_t list_column, uint64_t digest) noexcept nogil:
    """Fold the tuples, in order, into an order-sensitive digest that does not depend on how they were cut into units.

    A list (``list_column`` >= 0) counts by its items and length, not by where it lies in the heap.
    """
    cdef int32_t row, k
    cdef int64_t i
    cdef uint64_t mixed
    for row in range(columns.n):
        mixed = <uint64_t>0x9E3779B97F4A7C15
        for k in range(columns.width):
            if k == list_column:
                for i in range(columns.column[k + 1][row]):
                    mixed = (mixed ^ <uint64_t>columns.heap[columns.column[k][row] + i]) * <uint64_t>0xD6E8FEB86659FD93
                    mixed ^= mixed >> 32
            else:
                mixed = (mixed ^ <uint64_t>columns.column[k][row]) * <uint64_t>0xD6E8FEB86659FD93
                mixed ^= mixed >> 32
        digest = (digest + mixed) * <uint64_t>0xA0761D6478BD642F
        digest ^= digest >> 29
    return digest
