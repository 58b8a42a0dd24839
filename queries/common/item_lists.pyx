"""Growing lists of items by key: short ones in the key's row, long ones elsewhere."""

from libc.string cimport memcpy
from streambench.pyx.state.saved_rows cimport row_of
from streambench.pyx.tuples.operator cimport ANY_PARTITION
from streambench.pyx.machine.memory cimport append, lengthen, new_vector

import numpy as np


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
            append(self.long_lists[max(partition, 0)].made, items.long_items)  # any will do: one worker has them all
        if items.n == SHORT:
            lengthen(items.long_items[0], SHORT)
            memcpy(items.long_items.data(), items.short_items, sizeof(items.short_items))
        if items.n == <int32_t>items.long_items.size():
            lengthen(items.long_items[0], items.n + 8)
        items.long_items.data()[items.n] = item


def save_lists(ItemLists lists):
    """The lists that are not empty as int64 columns, ascending by ``key``: ``mark``, ``length``, and ``items``, which
    are int32, of all lists one behind the other."""
    cdef int64_t key, n = 0, items_n = 0
    cdef int32_t k
    cdef ItemList* one
    cdef int64_t[::1] keys, marks, lengths
    cdef int32_t[::1] items
    lists.rows.begin_flush()
    while (one := <ItemList*>lists.rows.next_in_order(&key)) is not NULL:
        n += one.n > 0
        items_n += one.n
    columns = {name: np.empty(n, np.int64) for name in ("key", "mark", "length")}
    columns["items"] = np.empty(items_n, np.int32)
    keys, marks, lengths, items = (columns[name] for name in ("key", "mark", "length", "items"))
    n = items_n = 0
    lists.rows.begin_flush()
    while (one := <ItemList*>lists.rows.next_in_order(&key)) is not NULL:
        if one.n == 0:
            continue
        keys[n], marks[n], lengths[n] = key, one.mark, one.n
        for k in range(one.n):
            items[items_n + k] = items_of(one)[k]
        items_n += one.n
        n += 1
    lists.rows.flushing = False             # it may go on
    return columns


def load_lists(ItemLists lists, columns):
    """Fill open, empty lists with what `save_lists` gave of others."""
    cdef const int64_t[::1] keys = np.ascontiguousarray(columns["key"], np.int64)
    cdef const int64_t[::1] marks = np.ascontiguousarray(columns["mark"], np.int64)
    cdef const int64_t[::1] lengths = np.ascontiguousarray(columns["length"], np.int64)
    cdef const int32_t[::1] items = np.ascontiguousarray(columns["items"], np.int32)
    cdef ItemList* one
    cdef int64_t i, k, at = 0
    for i in range(keys.shape[0]):
        one = <ItemList*>row_of(lists.rows, keys[i])
        one.mark = marks[i]
        for k in range(lengths[i]):
            lists.append(ANY_PARTITION, one, items[at + k])
        at += lengths[i]
