"""Rows for the state of keys: an array indexed by key as far as keys are known to be small, hash tables beyond.

A row is a number of whole cache lines that no other key's state shares, so that workers in different partitions do not
take lines from each other, and a key's whole state comes with one prefetch or two.
"""

from libc.stdlib cimport free
from libc.string cimport memset
from libcpp.algorithm cimport sort
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.state.flat_map cimport unordered_flat_map
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages_under_the_gil, unmap_pages
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.tuples.operator cimport ANY_PARTITION
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    LINE = 64
    MOST_NEAR_KEYS = 1 << 22            # only pages that are touched take memory
    ROWS_PER_BLOCK = 64

cdef cppclass FarRows:
    # Of one partition, so that only the worker in it adds any.
    unordered_flat_map[int64_t, char*] row_of
    vector[char*] blocks                # of ROWS_PER_BLOCK rows
    vector[int64_t] keys                # of the rows, one behind the other
    char* ahead[ROWS_AHEAD]             # of the loop that is in the partition
    char apart[128]                     # two partitions' workers share no cache line


cdef inline bint lower_key(const FarKey& x, const FarKey& y) noexcept nogil:
    return x.key < y.key


cdef inline char* first_line(char* block) noexcept nogil:
    return block + (-<size_t>block & (LINE - 1))


cdef inline char* row_in_block(char* block, size_t number, int64_t row_size) noexcept nogil:
    """Row ``number`` of a partition, which is in this block."""
    return first_line(block) + <int64_t>(number % ROWS_PER_BLOCK) * row_size


cdef class KeyedRows:
    """A row of ``row_size`` bytes, a multiple of 64, for each key; all zero at first. Rows never move."""

    def __cinit__(self, int64_t row_size):
        if row_size <= 0 or row_size % LINE:
            raise ValueError(f"a row takes whole cache lines of {LINE} bytes, not {row_size} bytes")
        self.row_size = row_size

    def __dealloc__(self):
        self.clear()

    cdef void open(self, int32_t partitions, int64_t bound) except *:
        """Forget all rows. Keys from 0 to ``bound`` - 1 are expected; others, and a bound of
        0, are slower, not wrong."""
        cdef int64_t keys = min(bound, <int64_t>MOST_NEAR_KEYS)
        self.clear()
        self.tables = new vector[FarRows](partitions)
        self.partitions = partitions
        if keys <= 0:
            return
        self.mapped = keys * self.row_size
        if self.mapped >= HUGE_PAGE:
            self.mapped += -self.mapped & (HUGE_PAGE - 1)
        self.near = <char*>map_pages_under_the_gil(self.mapped)
        self.near_keys = keys

    cdef void clear(self) noexcept:
        cdef vector[FarRows]* tables = <vector[FarRows]*>self.tables
        cdef int32_t p
        cdef size_t k
        if self.near is not NULL:
            unmap_pages(self.near, self.mapped)
        for p in range(self.partitions):
            for k in range(tables[0][p].blocks.size()):
                free(tables[0][p].blocks[k])
        del tables
        self.tables = NULL
        self.partitions = 0
        self.near = NULL
        self.near_keys = 0
        self.flushing = False

    cdef char* far(self, int32_t partition, int64_t key) noexcept nogil:
        """The row of a key that is not near; ``partition``: the one that is being processed, or ANY_PARTITION."""
        cdef FarRows* rows
        cdef char** row
        if partition == ANY_PARTITION:
            partition = partition_by_hash(key, self.partitions)
        rows = &(<vector[FarRows]*>self.tables)[0][partition]
        row = &rows.row_of[key]
        if row[0] is NULL:
            if rows.keys.size() == rows.blocks.size() * ROWS_PER_BLOCK:
                append(rows.blocks, <char*>enlarge(NULL, LINE + ROWS_PER_BLOCK * self.row_size))
                memset(rows.blocks.back(), 0, LINE + ROWS_PER_BLOCK * self.row_size)
            append(rows.keys, key)
            row[0] = row_in_block(rows.blocks.back(), rows.keys.size() - 1, self.row_size)
        return row[0]

    cdef void find_far(self, int32_t partition, int64_t key, char** row) noexcept nogil:
        """The same into ``row``, and the row is asked for."""
        row[0] = self.far(partition, key)
        prefetch(row[0], 1)

    cdef char** far_ahead(self, int32_t partition) noexcept nogil:
        """Room for the rows that a loop over the keys of ``partition`` has found ahead; of
        ANY_PARTITION it is alone."""
        return (<vector[FarRows]*>self.tables)[0][partition if partition != ANY_PARTITION else 0].ahead

    cdef size_t n_far(self, int32_t partition) noexcept nogil:
        """How many keys that are not near a partition has."""
        return (<vector[FarRows]*>self.tables)[0][partition].keys.size()

    cdef FarKey far_at(self, int32_t partition, size_t number) noexcept nogil:
        """One of these, by number: as they came, which is how their rows lie in memory."""
        cdef FarRows* rows = &(<vector[FarRows]*>self.tables)[0][partition]
        cdef FarKey one
        one.key = rows.keys[number]
        one.row = row_in_block(rows.blocks[number // ROWS_PER_BLOCK], number, self.row_size)
        return one

    cdef void begin_flush(self) noexcept nogil:
        """Begin with the lowest key, of those that are held now."""
        cdef int32_t p
        cdef size_t k
        self.far_in_order.clear()
        for p in range(self.partitions):
            for k in range(self.n_far(p)):
                append(self.far_in_order, self.far_at(p, k))
        sort(self.far_in_order.begin(), self.far_in_order.end(), &lower_key)
        self.next_near = 0
        self.next_far = 0
        self.flushing = True

    cdef char* next_in_order(self, int64_t* key) noexcept nogil:
        """The row of the next key, over all partitions in ascending order; NULL when all have come, from then on.

        Begins the flush if it has not begun. Near keys that have never come are among them: their rows are all zero.
        """
        cdef FarKey* far = NULL
        if not self.flushing:
            self.begin_flush()
        if self.next_far < self.far_in_order.size():
            far = &self.far_in_order[self.next_far]
        if self.next_near < <int64_t>self.near_keys and (far is NULL or far.key >= 0):      # a far one is < 0 or beyond
            key[0] = self.next_near
            self.next_near += 1
            return self.near + key[0] * self.row_size
        if far is NULL:
            return NULL
        self.next_far += 1
        key[0] = far.key
        return far.row
