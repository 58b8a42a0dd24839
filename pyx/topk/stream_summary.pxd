"""Space-Saving in its Stream-Summary, see the module."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.topk.one_thread_summary cimport OneThreadSummary
from streambench.pyx.topk.summary cimport Counter
from streambench.pyx.machine.line_allocator cimport LineAllocator

cdef enum:
    NONE = -1                           # no element, no bucket

cdef struct Element:
    uint64_t item
    int64_t error                       # the count that it took over
    int32_t bucket                      # has its count
    int32_t before                      # the one of its bucket that has had this count for longer, or NONE
    int32_t after
    int32_t chained                     # the next element with the same place in the search structure, or NONE

cdef struct Bucket:
    int64_t count                       # of all its elements; there is one at least
    int32_t first                       # has had this count for the longest time
    int32_t last
    int32_t lower                       # the bucket with the next lower count, or NONE
    int32_t higher                      # the one with the next higher; of a spare bucket, the next spare one

@cython.final
cdef class StreamSummary(OneThreadSummary):
    cdef int64_t n                      # items counted: the sum of all counts
    cdef int32_t monitored              # elements in use: 0 to monitored - 1
    cdef int32_t lowest                 # bucket, or NONE
    cdef int32_t highest
    cdef int32_t spare                  # bucket that is not in use, or NONE
    cdef uint64_t mask                  # places of the search structure, less 1
    cdef vector[Element, LineAllocator[Element]] elements
    cdef vector[Bucket, LineAllocator[Bucket]] buckets
    cdef vector[int32_t, LineAllocator[int32_t]] places     # by the item's hash: the first element of a chain, or NONE
    cdef void count_often(self, uint64_t item, int64_t times) noexcept nogil
    cdef void copy_descending(self, vector[Counter]* out) noexcept nogil
    cdef int64_t floor(self) noexcept nogil
    cdef int32_t lookup(self, uint64_t item) noexcept nogil
    cdef void increment_counter(self, int32_t element) noexcept nogil
    cdef void add_element(self, uint64_t item) noexcept nogil
    cdef void overwrite(self, int32_t element, uint64_t item) noexcept nogil
    cdef void chain(self, int32_t element) noexcept nogil
    cdef void unchain(self, int32_t element) noexcept nogil
    cdef void append(self, int32_t element, int32_t bucket) noexcept nogil
    cdef void detach(self, int32_t element) noexcept nogil
    cdef int32_t insert_bucket(self, int64_t count, int32_t lower) noexcept nogil
    cdef void remove_bucket(self, int32_t bucket) noexcept nogil
