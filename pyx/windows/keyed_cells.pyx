"""The cells of keys: of small integers by the key itself, of others in rows that are found by a hash.

Near cells take an array, as long as that does not become many times as large as what is in it. A bit for each key says
which have tuples, a bit for each 64 of these which do at all: so keys are listed in ascending order, and forgotten, in
time by their number.
"""

from libc.string cimport memcpy, memset
from libcpp.bit cimport countr_zero
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages, unmap_pages
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.windows.rows cimport (
    ask_for_rows, clear_rows, forget_rows, init_rows, keep_only, remove_row, row_of,
)

cdef enum:
    BITS = 64
    FEW_BYTES = 1 << 18                 # they are in the cache anyway
    AHEAD = 16                          # tuples whose cells are asked for before they are reached


cdef void init_cells(KeyedCells* all, const Definition* definition) noexcept nogil:
    memset(all, 0, sizeof(KeyedCells))
    all.words = definition.cell_words
    init_rows(&all.far, definition)


cdef inline size_t near_bytes(const KeyedCells* all, uint64_t keys) noexcept nogil:
    """Of the cells and of both levels of bits, in whole pages."""
    cdef size_t bytes = keys * all.words * 8 + keys // 8 + (keys // BITS + BITS) // 8 + 8, page = 4096
    if bytes >= HUGE_PAGE // 2:
        page = HUGE_PAGE
    return (bytes + page - 1) // page * page


cdef void clear_cells(KeyedCells* all) noexcept nogil:
    """Free all memory, but what cells keep."""
    if all.near is not NULL:
        unmap_pages(all.near, near_bytes(all, all.near_keys))
    all.near = NULL
    clear_rows(&all.far)


