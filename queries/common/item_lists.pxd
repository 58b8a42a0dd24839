"""Growing lists of items, by key."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.state.keyed_rows cimport KeyedRows

cdef enum:
    SHORT = 24                              # items that lie in the row itself

ctypedef vector[int32_t]* LongItems

cdef struct ItemList:
    # A row of two cache lines. Items are below 2**31, as the loader sees to.
    int64_t mark                            # what the list's user notes of it; 0 at first
    LongItems long_items                    # all, once they are more than SHORT; its size is a multiple of 8
    int32_t n
    int32_t short_items[SHORT]
    int32_t unused[3]

cdef cppclass LongLists:
    # Made in a partition, so that only the worker in it adds any.
    vector[LongItems] made
    char apart[128]                         # two partitions' workers share no cache line

cdef class ItemLists:
    cdef KeyedRows rows
    cdef vector[LongLists] long_lists       # per partition
    cdef void open(self, int32_t partitions, int64_t bound) except *
    cdef void clear(self) noexcept
    cdef void append_long(self, int32_t partition, ItemList* items, int32_t item) noexcept nogil

    cdef inline void append(self, int32_t partition, ItemList* items, int64_t item) noexcept nogil:
        if items.n < SHORT:
            items.short_items[items.n] = <int32_t>item
        else:
            self.append_long(partition, items, <int32_t>item)
        items.n += 1

cdef inline int32_t* items_of(ItemList* items) noexcept nogil:
    """The items; readable up to the next multiple of 8, so that loops may go by 8."""
    return &items.short_items[0] if items.n <= SHORT else items.long_items.data()
