"""Places for the state of keys, by partition, and the ascending key order in which state is flushed at end of stream."""

from cython.operator cimport dereference, preincrement
from libcpp.algorithm cimport sort


cdef inline bint lower_key(const KeyPlace& x, const KeyPlace& y) noexcept nogil:
    return x.key < y.key


cdef class KeyedPlaces:
    """Gives each key of a partition a place in an array that the operator keeps for that partition."""

    cdef int open(self, int32_t partitions) except -1:
        self.places.clear()
        self.places.resize(partitions)
        self.flushing = False
        return 0

    cdef void begin_flush(self) noexcept nogil:
        cdef unordered_flat_map[int64_t, int32_t].iterator at
        cdef KeyPlace one
        cdef size_t p
        self.ordered.clear()
        for p in range(self.places.size()):
            at = self.places[p].begin()
            while at != self.places[p].end():
                one.key = dereference(at).first
                one.partition = <int32_t>p
                one.place = dereference(at).second - 1
                self.ordered.push_back(one)
                preincrement(at)
        sort(self.ordered.begin(), self.ordered.end(), &lower_key)
        self.next = 0
        self.flushing = True

    cdef KeyPlace* next_in_order(self) noexcept nogil:
        """The next key, over all partitions in ascending order, of those held at the first call; NULL when all have come."""
        if not self.flushing:
            self.begin_flush()
        if self.next == self.ordered.size():
            return NULL
        self.next += 1
        return &self.ordered[self.next - 1]
