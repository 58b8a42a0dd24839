"""Columns: the fixed-width tuples of a work unit, each field a contiguous array of values of its type.

A field that is a list holds its start in the columns' heap, and the field after it the length; both are int64.
"""

from libc.stdlib cimport free
from libc.string cimport memcpy
from streambench.pyx.tuples.integer_types cimport integer_t
from streambench.pyx.tuples.layout cimport BOOL, FLOAT32, FLOAT64, UINT8

cdef enum:
    DIGESTED_AT_ONCE = 64               # rows

ctypedef fused floating_t:
    double
    float


cdef void grow(Columns* columns, int64_t rows) noexcept nogil:
    """Give every column in use room for at least ``rows`` tuples."""
    cdef int32_t k
    cdef int64_t size = 16, bytes
    while size < rows:
        size *= 2
    for k in range(columns.width):
        bytes = size * size_of(columns.layout, k)
        if columns.owned_bytes[k] < bytes:
            columns.owned[k] = <int64_t*>enlarge(columns.owned[k], bytes)
            columns.owned_bytes[k] = bytes
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
    size *= size_of(columns.layout, k)
    columns.owned[k] = <int64_t*>enlarge(columns.owned[k], size)
    columns.owned_bytes[k] = size


cdef void clear_columns(Columns* columns) noexcept nogil:
    cdef int32_t k
    for k in range(MAX_COLUMNS):
        free(columns.owned[k])
        columns.owned[k] = NULL
        columns.owned_bytes[k] = 0
    free(columns.source_row)
    free(columns.heap)
    columns.source_row = NULL
    columns.heap = NULL
    columns.source_rows = 0
    columns.heap_rows = 0
    columns.capacity = 0


cdef inline uint64_t stir(uint64_t mixed, uint64_t value) noexcept nogil:
    mixed = (mixed ^ value) * <uint64_t>0xD6E8FEB86659FD93
    return mixed ^ (mixed >> 32)


cdef inline void stir_integers(const integer_t* values, int32_t n, uint64_t* mixed) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        mixed[i] = stir(mixed[i], <uint64_t><int64_t>values[i])


cdef inline void stir_floats(const floating_t* values, int32_t n, uint64_t* mixed) noexcept nogil:
    cdef int32_t i
    cdef double value
    cdef uint64_t bits
    for i in range(n):
        value = <double>values[i]
        memcpy(&bits, &value, 8)
        mixed[i] = stir(mixed[i], bits)


cdef void stir_binary(const char* values, int32_t size, int32_t n, uint64_t* mixed) noexcept nogil:
    """By words of eight bytes, the last one filled up with zeros."""
    cdef int32_t i, at
    cdef uint64_t word
    for i in range(n):
        for at in range(0, size, 8):
            word = 0
            memcpy(&word, values + <int64_t>i * size + at, min(8, size - at))
            mixed[i] = stir(mixed[i], word)


cdef void stir_column(Columns* columns, int32_t k, int32_t row, int32_t n, uint64_t* mixed) noexcept nogil:
    """Stir values ``row`` to ``row`` + ``n`` - 1 of column ``k`` into ``mixed``. Of a number it is its value
    that counts, not its type."""
    cdef void* column = columns.column[k]
    cdef int32_t type = type_of(columns.layout, k)
    if type == INT64 or type == UINT64:
        stir_integers(<const int64_t*>column + row, n, mixed)
    elif type == INT32:
        stir_integers(<const int32_t*>column + row, n, mixed)
    elif type == INT16:
        stir_integers(<const int16_t*>column + row, n, mixed)
    elif type == INT8:
        stir_integers(<const int8_t*>column + row, n, mixed)
    elif type == UINT32:
        stir_integers(<const uint32_t*>column + row, n, mixed)
    elif type == UINT16:
        stir_integers(<const uint16_t*>column + row, n, mixed)
    elif type == UINT8 or type == BOOL:
        stir_integers(<const uint8_t*>column + row, n, mixed)
    elif type == FLOAT64:
        stir_floats(<const double*>column + row, n, mixed)
    elif type == FLOAT32:
        stir_floats(<const float*>column + row, n, mixed)
    else:
        stir_binary(<const char*>column + <int64_t>row * size_of(columns.layout, k), size_of(columns.layout, k), n,
                    mixed)


cdef void stir_list(Columns* columns, int32_t k, int32_t row, int32_t n, uint64_t* mixed) noexcept nogil:
    cdef int32_t i
    cdef int64_t item
    for i in range(n):
        for item in range(columns.column[k + 1][row + i]):
            mixed[i] = stir(mixed[i], <uint64_t>columns.heap[columns.column[k][row + i] + item])


cdef uint64_t digest_columns(Columns* columns, int32_t list_column, uint64_t digest) noexcept nogil:
    """Fold the tuples, in order, into an order-sensitive digest that does not depend on how they were cut into units.

    Nor on how wide a number is: 7 counts alike as int8 and as int64, 0.5 as float and as double. A list
    (``list_column`` >= 0) counts by its items and length, not by where it lies in the heap.
    """
    cdef uint64_t mixed[DIGESTED_AT_ONCE]
    cdef int32_t row = 0, k, i, n
    while row < columns.n:
        n = min(<int32_t>DIGESTED_AT_ONCE, columns.n - row)
        for i in range(n):
            mixed[i] = <uint64_t>0x9E3779B97F4A7C15
        for k in range(columns.width):
            if k == list_column:
                stir_list(columns, k, row, n, mixed)
            else:
                stir_column(columns, k, row, n, mixed)
        for i in range(n):
            digest = (digest + mixed[i]) * <uint64_t>0xA0761D6478BD642F
            digest ^= digest >> 29
        row += n
    return digest


cdef inline void widen_integers(const integer_t* values, int32_t n, int64_t* keys) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        keys[i] = <int64_t>values[i]


cdef void keys_of(Columns* columns, int32_t k, int64_t* keys) noexcept nogil:
    """Write column ``k`` as 64-bit keys. Those of equal integers are equal, whatever their type;
    bytes and floats are stirred."""
    cdef void* column = columns.column[k]
    cdef int32_t type = type_of(columns.layout, k), i
    if columns.n == 0:
        return
    if type == INT64 or type == UINT64:
        memcpy(keys, column, columns.n * sizeof(int64_t))
    elif type == INT32:
        widen_integers(<const int32_t*>column, columns.n, keys)
    elif type == INT16:
        widen_integers(<const int16_t*>column, columns.n, keys)
    elif type == INT8:
        widen_integers(<const int8_t*>column, columns.n, keys)
    elif type == UINT32:
        widen_integers(<const uint32_t*>column, columns.n, keys)
    elif type == UINT16:
        widen_integers(<const uint16_t*>column, columns.n, keys)
    elif type == UINT8 or type == BOOL:
        widen_integers(<const uint8_t*>column, columns.n, keys)
    else:
        for i in range(columns.n):
            keys[i] = 0
        stir_column(columns, k, 0, columns.n, <uint64_t*>keys)
