"""A list of tuples whose nodes lie one behind the other, in memory of its own.

From the heap they would come wherever the last run's lists have left gaps: there a walk takes up to ten times as long.
"""

from libc.stdint cimport int64_t
from libcpp.list cimport list as linked_list

cdef extern from "list_memory.h":
    cppclass OwnMemory "streambench::OwnMemory"[T] nogil:
        pass

    void append_to_list "streambench::append_to_list"[L, T](L& items, const T& item) noexcept nogil    # see `memory`
    # Nodes go from one to the other: both shall have them in one place.
    void share_memory "streambench::share_memory"[L](L& empty, const L& other) except +

cdef union Value:
    int64_t whole
    float single
    double real

cdef struct Tuple:
    int64_t ts
    int64_t row
    Value value                         # of the first term; others are looked up where that holds

ctypedef linked_list[Tuple, OwnMemory[Tuple]] TupleList
