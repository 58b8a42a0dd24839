"""Windows as the paper has them (001, algorithm 1): lists of tuples, all of which a probe is compared with."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.join.tier cimport Tier
from streambench.pyx.join.tuple_list cimport Tuple, TupleList

cdef class ListTier(Tier):
    cdef TupleList left
    cdef TupleList right
    cdef TupleList* window[2]  # the two, by side
    cdef Tuple tuple_at(self, int32_t side, int64_t row) noexcept nogil
    cdef void compare(self, int32_t side, Tuple* one, int32_t place, TupleList.iterator other,
                      TupleList.iterator end) noexcept nogil
    cdef void remove(self, int32_t side, int64_t before) noexcept nogil
    cdef void remove_rows(self, int32_t side, int64_t before) noexcept nogil
