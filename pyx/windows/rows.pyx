"""Rows of keys, which lie one behind the other, and where each key's is.

Small integers are keys by which an array is indexed, as long as it does not become many times as large as the rows. A
hash table has the others. All rows are forgotten at once in constant time, as where a tumbling window closes: places of
an older generation are empty. So memory is that of the most keys that were open at a time.
"""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    LEAST_ROWS = 256
    LEAST_NEAR = 4096
    NEAR_OF_ROW = 16                    # near keys for each row that has been allotted, at most
    FEW_ROWS = 4096                     # they are in the cache anyway


cdef void init_rows(Rows* rows, const Definition* definition) noexcept nogil:
    memset(rows, 0, sizeof(Rows))
    rows.row_size = (definition.cells + definition.cell_words) * sizeof(int64_t)
    rows.generation = 1
    rows.free = -1


cdef void clear_rows(Rows* rows) noexcept nogil:
    free(rows.near)
    free(rows.places)
    free(rows.rows)
    rows.near = rows.places = NULL
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
    place_anew(rows, definition, 2 * size, rows.near_keys)


cdef void place_anew(Rows* rows, const Definition* definition, int64_t places, uint64_t near_keys) noexcept nogil:
    """Make so many places, and put the rows there."""
    cdef Place* old[2]
    cdef int64_t sizes[2]
    cdef int64_t k
    cdef int32_t j
    old[0], old[1] = rows.near, rows.places
    sizes[0], sizes[1] = <int64_t>rows.near_keys, rows.mask + 1 if rows.places is not NULL else 0
    rows.near = <Place*>enlarge(NULL, max(near_keys, <uint64_t>1) * sizeof(Place))
    rows.places = <Place*>enlarge(NULL, places * sizeof(Place))
    memset(rows.near, 0, near_keys * sizeof(Place))
    memset(rows.places, 0, places * sizeof(Place))
    rows.near_keys = near_keys
    rows.mask = places - 1
    for j in range(2):
        for k in range(sizes[j]):
            if old[j][k].generation == rows.generation:
                place_row(rows, definition, old[j][k].row)
        free(old[j])


cdef void place_row(Rows* rows, const Definition* definition, uint32_t number) noexcept nogil:
    """Let a row be found, which has its key."""
    cdef const int64_t* key = row_of(rows, number) + definition.header
    cdef int64_t at = <int64_t>hash_key(key, definition.key_words) & rows.mask
    cdef Place* place
    if definition.key_words == 1 and <uint64_t>key[0] < rows.near_keys:
        place = rows.near + key[0]
    else:
        while rows.places[at].generation == rows.generation:
            at = (at + 1) & rows.mask
        place = rows.places + at
    place.generation = rows.generation
    place.row = number


cdef void forget_rows(Rows* rows) noexcept nogil:
    """All of them; what their cells keep must have been freed."""
    rows.n = rows.open = 0
    rows.free = -1
    rows.generation += 1
    if rows.generation == 0:
        memset(rows.near, 0, rows.near_keys * sizeof(Place))
        memset(rows.places, 0, (rows.mask + 1) * sizeof(Place))
        rows.generation = 1


cdef int64_t* add_row(Rows* rows, const Definition* definition, Place* place, const int64_t* key) noexcept nogil:
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
    place.generation = rows.generation
    place.row = <uint32_t>number
    memset(row, 0, rows.row_size)
    memcpy(row + definition.header, key, definition.key_words * sizeof(int64_t))
    return row


cdef int64_t* add_far(Rows* rows, const Definition* definition, int64_t at, const int64_t* key) noexcept nogil:
    """A new row for a key that is not near, with the empty place of the hash table; if it can be near, it is from now
    on."""
    cdef uint64_t near = LEAST_NEAR
    if definition.key_words != 1 or <uint64_t>key[0] >= <uint64_t>max(<int64_t>LEAST_NEAR,
                                                                     <int64_t>NEAR_OF_ROW * rows.allotted):
        return add_row(rows, definition, rows.places + at, key)
    while near <= <uint64_t>key[0]:
        near *= 2
    place_anew(rows, definition, rows.mask + 1, near)
    return add_row(rows, definition, rows.near + key[0], key)


cdef void ask_for_rows(const Rows* rows, const Definition* definition, const int64_t* keys, int32_t n) noexcept nogil:
    """Have the rows of these keys in the cache soon, where there are many."""
    cdef int32_t i
    cdef const Place* place
    if rows.allotted <= FEW_ROWS:
        return
    for i in range(n):
        prefetch(place_of(rows, definition, keys + i * definition.key_words), 1)
    for i in range(n):
        place = place_of(rows, definition, keys + i * definition.key_words)
        if place.generation == rows.generation:
            prefetch(row_of(rows, place.row), 1)


cdef inline const Place* place_of(const Rows* rows, const Definition* definition, const int64_t* key) noexcept nogil:
    """Where a key is, or its first place of the hash table."""
    if definition.key_words == 1 and <uint64_t>key[0] < rows.near_keys:
        return rows.near + key[0]
    return rows.places + (<int64_t>hash_key(key, definition.key_words) & rows.mask)


cdef void remove_row(Rows* rows, const Definition* definition, int32_t number) noexcept nogil:
    """Forget one. Places behind it that would not be found any more move up (Knuth, volume 3, algorithm 6.4 R)."""
    cdef int64_t* row = row_of(rows, number)
    cdef const int64_t* key = row + definition.header
    cdef int64_t at, hole, wanted
    header_of(row).behind = rows.free
    rows.free = number
    rows.open -= 1
    if definition.key_words == 1 and <uint64_t>key[0] < rows.near_keys:
        rows.near[key[0]].generation = 0
        return
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
