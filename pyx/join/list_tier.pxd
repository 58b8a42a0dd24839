"""Windows as the paper has them (001, algorithm 1): lists of tuples, all of which a probe is compared with."""

from libc.stdint cimport int32_t, int64_t
from libcpp.list cimport list as linked_list
from streambench.pyx.join.tier cimport Tier

cdef extern from *:
    """
    #include <list>
    namespace streambench {
    template <class T> inline void append_to_list(std::list<T>& items, const T& item) { items.push_back(item); }
    }
    """
    void append_to_list "streambench::append_to_list"[T](linked_list[T]& items, const T& item) noexcept nogil    # see `memory`

cdef union Value:
    int64_t whole
    float single
    double real

cdef struct Tuple:
    int64_t ts
    int64_t row
    Value value                         # of the first term; others are looked up where that holds

cdef class ListTier(Tier):
    cdef linked_list[Tuple] left
    cdef linked_list[Tuple] right
    cdef linked_list[Tuple]* window[2]  # the two, by side
    cdef Tuple tuple_at(self, int32_t side, int64_t row) noexcept nogil
    cdef void compare(self, int32_t side, Tuple* one, int32_t place, linked_list[Tuple].iterator other,
                      linked_list[Tuple].iterator end) noexcept nogil
    cdef void remove(self, int32_t side, int64_t before) noexcept nogil
    cdef void remove_rows(self, int32_t side, int64_t before) noexcept nogil
