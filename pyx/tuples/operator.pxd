"""The three kinds of operators, sources and sinks: the classes that users extend."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport MAX_COLUMNS, LayoutPointer
from streambench.pyx.tuples.unit cimport Unit

cdef enum:
    ANY_PARTITION = -1                  # rows of any partitions in one call, see `PartitionedStateful.partition_free`

cdef class Operator:
    cdef public str name
    cdef public tuple columns           # names of the columns it emits
    cdef public tuple types             # theirs; empty where all are int64
    cdef public dict reads              # names of the columns it reads, each with the types it takes; None: by position
    cdef int32_t at[MAX_COLUMNS]        # by the order of `reads`: which of the given columns that is
    cdef int32_t to[MAX_COLUMNS]        # by the order of `columns`: which of the emitted ones that is
    cdef readonly tuple schema          # ((name, type), ...) of what it emits, once it is bound
    cdef public int32_t list_column     # the emitted column that holds the start of a list, -1 for none
    cdef int32_t emitted_width          # and `layout`: fixed when the operator is opened
    cdef LayoutPointer layout
    cdef public bint in_place           # emits exactly its input tuples, with columns appended
    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil

cdef class Stateless(Operator):
    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil

cdef class PartitionedStateful(Operator):
    cdef public int64_t low_key         # range partitioning cuts [low_key, high_key) into equal parts
    cdef public int64_t high_key
    cdef readonly int32_t partitions
    cdef public bint partition_free     # its state is found by key alone
    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil
    cdef void share(self, bint shared) noexcept nogil
    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil

cdef class Stateful(Operator):
    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil

cdef class Source(Operator):
    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil
    cdef void fill(self, Unit* unit) noexcept nogil
    cdef bint work_ahead(self) noexcept nogil

cdef class Sink(Stateful):
    pass
