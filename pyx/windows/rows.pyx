"""Rows of keys: a hash table whose rows lie one behind the other.

All of them are forgotten at once in constant time, as where a tumbling window closes: places of an older generation are
empty. So memory is that of the most keys that were open at a time.
"""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

cdef enum:
    LEAST_ROWS = 256


cdef void init_rows(Rows* rows, const Definition* definition) noexcept nogil:
    memset(rows, 0, sizeof(Rows))
    rows.row_size = (definition.cells + definition.cell_words) * sizeof(int64_t)
    rows.generation = 1
    rows.free = -1


cdef void clear_rows(Rows* rows) noexcept nogil:
    free(rows.places)
    free(rows.rows)
    rows.places = NULL
    rows.rows = NULL


cdef void make_room(Rows* rows, const Definition* definition, int32_t more) noexcept nogil:
    """Room for so many further rows, which then stay where they are; at most half of the places are taken."""
    cdef int64_t size = LEAST_ROWS, k, at
    cdef Place* old = rows.places
    cdef int64_t old_size = rows.mask + 1 if old is not NULL else 0
    if rows.n + more <= rows.allotted:
        return
    while size < rows.n + more:
        size *= 2
    rows.rows = <char*>enlarge(rows.rows, size * rows.row_size)
    rows.allotted = <int32_t>size
    rows.places = <Place*>enlarge(NULL, 2 * size * sizeof(Place))
    memset(rows.places, 0, 2 * size * sizeof(Place))
    rows.mask = 2 * size - 1
    for k in range(old_size):
        if old[k].generation == rows.generation:
            at = <int64_t>hash_key(row_of(rows, old[k].row) + definition.header, definition.key_words) & rows.mask
            while rows.places[at].generation == rows.generation:
                at = (at + 1) & rows.mask
            rows.places[at] = old[k]
    free(old)


cdef void forget_rows(Rows* rows) noexcept nogil:
    """All of them; what their cells keep must have been freed."""
    rows.n = rows.open = 0
    rows.free = -1
    rows.generation += 1
    if rows.generation == 0:
        memset(rows.places, 0, (rows.mask + 1) * sizeof(Place))
        rows.generation = 1


cdef int64_t* add_row(Rows* rows, const Definition* definition, int64_t at, const int64_t* key) noexcept nogil:
    """A new row for the place, which is empty."""
    cdef int32_t number = rows.free
    cdef int64_t* row
    if number >= 0:
        row = row_of(rows, number)
        rows.free = header_of(row).behind
    else:
        number = rows.n
        row = row_of(rows, number)
        rows.n += 1
    rows.open += 1
    rows.places[at].generation = rows.generation
    rows.places[at].row = <uint32_t>number
    memset(row, 0, rows.row_size)
    memcpy(row + definition.header, key, definition.key_words * sizeof(int64_t))
    return row


cdef void remove_row(Rows* rows, const Definition* definition, int32_t number) noexcept nogil:
    """Forget one. Places behind it that would not be found any more move up (Knuth, volume 3, algorithm 6.4 R)."""
    cdef int64_t* row = row_of(rows, number)
    cdef int64_t at = <int64_t>hash_key(row + definition.header, definition.key_words) & rows.mask, hole, wanted
    while rows.places[at].row != <uint32_t>number or rows.places[at].generation != rows.generation:
        at = (at + 1) & rows.mask
    hole = at
    while True:
        at = (at + 1) & rows.mask
        if rows.places[at].generation != rows.generation:
            break
        wanted = <int64_t>hash_key(row_of(rows, rows.places[at].row) + definition.header,
                                   definition.key_words) & rows.mask
        if ((at - wanted) & rows.mask) >= ((at - hole) & rows.mask):
            rows.places[hole] = rows.places[at]
            hole = at
    rows.places[hole].generation = 0
    header_of(row).behind = rows.free
    rows.free = number
    rows.open -= 1


cdef void keep_only(Rows* rows, const Definition* definition, const char* kept) noexcept nogil:
    """Forget those whose ``kept`` is 0, of rows none of which is empty; the last ones move into their stead."""
    cdef int32_t n = rows.n, to = 0, number
    cdef int64_t at
    forget_rows(rows)
    for number in range(n):
        if not kept[number]:
            continue
        if to < number:
            memcpy(row_of(rows, to), row_of(rows, number), rows.row_size)
        at = <int64_t>hash_key(row_of(rows, to) + definition.header, definition.key_words) & rows.mask
        while rows.places[at].generation == rows.generation:
            at = (at + 1) & rows.mask
        rows.places[at].generation = rows.generation
        rows.places[at].row = <uint32_t>to
        to += 1
    rows.n = rows.open = to
