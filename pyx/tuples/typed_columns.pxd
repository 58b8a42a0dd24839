"""Columns as arrays of their types, for operators that declare what they read and emit."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp cimport bool as bool_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport (
    BINARY, BOOL, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, size_of, type_of,
)

# In C++, for the preprocessor: builds that look for mistakes ask whether a column is what its reader takes it for.
cdef extern from *:
    """
    #ifdef STREAMBENCH_CHECKED
    #include <cstdio>
    #include <cstdlib>
    #define STREAMBENCH_CHECK(met, k) \\
        ((met) ? (void)0 \\
               : (std::fprintf(stderr, "column %d is not of the type it is read as\\n", int(k)), std::abort()))
    #else
    #define STREAMBENCH_CHECK(met, k) ((void)(met))
    #endif
    """
    void check "STREAMBENCH_CHECK"(bint met, int32_t k) noexcept nogil

# Column ``k`` as an array of its type. Growing moves it: take it again after `emit` or `reserve`.

cdef inline int64_t* int64_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == INT64, k)
    return columns.column[k]

cdef inline int32_t* int32_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == INT32, k)
    return <int32_t*>columns.column[k]

cdef inline int16_t* int16_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == INT16, k)
    return <int16_t*>columns.column[k]

cdef inline int8_t* int8_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == INT8, k)
    return <int8_t*>columns.column[k]

cdef inline uint64_t* uint64_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == UINT64, k)
    return <uint64_t*>columns.column[k]

cdef inline uint32_t* uint32_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == UINT32, k)
    return <uint32_t*>columns.column[k]

cdef inline uint16_t* uint16_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == UINT16, k)
    return <uint16_t*>columns.column[k]

cdef inline uint8_t* uint8_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == UINT8, k)
    return <uint8_t*>columns.column[k]

cdef inline double* float64_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == FLOAT64, k)
    return <double*>columns.column[k]

cdef inline float* float32_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == FLOAT32, k)
    return <float*>columns.column[k]

cdef inline bool_t* bool_column(Columns* columns, int32_t k) noexcept nogil:
    check(k < columns.width and type_of(columns.layout, k) == BOOL, k)
    return <bool_t*>columns.column[k]

cdef inline char* binary_column(Columns* columns, int32_t k, int32_t size) noexcept nogil:
    """Values of ``size`` bytes each, one behind the other."""
    check(k < columns.width and type_of(columns.layout, k) == BINARY and size_of(columns.layout, k) == size, k)
    return <char*>columns.column[k]
