"""The design "independent-fast": a fast table for each thread, merged by each look (paper 002, section 3.1). What the
design "fast" is compared with: nothing is handed over here, but memory and bounds grow with the threads.
"""

from libc.stdlib cimport calloc, free
from libcpp.algorithm cimport sort
from streambench.pyx.topk.counter_table cimport (
    append_counters, close_table, count_item, count_items, open_table,
)
from streambench.pyx.topk.hot_items cimport HOT, PIECE, forget, is_due, learn, set_aside
from streambench.pyx.topk.summary cimport Counter
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.mutexes cimport delete_mutexes, new_mutexes


cdef bint by_item(const Counter& a, const Counter& b) noexcept nogil:
    return a.item < b.item


cdef class IndependentFast(Summary):
    """Each thread has as many ``counters`` as were asked for (lemma 3.1); afterwards
    ``counters`` says how many all have.

    Raises ValueError for more than 268,435,456 a thread.
    """

    def __init__(self, int64_t counters, int32_t threads=1):
        cdef int32_t k
        super().__init__(counters, threads)
        self.locks = new_mutexes(threads)
        self.tables = <CounterTable*>calloc(threads, sizeof(CounterTable))
        self.hot = <HotItems*>calloc(threads, sizeof(HotItems))
        if self.tables is NULL or self.hot is NULL:
            raise MemoryError()
        for k in range(threads):
            open_table(&self.tables[k], counters, 1, 2)
            forget(&self.hot[k], self.tables[k].level)
        self.counters = counters * threads

    def __dealloc__(self):
        cdef int32_t k
        for k in range(self.threads if self.tables is not NULL else 0):
            close_table(&self.tables[k])
        free(self.tables)
        free(self.hot)
        delete_mutexes(self.locks)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables, from its making on."""
        cdef int32_t k
        cdef size_t sum = self.threads * (sizeof(CounterTable) + sizeof(HotItems) + sizeof(Mutex))
        for k in range(self.threads):
            sum += self.tables[k].bytes
        return sum

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef HotItems* hot = &self.hot[thread]
        cdef int64_t piece, left
        cdef const uint64_t* rest
        while n > 0:
            piece = left = min(n, <int64_t>PIECE)
            self.locks[thread].lock()
            if is_due(hot, piece):
                self.count_hot(thread)
                learn(hot, items, piece)
            rest = set_aside(hot, items, &left)
            count_items(&self.tables[thread], rest, left)
            self.locks[thread].unlock()
            items += piece
            n -= piece

    cdef void count_hot(self, int32_t thread) noexcept nogil:
        cdef HotItems* hot = &self.hot[thread]
        cdef int32_t k
        for k in range(HOT):
            if hot.count[k] > 0:
                count_item(&self.tables[thread], hot.item[k], hot.count[k])
                hot.count[k] = 0

    cdef void look(self, Snapshot* out) noexcept nogil:
        """Merge: an item that a table does not hold was counted there as often as its least count, at most."""
        cdef int32_t k
        cdef int64_t at = 0, i, least, floor = 0, merged = -1
        cdef Counter* all
        out.n = out.in_flight = 0
        lengthen(out.counters, self.counters)
        all = out.counters.data()
        for k in range(self.threads):
            i = at
            self.locks[k].lock()
            self.count_hot(k)
            append_counters(&self.tables[k], out, &at)
            least = self.tables[k].least
            self.locks[k].unlock()
            floor += least
            for i in range(i, at):              # what this table says beyond that
                all[i].count -= least
                all[i].error -= least
        sort(all, all + at, by_item)
        for i in range(at):
            if merged >= 0 and all[merged].item == all[i].item:
                all[merged].count += all[i].count
                all[merged].error += all[i].error
            else:
                merged += 1
                all[merged] = all[i]
        for i in range(merged + 1):
            all[i].count += floor
            all[i].error += floor
        lengthen(out.counters, merged + 1)
        out.floor = floor
