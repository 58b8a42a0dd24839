"""Keys of any type as words of 64 bits, which are ordered as the values are; and back.

An integer is a word. So is a float, by its bits: two NaN of the same bits are one key, as are not 0.0 and -0.0. Bytes
are as many words as they need.
"""

from libc.stdint cimport INT64_MIN, int16_t, uint8_t, uint32_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport integer_at, put_integer
from streambench.pyx.tuples.integer_types cimport integer_t
from streambench.pyx.tuples.layout cimport (
    BINARY, FLOAT32, FLOAT64, INT16, INT32, INT64, UINT32, UINT64, size_of, type_of,
)


cdef int32_t key_words_of(int32_t type, int32_t size) noexcept nogil:
    """How many words a value of this type takes."""
    return (size + 7) // 8 if type == BINARY else 1


cdef inline int64_t of_double(double value) noexcept nogil:
    cdef int64_t bits
    memcpy(&bits, &value, 8)
    return bits if bits >= 0 else ~bits ^ INT64_MIN


cdef inline double to_double(int64_t word) noexcept nogil:
    cdef int64_t bits = word if word >= 0 else ~(word ^ INT64_MIN)
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef void read_words(Columns* rows, int32_t column, const int32_t* row, int32_t n, int64_t* words,
                     int32_t stride) noexcept nogil:
    """The words of ``n`` rows of a column, each of them ``stride`` behind the one before it."""
    cdef int32_t type = type_of(rows.layout, column), size = size_of(rows.layout, column), i
    cdef void* values = rows.column[column]
    if type == FLOAT64:
        for i in range(n):
            words[i * stride] = of_double((<const double*>values)[row[i]])
    elif type == FLOAT32:
        for i in range(n):
            words[i * stride] = of_double((<const float*>values)[row[i]])
    elif type == BINARY:
        for i in range(n):
            read_bytes(<const uint8_t*>values + <int64_t>row[i] * size, size, words + i * stride)
    elif type == UINT64:
        for i in range(n):
            words[i * stride] = (<const int64_t*>values)[row[i]] ^ INT64_MIN
    else:
        read_integers(rows, column, row, n, words, stride)


cdef inline void widen(const integer_t* values, const int32_t* row, int32_t n, int64_t* words,
                       int32_t stride) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        words[i * stride] = <int64_t>values[row[i]]


cdef void read_integers(Columns* rows, int32_t column, const int32_t* row, int32_t n, int64_t* words,
                        int32_t stride) noexcept nogil:
    """The same of integers or booleans, but for those of 64 bits without a sign."""
    cdef int32_t type = type_of(rows.layout, column), i
    cdef void* values = rows.column[column]
    if type == INT64:
        widen(<const int64_t*>values, row, n, words, stride)
    elif type == INT32:
        widen(<const int32_t*>values, row, n, words, stride)
    elif type == UINT32:
        widen(<const uint32_t*>values, row, n, words, stride)
    elif type == INT16:
        widen(<const int16_t*>values, row, n, words, stride)
    else:
        for i in range(n):
            words[i * stride] = integer_at(rows, column, row[i])


cdef void read_bytes(const uint8_t* value, int32_t size, int64_t* words) noexcept nogil:
    cdef int32_t word, k, at
    cdef uint64_t made
    for word in range((size + 7) // 8):
        made = 0
        for k in range(8):
            at = word * 8 + k
            made = made << 8 | (value[at] if at < size else 0)
        words[word] = <int64_t>made ^ INT64_MIN


cdef void write_words(Columns* out, int32_t column, int32_t row, const int64_t* words) noexcept nogil:
    """The value that ``read_words`` has read."""
    cdef int32_t type = type_of(out.layout, column), size = size_of(out.layout, column), at
    cdef char* values = <char*>out.column[column]
    if type == FLOAT64:
        (<double*>values)[row] = to_double(words[0])
    elif type == FLOAT32:
        (<float*>values)[row] = <float>to_double(words[0])
    elif type == BINARY:
        for at in range(size):
            values[<int64_t>row * size + at] = <char>(<uint64_t>(words[at // 8] ^ INT64_MIN) >> (56 - 8 * (at % 8)))
    else:
        put_integer(out, column, row, words[0] ^ (INT64_MIN if type == UINT64 else 0))
