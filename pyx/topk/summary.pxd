"""A summary: one of the designs that count items in bounded memory. All promise what a `Snapshot` says."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

cdef struct Counter:
    uint64_t item
    int64_t count                       # the item occurred this often at most,
    int64_t error                       # and `count - error` times at least

cdef struct Snapshot:
    # Of an item, let `before` be how often it is in updates that had returned when the snapshot was begun, and `after`
    # how often in updates that had been begun when it was ended. With no update under way the two are one.
    vector[Counter] counters            # an item at most once; count - error <= after, before <= count + in_flight
    int64_t floor                       # of an item that is not there: before <= floor + in_flight
    int64_t n                           # items that are counted: from the sum of all `before` less
                                        # in_flight to that of `after`
    int64_t in_flight                   # taken by an update that has returned, and perhaps not
                                        # counted yet: 0 in a quiet moment

cdef class Summary:
    cdef readonly int64_t counters      # items that are monitored at most
    cdef readonly int32_t threads       # that may update it at the same time, by number
    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil
    cdef void look(self, Snapshot* out) noexcept nogil
