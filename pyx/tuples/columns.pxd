"""A run of consecutive tuples, column by column."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.tuples.layout cimport (
    INT8, INT16, INT32, INT64, MAX_COLUMNS, UINT16, UINT32, UINT64, LayoutPointer, size_of, type_of,
)

cdef enum:
    NO_END = 0x7FFFFFFF                 # `most` where nobody comes back for the rest

cdef struct Columns:
    int32_t n                           # tuples held
    int32_t capacity                    # tuples that fit without growing
    int32_t width                       # columns in use
    LayoutPointer layout                # their types; NULL: all are int64
    uint32_t* source_row                # the input tuple that each output came from (partitioned operators fill it)
    int32_t source_rows
    int64_t* heap                       # variable-length lists; a tuple holds the start and the length of its own
    int64_t heap_n
    int64_t heap_rows
    const char* failure                 # why the operator refused a tuple
    int32_t most                        # tuples with which an operator that emits into these may stop, see `enough`
    int32_t taken                       # and how much of its input it has taken then
    int64_t first_time                  # event time of the tuples, or of those they come from: none before this one,
    int64_t last_time                   # none after that one. Not known where it is before the first
    int64_t* column[MAX_COLUMNS]        # where to read and write, whatever the type:
                                        # `owned`, or the source's (read only)
    int64_t* owned[MAX_COLUMNS]
    int64_t owned_bytes[MAX_COLUMNS]

cdef void grow(Columns* columns, int64_t rows) noexcept nogil
cdef void grow_heap(Columns* columns, int64_t length) noexcept nogil
cdef void grow_column(Columns* columns, int32_t k) noexcept nogil
cdef void clear_columns(Columns* columns) noexcept nogil
cdef void keys_of(Columns* columns, int32_t k, int64_t* keys) noexcept nogil
cdef uint64_t digest_columns(Columns* columns, int32_t list_column, uint64_t digest) noexcept nogil

cdef inline void reset_as(Columns* columns, int32_t width, LayoutPointer layout) noexcept nogil:
    """Empty, with ``width`` owned columns of these types."""
    columns.n = 0
    columns.heap_n = 0
    columns.most = NO_END
    columns.first_time = 0
    columns.last_time = -1
    if columns.width != width or columns.layout is not layout:
        columns.width = width
        columns.layout = layout
        columns.capacity = 0            # the new columns' buffers may be shorter: the next reserve looks

cdef inline void reset_after(Columns* out, const Columns* rows, int32_t width, LayoutPointer layout) noexcept nogil:
    """The same for what ``rows`` give rise to, whose event time it has."""
    reset_as(out, width, layout)
    out.first_time = rows.first_time
    out.last_time = rows.last_time

cdef inline void reset(Columns* columns, int32_t width) noexcept nogil:
    """Empty, with ``width`` owned columns of 64-bit integers."""
    reset_as(columns, width, NULL)

cdef inline void widen(Columns* columns, int32_t width, LayoutPointer layout) noexcept nogil:
    """Append columns (their values undefined) for an operator that works in place; those before stay as they are."""
    cdef int32_t k, given = columns.width
    columns.layout = layout
    columns.width = width
    for k in range(given, width):
        if columns.owned_bytes[k] < <int64_t>columns.n * size_of(layout, k):
            grow_column(columns, k)
        columns.column[k] = columns.owned[k]
    columns.capacity = 0                # a later reset or reserve looks at every column again

cdef inline void reserve(Columns* columns, int64_t more) noexcept nogil:
    """Make room for ``more`` further tuples; what the columns hold stays. Pointers into them change."""
    if columns.n + more > columns.capacity:
        grow(columns, columns.n + more)

cdef inline int32_t emit(Columns* out) noexcept nogil:
    """Append a tuple and return its row, to be filled in."""
    cdef int32_t row = out.n
    if row >= out.capacity:
        grow(out, row + 1)
    out.n = row + 1
    return row

cdef inline int32_t emit_from(Columns* out, uint32_t source_row) noexcept nogil:
    """Append a tuple that input row ``source_row`` gave rise to: how a partitioned operator emits."""
    cdef int32_t row = emit(out)
    out.source_row[row] = source_row
    return row

cdef inline bint enough(Columns* out, int32_t taken) noexcept nogil:
    """May an operator stop that has emitted all outputs of its first ``taken`` tuples, and return -1?

    For one that emits many tuples for one: what is emitted goes through the rest of the pipeline, and then
    the operator is called again for the tuples that it has not taken. Ask after each tuple, or where
    ``out.n`` has come to ``out.most``.
    """
    if out.n < out.most:
        return False
    out.taken = taken
    return True

cdef inline void drop_first(Columns* columns, int32_t n) noexcept nogil:
    """Leave out the first ``n`` tuples."""
    cdef int32_t k
    for k in range(columns.width):
        columns.column[k] = <int64_t*>(<char*>columns.column[k] + <int64_t>n * size_of(columns.layout, k))
    columns.n -= n
    columns.capacity = 0                # the next user starts with what is owned

cdef inline void reserve_heap(Columns* columns, int64_t more) noexcept nogil:
    if columns.heap_n + more > columns.heap_rows:
        grow_heap(columns, columns.heap_n + more)

cdef inline int64_t integer_at(Columns* columns, int32_t k, int64_t row) noexcept nogil:
    """A value of a column of integers or booleans, whatever their type."""
    cdef void* column = columns.column[k]
    cdef int32_t type = type_of(columns.layout, k)
    if type == INT64 or type == UINT64:
        return (<int64_t*>column)[row]
    if type == INT32:
        return (<int32_t*>column)[row]
    if type == UINT32:
        return (<uint32_t*>column)[row]
    if type == INT16:
        return (<int16_t*>column)[row]
    if type == UINT16:
        return (<uint16_t*>column)[row]
    if type == INT8:                    # of one expression for both Cython makes the type uint8_t
        return (<int8_t*>column)[row]
    return (<uint8_t*>column)[row]

cdef inline void put_integer(Columns* columns, int32_t k, int64_t row, int64_t value) noexcept nogil:
    """Write to a column of integers, whatever their type; the value must fit."""
    cdef void* column = columns.column[k]
    cdef int32_t size = size_of(columns.layout, k)
    if size == 8:
        (<int64_t*>column)[row] = value
    elif size == 4:
        (<int32_t*>column)[row] = <int32_t>value
    elif size == 2:
        (<int16_t*>column)[row] = <int16_t>value
    else:
        (<int8_t*>column)[row] = <int8_t>value

cdef inline int32_t fail(Columns* out, int32_t row, const char* why) noexcept nogil:
    """What an operator returns when it cannot process input row ``row``; ``why`` must be a static string."""
    out.failure = why
    return row
