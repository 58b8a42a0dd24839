"""Layouts: the types of a unit's columns, and how many bytes a value takes."""

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    MAX_COLUMNS = 64

cdef enum:
    INT64
    INT32
    INT16
    INT8
    UINT64
    UINT32
    UINT16
    UINT8
    FLOAT64
    FLOAT32
    BOOL
    BINARY                              # of fixed size

cdef struct Layout:
    # Never changed and never freed, one for all columns of the same types: the pointers of equal layouts are equal.
    int32_t width
    int32_t size[MAX_COLUMNS]           # bytes of a value
    uint8_t type[MAX_COLUMNS]

ctypedef const Layout* LayoutPointer    # NULL: all columns are INT64

cdef LayoutPointer layout_of(tuple types) except? NULL
cdef tuple values_of(const char* values, LayoutPointer layout, int32_t width)

cdef inline int32_t size_of(LayoutPointer layout, int32_t k) noexcept nogil:
    return 8 if layout is NULL else layout.size[k]

cdef inline int32_t type_of(LayoutPointer layout, int32_t k) noexcept nogil:
    return <int32_t>INT64 if layout is NULL else <int32_t>layout.type[k]
