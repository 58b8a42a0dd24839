"""The cells of keys: of small integers by the key itself, of others in rows that are found by a hash."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.windows.cells cimport Closing
from streambench.pyx.windows.definition cimport Definition
from streambench.pyx.windows.rows cimport Rows, cells_of, find_row, make_room

cdef enum:
    LEAST_NEAR = 4096                   # near keys are a multiple of it
    NEAR_OF_KEY = 8                     # near keys for each key that has tuples, at most
    MOST_NEAR = 1 << 26                 # for which addresses are reserved
    SPREAD = 1 << 14                    # near keys whose cells share no cache line, where there are partitions

cdef struct KeyedCells:
    # Of a partition's keys. A key's first cell counts its tuples. Near cells are all 0 where it does not.
    int64_t* near                       # of keys 0 to most_near - 1, those of all partitions
    int64_t* behind                     # those of further keys than SPREAD lie behind here, `words` each
    int64_t stride                      # words from one of the first keys' cells to the next one's
    uint64_t most_near
    int32_t partitions
    uint64_t near_keys                  # of this partition, keys from 0 on
    uint64_t wanted                     # near keys from the next block on
    uint64_t* present                   # a bit for each near key that has tuples
    uint64_t* groups                    # a bit for each word of `present` that is not 0
    int64_t words                       # of a key's cells
    int64_t n                           # near keys that have tuples
    Rows far
    char apart[128]                     # two partitions' workers share no cache line

cdef void init_cells(KeyedCells* all, const Definition* definition) noexcept nogil
cdef int reserve_near(KeyedCells* all, int32_t partitions) except -1
cdef void share_near(KeyedCells* all, const KeyedCells* other) noexcept nogil
cdef void release_near(KeyedCells* all) noexcept nogil
cdef void clear_cells(KeyedCells* all) noexcept nogil
cdef void make_near(KeyedCells* all, const Definition* definition, uint64_t keys) noexcept nogil
cdef int64_t* begin_far(KeyedCells* all, const Definition* definition, const int64_t* key) noexcept nogil
cdef void list_cells(const KeyedCells* all, const Definition* definition, vector[int64_t]& keys,
                     vector[Closing]& closing) noexcept nogil
cdef void join_cells(KeyedCells* all, KeyedCells* part, const Definition* definition) noexcept nogil
cdef void divide_near(KeyedCells* all, KeyedCells** parts, const Definition* definition) noexcept nogil
cdef void forget_cells(KeyedCells* all, const vector[int64_t]& keys) noexcept nogil
cdef void add_cells(KeyedCells* all, const Definition* definition, const int64_t* key,
                    const int64_t* added) noexcept nogil
cdef void subtract_cells(KeyedCells* all, const Definition* definition, const int64_t* key,
                         const int64_t* taken) noexcept nogil
cdef void count_and_sum(KeyedCells* all, const Definition* definition, const int64_t* keys, int32_t n,
                        const int64_t** values) noexcept nogil
cdef void ask_for_cells(const KeyedCells* all, const Definition* definition, const int64_t* keys,
                        int32_t n) noexcept nogil

cdef inline bint has_keys(const KeyedCells* all) noexcept nogil:
    return all.n + all.far.open > 0

cdef inline void make_cells_ready(KeyedCells* all, const Definition* definition, int32_t more) noexcept nogil:
    """Room for so many further keys, whose cells then stay where they are."""
    if all.wanted > all.near_keys:
        make_near(all, definition, all.wanted)
    make_room(&all.far, definition, more)

cdef inline void begin_near(KeyedCells* all, int64_t key) noexcept nogil:
    """From now on a near key has tuples."""
    all.present[key >> 6] |= <uint64_t>1 << (key & 63)
    all.groups[key >> 12] |= <uint64_t>1 << (key >> 6 & 63)
    all.n += 1

cdef inline int64_t* near_cells(const KeyedCells* all, uint64_t key) noexcept nogil:
    return all.near + key * all.stride if key < SPREAD else all.behind + key * all.words

cdef inline int64_t* find_cells(KeyedCells* all, const Definition* definition, const int64_t* key) noexcept nogil:
    """The cells of a key, which is added where it has none: then its tuple must be counted next."""
    cdef int64_t* cells
    if <uint64_t>key[0] < all.near_keys:
        cells = near_cells(all, <uint64_t>key[0])
        if cells[0] == 0:
            begin_near(all, key[0])
        return cells
    return begin_far(all, definition, key)
