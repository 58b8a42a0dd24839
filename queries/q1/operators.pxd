"""Q1's own operators."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.queries.common.item_lists cimport ItemList, ItemLists

@cython.final
cdef class KeepLines(Stateless):
    cdef const uint8_t[::1] listed_stores
    cdef const uint8_t[::1] listed_items
    cdef bint check_store
    cdef bint check_item

@cython.final
cdef class TicketPairs(PartitionedStateful):
    cdef bint ascending
    cdef bint hourly
    cdef object dealt                       # what makes a Dealt of this operator and two behind it; None: nothing does
    cdef ItemLists tickets                  # distinct items as they appeared, by ticket or, ascending, by partition
    cdef ItemList* latest_items(self) noexcept nogil
    cdef ItemList* row_of(self, int32_t partition, int64_t key) noexcept nogil
    cdef ItemList* ticket_items(self, int32_t partition, int64_t ticket) noexcept nogil
    cdef void pair_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n, Columns* out,
                         int32_t wide) noexcept nogil
    cdef void write_run(self, const void* items, int32_t first, int32_t n, int64_t hour, Columns* out, bint sourced,
                        int32_t wide) noexcept nogil
    cdef int32_t add_lines(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t begin, int32_t end,
                           Columns* out, int32_t wide) noexcept nogil
    cdef void add_line(self, int32_t partition, ItemList* items, int32_t item, int64_t hour, Columns* out,
                       uint32_t source_row, int32_t wide) noexcept nogil
