"""Growing lists of items by key: short ones in the key's row, long ones elsewhere."""

from libc.string cimport memcpy
from streambench.pyx.machine.memory cimport append, lengthen, new_vector


cdef class ItemLists:
    """A list for each key, empty at first, found through ``rows``."""

    def __cinit__(self):
        self.rows = KeyedRows(sizeof(ItemList))

    def __dealloc__(self):
        self.clear()

    cdef void open(self, int32_t partitions, int64_t bound) except *:
        """Empty all lists; arguments as for the rows."""
        self.clear()
        self.long_lists.resize(partitions)
        self.rows.open(partitions, bound)

    cdef void clear(self) noexcept:
        cdef size_t p, k
        for p in range(self.long_lists.size()):
            for k in range(self.long_lists[p].made.size()):
                del self.long_lists[p].made[k]
        self.long_lists.clear()

    cdef void append_long(self, int32_t partition, ItemList* items, int32_t item) noexcept nogil:
        """Append to a list of SHORT items or more; ``partition``: the one that is being processed, or ANY_PARTITION."""
        if items.long_items is NULL:
            items.long_items = <LongItems>new_vector[int32_t]()
            append(self.long_lists[max(partition, 0)].made, items.long_items)       # any will do: one worker has them all
        if items.n == SHORT:
            lengthen(items.long_items[0], SHORT)
            memcpy(items.long_items.data(), items.short_items, sizeof(items.short_items))
        if items.n == <int32_t>items.long_items.size():
            lengthen(items.long_items[0], items.n + 8)
        items.long_items.data()[items.n] = item