cdef void make_near(KeyedCells* all, const Definition* definition, uint64_t keys) noexcept nogil:
    """Make at least so many keys near, also those that are among the far so far."""
    cdef uint64_t size = LEAST_NEAR, old = all.near_keys
    cdef int64_t* near
    cdef uint64_t* present
    while size < keys:
        size *= 2
    near = <int64_t*>map_pages(near_bytes(all, size))
    present = <uint64_t*>(near + size * all.words)
    if all.near is not NULL:
        memcpy(near, all.near, old * all.words * sizeof(int64_t))
        memcpy(present, all.present, old // 8)
        memcpy(present + size // BITS, all.groups, old // BITS // 8)
        unmap_pages(all.near, near_bytes(all, old))
    all.near, all.near_keys = near, size
    all.present, all.groups = present, present + size // BITS
    if all.far.open:
        move_near(all, definition)


cdef void move_near(KeyedCells* all, const Definition* definition) noexcept nogil:
    """Move the cells of far keys that are near now."""
    cdef vector[char] stays
    cdef const int64_t* cells
    cdef int32_t number
    cdef int64_t key
    stays.assign(all.far.n, 0)
    for number in range(all.far.n):
        key = row_of(&all.far, number)[definition.header]
        cells = cells_of(definition, row_of(&all.far, number))
        if cells[0] and <uint64_t>key < all.near_keys:
            begin_near(all, key)
            memcpy(all.near + key * all.words, cells, all.words * sizeof(int64_t))
        else:
            stays[number] = cells[0] != 0
    keep_only(&all.far, definition, stays.data())


cdef int64_t* begin_far(KeyedCells* all, const Definition* definition, const int64_t* key) noexcept nogil:
    """The cells of a key that is not near; if it can be, it is from the next block on."""
    cdef int32_t open = all.far.open
    cdef int64_t* row
    make_room(&all.far, definition, 1)
    row = find_row(&all.far, definition, key)
    if (all.far.open > open and definition.key_words == 1 and <uint64_t>key[0] >= all.wanted
            and <uint64_t>key[0] < <uint64_t>max(<int64_t>LEAST_NEAR, NEAR_OF_KEY * (all.n + all.far.open))):
        all.wanted = <uint64_t>key[0] + 1
    return cells_of(definition, row)


cdef void list_cells(const KeyedCells* all, const Definition* definition, vector[int64_t]& keys,
                     vector[Closing]& closing) noexcept nogil:
    """All keys that have tuples, and their cells: first the near ones, which ascend, and which ``keys`` are, too."""
    cdef uint64_t group, bits, k, word
    cdef int32_t number
    cdef int64_t* row
    cdef int64_t* key
    cdef Closing* one
    lengthen(keys, all.n)
    lengthen(closing, all.n + all.far.open)
    key, one = keys.data(), closing.data()
    for k in range((all.near_keys + BITS * BITS - 1) // (BITS * BITS) if all.n else 0):
        group = all.groups[k]
        while group:
            word = k * BITS + <uint64_t>countr_zero(group)
            group &= group - 1
            bits = all.present[word]
            while bits:
                key[0] = <int64_t>(word * BITS + <uint64_t>countr_zero(bits))
                bits &= bits - 1
                one.key, one.cells, one.panes = key, all.near + key[0] * all.words, NULL
                key += 1
                one += 1
    for number in range(all.far.n if all.far.open else 0):
        row = row_of(&all.far, number)
        if cells_of(definition, row)[0]:
            one.key, one.cells, one.panes = row + definition.header, cells_of(definition, row), NULL
            one += 1
    closing.resize(one - closing.data())


cdef void forget_cells(KeyedCells* all, const vector[int64_t]& keys) noexcept nogil:
    """Forget all keys, of which ``keys`` are near; what their cells keep must have been freed."""
    cdef size_t i
    cdef int64_t k
    cdef int64_t* cells
    for i in range(keys.size()):
        cells = all.near + keys[i] * all.words
        for k in range(all.words):
            cells[k] = 0
        all.present[keys[i] // BITS] = 0
        all.groups[keys[i] // BITS // BITS] = 0
    all.n = 0
    forget_rows(&all.far)


cdef void add_cells(KeyedCells* all, const Definition* definition, const int64_t* key,
                    const int64_t* added) noexcept nogil:
    """Add to a key's cells, which are sums of integers alone."""
    cdef int64_t* cells = find_cells(all, definition, key)
    cdef int64_t k
    for k in range(all.words):
        cells[k] = <int64_t>(<uint64_t>cells[k] + <uint64_t>added[k])


cdef void subtract_cells(KeyedCells* all, const Definition* definition, const int64_t* key,
                         const int64_t* taken) noexcept nogil:
    """Undo ``add_cells``; a key without tuples is forgotten."""
    cdef int64_t* cells = find_cells(all, definition, key)
    cdef int64_t k
    for k in range(all.words):
        cells[k] = <int64_t>(<uint64_t>cells[k] - <uint64_t>taken[k])
    if cells[0]:
        return
    if <uint64_t>key[0] >= all.near_keys:
        remove_row(&all.far, definition, <int32_t>(
            (<const char*>(cells - definition.cells) - all.far.rows) // all.far.row_size))
        return
    all.n -= 1
    all.present[key[0] // BITS] &= ~(<uint64_t>1 << (key[0] % BITS))
    if all.present[key[0] // BITS] == 0:
        all.groups[key[0] // BITS // BITS] &= ~(<uint64_t>1 << (key[0] // BITS % BITS))


cdef inline void add_tuples(KeyedCells* all, const Definition* definition, const int64_t* keys, int32_t n,
                            const int64_t** values, int32_t sums, bint ask) noexcept nogil:
    cdef int64_t* near = all.near
    cdef uint64_t near_keys = all.near_keys
    cdef const int64_t* first = values[0]
    cdef int64_t words = 1 + sums
    cdef int64_t* cells
    cdef int32_t i, k
    for i in range(n):
        if ask:                             # of a key that is not near, too, and of what lies behind the last one
            prefetch(near + (keys[min(i + <int32_t>AHEAD, n - 1)]) * words, 1)
        if <uint64_t>keys[i] < near_keys:
            cells = near + keys[i] * words
            if cells[0] == 0:
                begin_near(all, keys[i])
        else:
            cells = begin_far(all, definition, keys + i)
        cells[0] += 1
        if sums:
            cells[1] = <int64_t>(<uint64_t>cells[1] + <uint64_t>first[i])
        for k in range(1, sums):
            cells[1 + k] = <int64_t>(<uint64_t>cells[1 + k] + <uint64_t>values[k][i])


cdef void count_and_sum(KeyedCells* all, const Definition* definition, const int64_t* keys, int32_t n,
                        const int64_t** values) noexcept nogil:
    """Take tuples in where the cells are a count and sums of these values, and a key is one word."""
    cdef bint many = all.near_keys * all.words * 8 > FEW_BYTES
    if all.words == 1 and not many:
        add_tuples(all, definition, keys, n, values, 0, False)
    elif all.words == 2 and not many:
        add_tuples(all, definition, keys, n, values, 1, False)
    elif all.words == 2:
        add_tuples(all, definition, keys, n, values, 1, True)
    else:
        add_tuples(all, definition, keys, n, values, <int32_t>all.words - 1, many)


cdef void ask_for_cells(const KeyedCells* all, const Definition* definition, const int64_t* keys,
                        int32_t n) noexcept nogil:
    """Have the cells of these keys in the cache soon, where there are many."""
    cdef int32_t i
    if all.near_keys * all.words * 8 > FEW_BYTES:
        for i in range(n):
            prefetch(all.near + keys[i] * all.words, 1)
    if all.far.open:
        ask_for_rows(&all.far, definition, keys, n)
