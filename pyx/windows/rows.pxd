"""Rows of keys, which lie one behind the other, and where each key's is."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from streambench.pyx.windows.definition cimport Definition
from streambench.pyx.windows.panes cimport Panes

cdef struct Place:
    # A row, where `generation` is the rows' own; else it is empty.
    uint32_t generation
    uint32_t row

cdef struct Header:
    # Of a row, but for tumbling windows, whose rows have none.
    int64_t begun                       # of a session its first time; of counted windows how many tuples have come
    int64_t last                        # of a session its last time
    int64_t behind                      # of an empty row the next one, -1 for none
    Panes* panes                        # of windows that overlap

cdef struct Rows:
    # A row: its header, the key's words, the cells.
    Place* places                       # a hash table
    int64_t mask                        # its places, less 1
    uint32_t generation
    char* rows
    int64_t row_size
    int32_t n                           # rows, of which those in the free list are empty
    int32_t allotted
    int32_t free                        # a row that is empty, which has the next one in `behind`; -1: there is none
    int32_t open                        # rows that are not empty

cdef void init_rows(Rows* rows, const Definition* definition) noexcept nogil
cdef void clear_rows(Rows* rows) noexcept nogil
cdef void make_room(Rows* rows, const Definition* definition, int32_t more) noexcept nogil
cdef void forget_rows(Rows* rows) noexcept nogil
cdef int64_t* add_row(Rows* rows, const Definition* definition, Place* place, const int64_t* key) noexcept nogil
cdef void ask_for_rows(const Rows* rows, const Definition* definition, const int64_t* keys, int32_t n) noexcept nogil
cdef int64_t* move_row(int64_t* row, Rows* to, const Definition* definition) noexcept nogil
cdef void remove_row(Rows* rows, const Definition* definition, int32_t row) noexcept nogil
cdef void keep_only(Rows* rows, const Definition* definition, const char* kept) noexcept nogil

cdef inline int64_t* row_of(const Rows* rows, int64_t row) noexcept nogil:
    return <int64_t*>(rows.rows + row * rows.row_size)

cdef inline Header* header_of(int64_t* row) noexcept nogil:
    return <Header*>row

cdef inline int64_t* cells_of(const Definition* definition, int64_t* row) noexcept nogil:
    return row + definition.cells

cdef inline uint64_t hash_key(const int64_t* key, int32_t words) noexcept nogil:
    cdef uint64_t mixed = 0
    cdef int32_t k
    for k in range(words):
        mixed = (mixed ^ <uint64_t>key[k]) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
    return mixed

cdef inline int64_t partition_key(const int64_t* key, int32_t words) noexcept nogil:
    """What is hashed to find a key's partition."""
    return key[0] if words == 1 else <int64_t>hash_key(key, words)

cdef inline bint has_key(const int64_t* held, const int64_t* key, int32_t words) noexcept nogil:
    cdef int32_t k
    for k in range(words):
        if held[k] != key[k]:
            return False
    return True

cdef inline int64_t* find_row(Rows* rows, const Definition* definition, const int64_t* key) noexcept nogil:
    """The row of a key, which is added where there is none; there must be room for it."""
    cdef int64_t at
    cdef int64_t* row
    at = <int64_t>hash_key(key, definition.key_words) & rows.mask
    while rows.places[at].generation == rows.generation:
        row = row_of(rows, rows.places[at].row)
        if has_key(row + definition.header, key, definition.key_words):
            return row
        at = (at + 1) & rows.mask
    return add_row(rows, definition, rows.places + at, key)
