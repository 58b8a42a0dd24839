"""Rows of keys, which lie one behind the other, and where each key's is.

A hash table has the places. All rows are forgotten at once in constant time, as where a tumbling window closes: places
of an older generation are empty. So memory is that of the most keys that were open at a time.
"""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    LEAST_ROWS = 256
    FEW_ROWS = 4096                     # they are in the cache anyway


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
    cdef int64_t size = LEAST_ROWS
    if rows.n + more <= rows.allotted:
        return
    while size < rows.n + more:
        size *= 2
    rows.rows = <char*>enlarge(rows.rows, size * rows.row_size)
    rows.allotted = <int32_t>size
    place_anew(rows, definition, 2 * size)


cdef void place_anew(Rows* rows, const Definition* definition, int64_t places) noexcept nogil:
    """Make so many places, and put the rows there."""
    cdef Place* old = rows.places
    cdef int64_t size = 0 if old is NULL else rows.mask + 1, k
    rows.places = <Place*>enlarge(NULL, places * sizeof(Place))
    memset(rows.places, 0, places * sizeof(Place))
    rows.mask = places - 1
    for k in range(size):
        if old[k].generation == rows.generation:
            place_row(rows, definition, old[k].row)
    free(old)


cdef void place_row(Rows* rows, const Definition* definition, uint32_t number) noexcept nogil:
    """Let a row be found, which has its key."""
    cdef int64_t at = <int64_t>hash_key(row_of(rows, number) + definition.header, definition.key_words) & rows.mask
    while rows.places[at].generation == rows.generation:
        at = (at + 1) & rows.mask
    rows.places[at].generation = rows.generation
    rows.places[at].row = number


cdef void forget_rows(Rows* rows) noexcept nogil:
    """All of them; what their cells keep must have been freed."""
    if rows.n == 0:
        return
    rows.n = rows.open = 0
    rows.free = -1
    rows.generation += 1
    if rows.generation == 0:
        memset(rows.places, 0, (rows.mask + 1) * sizeof(Place))
        rows.generation = 1


cdef int64_t* add_row(Rows* rows, const Definition* definition, Place* place, const int64_t* key) noexcept nogil:
    """A new row for the place, which is empty."""
    cdef int32_t number = rows.free
    cdef int64_t* row
    if number >= 0:
        row = row_of(rows, number)
        rows.free = <int32_t>header_of(row).behind
    else:
        number = rows.n
        row = row_of(rows, number)
        rows.n += 1
    rows.open += 1
    place.generation = rows.generation
    place.row = <uint32_t>number
    memset(row, 0, rows.row_size)
    memcpy(row + definition.header, key, definition.key_words * sizeof(int64_t))
    return row


cdef int64_t* move_row(int64_t* row, Rows* to, const Definition* definition) noexcept nogil:
    """Move a row of other rows; who calls this has those forget it. What it keeps has one owner at any time, also where
    memory is refused."""
    cdef int64_t* moved
    make_room(to, definition, 1)
    moved = find_row(to, definition, row + definition.header)
    memcpy(moved, row, to.row_size)
    memset(cells_of(definition, row), 0, definition.cell_words * sizeof(int64_t))
    if definition.header:
        header_of(row).panes = NULL
    return moved


cdef void ask_for_rows(const Rows* rows, const Definition* definition, const int64_t* keys, int32_t n) noexcept nogil:
    """Have the rows of these keys in the cache soon, where there are many."""
    cdef int32_t i, words = definition.key_words
    cdef const Place* place
    if rows.allotted <= FEW_ROWS:
        return
    for i in range(n):
        prefetch(rows.places + (<int64_t>hash_key(keys + i * words, words) & rows.mask), 1)
    for i in range(n):
        place = rows.places + (<int64_t>hash_key(keys + i * words, words) & rows.mask)
        if place.generation == rows.generation:
            prefetch(row_of(rows, place.row), 1)


cdef void remove_row(Rows* rows, const Definition* definition, int32_t number) noexcept nogil:
    """Forget one, which then counts no tuples. Places behind it that would not be found any more move up (Knuth, volume
    3, algorithm 6.4 R)."""
    cdef int64_t* row = row_of(rows, number)
    cdef const int64_t* key = row + definition.header
    cdef int64_t at, hole, wanted
    cells_of(definition, row)[0] = 0
    header_of(row).behind = rows.free
    rows.free = number
    rows.open -= 1
    at = <int64_t>hash_key(key, definition.key_words) & rows.mask
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


cdef void keep_only(Rows* rows, const Definition* definition, const char* kept) noexcept nogil:
    """Forget those whose ``kept`` is 0, of rows none of which is empty; the last ones move into their stead."""
    cdef int32_t n = rows.n, to = 0, number
    forget_rows(rows)
    for number in range(n):
        if not kept[number]:
            continue
        if to < number:
            memcpy(row_of(rows, to), row_of(rows, number), rows.row_size)
        place_row(rows, definition, <uint32_t>to)
        to += 1
    rows.n = rows.open = to
