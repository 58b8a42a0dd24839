"""The state of keys: a row of whole cache lines for each."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    ROWS_AHEAD = 32                         # rows by which a loop prefetches; measured, not critical

cdef struct FarKey:
    int64_t key
    char* row

cdef class KeyedRows:
    # Of keys 0 to near_keys - 1, indexed by key; `far` has those of other keys.
    cdef char* near
    cdef uint64_t near_keys
    cdef readonly int64_t row_size
    cdef size_t mapped                      # bytes
    cdef void* tables                       # of the module's FarRows, one for each partition
    cdef int32_t partitions
    cdef vector[FarKey] far_in_order        # once the flush has begun
    cdef int64_t next_near
    cdef size_t next_far
    cdef bint flushing
    cdef void open(self, int32_t partitions, int64_t bound) except *
    cdef void clear(self) noexcept
    cdef char* far(self, int32_t partition, int64_t key) noexcept nogil
    cdef void find_far(self, int32_t partition, int64_t key, char** row) noexcept nogil
    cdef char** far_ahead(self, int32_t partition) noexcept nogil
    cdef size_t n_far(self, int32_t partition) noexcept nogil
    cdef FarKey far_at(self, int32_t partition, size_t number) noexcept nogil
    cdef void begin_flush(self) noexcept nogil
    cdef char* next_in_order(self, int64_t* key) noexcept nogil

cdef inline int32_t row_at(const uint32_t* selected, int32_t i) noexcept nogil:
    """Which row is the i-th of those that a partitioned operator is called with."""
    return <int32_t>selected[i] if selected is not NULL else i


cdef struct RowsAhead:
    # A loop's, over the keys that a partitioned operator is called with.
    char* near
    uint64_t near_keys
    const void* keys
    int32_t key_size
    const uint32_t* selected
    int32_t n
    int32_t partition
    char** far                              # of the next ROWS_AHEAD keys those not near, the i-th at i % ROWS_AHEAD

cdef inline int64_t key_of(RowsAhead* ahead, int32_t i) noexcept nogil:
    cdef int32_t row = row_at(ahead.selected, i)
    return (<const int64_t*>ahead.keys)[row] if ahead.key_size == 8 else <int64_t>(<const int32_t*>ahead.keys)[row]

cdef inline char* as_near(RowsAhead* ahead, int64_t row_size, int64_t key) noexcept nogil:
    """Where the key's row is if it is near, else no address of ours."""
    return <char*>(<uint64_t>ahead.near + <uint64_t>key * <uint64_t>row_size)

cdef inline void ask_for(RowsAhead* ahead, KeyedRows rows, int64_t row_size, int32_t i) noexcept nogil:
    cdef int64_t key = key_of(ahead, i)
    prefetch(as_near(ahead, row_size, key), 1)      # of a far key, too: a branch around it costs more
    if <uint64_t>key >= ahead.near_keys:
        rows.find_far(ahead.partition, key, &ahead.far[i & (ROWS_AHEAD - 1)])

cdef inline void look_ahead(RowsAhead* ahead, KeyedRows rows, int64_t row_size, int32_t partition, const void* keys,
                            int32_t key_size, const uint32_t* selected, int32_t n) noexcept nogil:
    """Before the first key. ``keys``: int64 or, with a ``key_size`` of 4, int32. ``row_size``: what ``rows`` was
    made with; both as constants."""
    cdef int32_t i
    ahead.near = rows.near
    ahead.near_keys = rows.near_keys
    ahead.keys = keys
    ahead.key_size = key_size
    ahead.selected = selected
    ahead.n = n
    ahead.partition = partition
    ahead.far = rows.far_ahead(partition)
    for i in range(min(n, <int32_t>ROWS_AHEAD)):
        ask_for(ahead, rows, row_size, i)

cdef inline char* next_row(RowsAhead* ahead, KeyedRows rows, int64_t row_size, int32_t i) noexcept nogil:
    """The row of the i-th key, for each i = 0, 1, ... in turn; that of the key ``ROWS_AHEAD``
    later is found and asked for.

    None may be left out, and one loop at a time may be in a partition: it keeps far keys' rows there.
    """
    cdef int64_t key = key_of(ahead, i)
    cdef char* row = as_near(ahead, row_size, key)
    if <uint64_t>key >= ahead.near_keys:
        row = ahead.far[i & (ROWS_AHEAD - 1)]
    if i + ROWS_AHEAD < ahead.n:
        ask_for(ahead, rows, row_size, i + ROWS_AHEAD)
    return row
