"""The cells of keys: of small integers by the key itself, of others in rows that are found by a hash.

Near cells take an array, as long as that does not become many times as large as what is in it: one array for all
partitions, so that a key's cells stay where they are, whoever has the key. Of several partitions the first keys' cells,
which may all be in the caches of several cores, share no cache line. A bit for each key says which have tuples, a bit
for each 64 of these which do at all: so keys are listed in ascending order, and forgotten, in time by their number.
"""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset
from libcpp.bit cimport countr_zero
from streambench.pyx.machine.huge_pages cimport prefer_huge_pages, reserve_pages, unmap_pages
from streambench.pyx.machine.memory cimport enlarge, lengthen
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.windows.rows cimport (
    ask_for_rows, clear_rows, forget_rows, init_rows, keep_only, move_row, remove_row, row_of,
)

cdef enum:
    BITS = 64
    FEW_BYTES = 1 << 18                 # they are in the cache anyway
    AHEAD = 16                          # tuples whose cells are asked for before they are reached
    LINE = 8                            # words of a cache line


cdef void init_cells(KeyedCells* all, const Definition* definition) noexcept nogil:
    memset(all, 0, sizeof(KeyedCells))
    all.words = definition.cell_words
    init_rows(&all.far, definition)


cdef inline size_t near_bytes(const KeyedCells* all, uint64_t keys) noexcept nogil:
    cdef uint64_t first = min(keys, <uint64_t>SPREAD)
    return (first * all.stride + (keys - first) * all.words) * sizeof(int64_t)


cdef int reserve_near(KeyedCells* all, int32_t partitions) except -1:
    """Reserve addresses for near cells, as many as the system gives; with none, all keys are far."""
    all.partitions = partitions
    all.stride = all.words if partitions == 1 else (all.words + LINE - 1) // LINE * LINE
    all.most_near = MOST_NEAR
    while all.near is NULL and all.most_near >= LEAST_NEAR:
        try:
            all.near = <int64_t*>reserve_pages(near_bytes(all, all.most_near))
        except MemoryError:
            all.most_near //= 2
    if all.near is NULL:
        all.most_near = 0
    all.behind = all.near + SPREAD * (all.stride - all.words)
    all.wanted = min(<uint64_t>1, all.most_near)
    return 0


cdef void share_near(KeyedCells* all, const KeyedCells* other) noexcept nogil:
    """Have the same near cells as another partition."""
    all.near, all.behind, all.stride, all.most_near = other.near, other.behind, other.stride, other.most_near
    all.partitions, all.wanted = other.partitions, other.wanted


cdef void release_near(KeyedCells* all) noexcept nogil:
    """Give back what was reserved, for all that share it."""
    if all.near is not NULL:
        unmap_pages(all.near, near_bytes(all, all.most_near))


cdef void clear_cells(KeyedCells* all) noexcept nogil:
    """Free all memory, but near cells and what cells keep."""
    free(all.present)
    all.present = NULL
    clear_rows(&all.far)


cdef void make_near(KeyedCells* all, const Definition* definition, uint64_t keys) noexcept nogil:
    """Make at least so many keys near, also those that are among the far so far."""
    cdef uint64_t size = LEAST_NEAR, old = all.near_keys, words
    cdef uint64_t* present
    while size < keys:
        size *= 2
    size = min(size, all.most_near)
    words = size // BITS + size // BITS // BITS
    present = <uint64_t*>enlarge(NULL, words * sizeof(uint64_t))
    memset(present, 0, words * sizeof(uint64_t))
    if old:
        memcpy(present, all.present, old // 8)
        memcpy(present + size // BITS, all.groups, old // BITS // 8)
    free(all.present)
    prefer_huge_pages(all.near, near_bytes(all, size))
    all.near_keys, all.present, all.groups = size, present, present + size // BITS
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
            memcpy(near_cells(all, <uint64_t>key), cells, all.words * sizeof(int64_t))
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
            and <uint64_t>key[0] < min(all.most_near, max(
                <uint64_t>LEAST_NEAR, <uint64_t>(NEAR_OF_KEY * all.partitions * (all.n + all.far.open))))):
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
                one.key, one.cells, one.panes = key, near_cells(all, <uint64_t>key[0]), NULL
                key += 1
                one += 1
    for number in range(all.far.n if all.far.open else 0):
        row = row_of(&all.far, number)
        if cells_of(definition, row)[0]:
            one.key, one.cells, one.panes = row + definition.header, cells_of(definition, row), NULL
            one += 1
    closing.resize(one - closing.data())


cdef void join_cells(KeyedCells* all, KeyedCells* part, const Definition* definition) noexcept nogil:
    """Add the keys of a partition, which all have other keys, and forget them there."""
    cdef uint64_t group, k, word
    cdef int32_t number
    if part.near_keys > all.near_keys:
        make_near(all, definition, part.near_keys)
    elif part.far.open and part.near_keys < all.near_keys:
        make_near(part, definition, all.near_keys)
    for k in range(part.near_keys // BITS // BITS if part.n else 0):
        group = part.groups[k]
        all.groups[k] |= group
        part.groups[k] = 0
        while group:
            word = k * BITS + <uint64_t>countr_zero(group)
            group &= group - 1
            all.present[word] |= part.present[word]
            part.present[word] = 0
    all.n += part.n
    part.n = 0
    for number in range(part.far.n):
        if cells_of(definition, row_of(&part.far, number))[0]:
            move_row(row_of(&part.far, number), &all.far, definition)
    forget_rows(&part.far)


cdef void divide_near(KeyedCells* all, KeyedCells** parts, const Definition* definition) noexcept nogil:
    """Let each of the partitions have its near keys; undoes ``join_cells`` for these."""
    cdef uint64_t bits, word
    cdef int64_t key
    cdef int32_t p
    if all.n == 0:
        return
    for p in range(all.partitions):
        if parts[p].near_keys < all.near_keys:
            make_near(parts[p], definition, all.near_keys)
    for word in range(all.near_keys // BITS):
        bits = all.present[word]
        all.present[word] = 0
        while bits:
            key = <int64_t>(word * BITS + <uint64_t>countr_zero(bits))
            bits &= bits - 1
            begin_near(parts[partition_by_hash(key, all.partitions)], key)
    memset(all.groups, 0, all.near_keys // BITS // 8)
    all.n = 0


cdef void forget_cells(KeyedCells* all, const vector[int64_t]& keys) noexcept nogil:
    """Forget all keys, of which ``keys`` are near; what their cells keep must have been freed."""
    cdef size_t i
    cdef int64_t k
    cdef int64_t* cells
    for i in range(keys.size()):
        cells = near_cells(all, <uint64_t>keys[i])
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
    cdef KeyedCells near = all[0]           # what is written below is known not to change it
    cdef uint64_t near_keys = all.near_keys
    cdef const int64_t* first = values[0]
    cdef int64_t* cells
    cdef int32_t i, k
    for i in range(n):
        if ask:                             # of a key that is not near, too, and of what lies behind the last one
            prefetch(near_cells(&near, <uint64_t>keys[min(i + <int32_t>AHEAD, n - 1)]), 1)
        if <uint64_t>keys[i] < near_keys:
            cells = near_cells(&near, <uint64_t>keys[i])
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
    cdef bint many = near_bytes(all, all.near_keys) > FEW_BYTES
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
    if near_bytes(all, all.near_keys) > FEW_BYTES:
        for i in range(n):
            prefetch(near_cells(all, <uint64_t>keys[i]), 1)
    if all.far.open:
        ask_for_rows(&all.far, definition, keys, n)
