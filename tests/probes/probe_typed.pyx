"""Operators over columns of every type."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.string cimport memcpy
from libcpp.map cimport map as ordered_map
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit_from, fail
from streambench.pyx.keyed_rows cimport row_at
from streambench.pyx.operator cimport PartitionedStateful
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.typed_columns cimport float32_column, float64_column, int8_column, int32_column


cdef inline void copy_values(PartitionedStateful operator, Columns* rows, int32_t row, Columns* out, int32_t to,
                             int32_t n) noexcept nogil:
    cdef int32_t j, k, size
    for j in range(n):
        k = operator.at[j]
        size = size_of(rows.layout, k)
        memcpy(<char*>out.column[j] + <int64_t>to * size, <char*>rows.column[k] + <int64_t>row * size, size)


cdef class Copies(PartitionedStateful):
    """Each tuple once or twice, in turns by its key, which is the first of the columns ``types`` = {name: type}."""

    cdef vector[ordered_map[int64_t, int64_t]] seen
    cdef int32_t n

    def __init__(self, types):
        self.reads = dict(types)
        self.columns = tuple(types)
        self.types = tuple(f"={name}" for name in types)
        self.n = <int32_t>len(types)

    def open(self, int32_t partitions=1):
        self.seen.clear()
        self.seen.resize(partitions)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row, copy
        cdef int64_t key
        cdef int64_t* count
        for i in range(n):
            row = row_at(selected, i)
            key = 0
            memcpy(&key, <char*>rows.column[self.at[0]] + <int64_t>row * size_of(rows.layout, self.at[0]), 1)
            count = &self.seen[partition][key]
            count[0] += 1
            for copy in range(1 + count[0] % 2):
                copy_values(self, rows, row, out, emit_from(out, <uint32_t>row), self.n)
        return -1


cdef class Means(PartitionedStateful):
    """In place: appends the mean of the values so far, of those with the tuple's key. Refuses negative keys."""

    cdef ordered_map[int32_t, int64_t] counts
    cdef ordered_map[int32_t, double] sums

    def __init__(self):
        self.reads = {"key": ("int8", "int32"), "value": "float32"}
        self.columns = ("mean",)
        self.types = ("float64",)
        self.in_place = True

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t row
        for row in range(rows.n):
            keys[row] = 0                   # one state for all: what is tried are the columns

    def open(self, int32_t partitions=1):
        self.counts.clear()
        self.sums.clear()

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row, key
        cdef bint narrow = size_of(rows.layout, self.at[0]) == 1
        for i in range(n):
            row = row_at(selected, i)
            key = int8_column(rows, self.at[0])[row] if narrow else int32_column(rows, self.at[0])[row]
            if key < 0:
                return fail(out, row, b"a negative key")
            self.counts[key] += 1
            self.sums[key] += float32_column(rows, self.at[1])[row]
            float64_column(out, self.to[0])[row] = self.sums[key] / <double>self.counts[key]
        return -1


cdef class Same(PartitionedStateful):
    """Each tuple as it is, by its key, which is the first of the columns named."""

    cdef int32_t n

    def __init__(self, types):
        self.reads = dict(types)
        self.columns = tuple(types)
        self.types = tuple(f"={name}" for name in types)
        self.n = <int32_t>len(types)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(n):
            row = row_at(selected, i)
            copy_values(self, rows, row, out, emit_from(out, <uint32_t>row), self.n)
        return -1


cdef class Addresses(PartitionedStateful):
    """In place: appends where in memory the tuple's value of the column, of one of the types, lies."""

    def __init__(self, column, types):
        self.reads = {column: tuple(types)}
        self.columns = ("address",)
        self.types = ("int64",)
        self.in_place = True

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t row
        for row in range(rows.n):
            keys[row] = 0

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t size = size_of(rows.layout, self.at[0])
        for i in range(n):
            row = row_at(selected, i)
            out.column[self.to[0]][row] = <int64_t>rows.column[self.at[0]] + row * size
        return -1


cdef class Times(PartitionedStateful):
    """In place: appends the first and the last event time of the unit that the tuple came in."""

    def __init__(self, key):
        self.reads = {key: ("int32", "int64")}
        self.columns = ("first", "last")
        self.types = ("int64", "int64")
        self.in_place = True

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(n):
            row = row_at(selected, i)
            out.column[self.to[0]][row] = rows.first_time
            out.column[self.to[1]][row] = rows.last_time
        return -1
