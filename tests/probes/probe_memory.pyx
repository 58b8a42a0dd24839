"""Operators that want more memory than there is."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.machine.huge_pages cimport map_pages
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.state.keyed_rows cimport KeyedRows
from streambench.pyx.tuples.columns cimport Columns, emit, emit_from, reserve
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateful, Stateless

cdef extern from "<new>" namespace "std" nogil:
    ctypedef void (*new_handler)() noexcept nogil
    new_handler get_new_handler() noexcept


def ends_without_memory():
    """Has somebody said what this process does where it is refused memory?"""
    return get_new_handler() is not NULL


cdef int64_t UNHEARD_OF = <int64_t>1 << 44      # tuples: more than addresses reach

cdef class Hungry(Stateful):
    """Passes (key, value) on; with a ``value`` it wants more memory than there is, in one of the ways ``WANTS``."""
    cdef int64_t value
    cdef int want
    cdef vector[int64_t] items

    def __init__(self, value, want="columns"):
        self.columns = ("key", "value")
        self.value = value
        self.want = WANTS.index(want)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(rows.n):
            if rows.column[1][i] == self.value:
                self.demand(out)
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
            out.column[1][row] = rows.column[1][i]
        return -1

    cdef void demand(self, Columns* out) noexcept nogil:
        if self.want == 0:
            reserve(out, UNHEARD_OF)
        elif self.want == 1:
            map_pages(UNHEARD_OF * 16)
        else:
            lengthen(self.items, UNHEARD_OF)

WANTS = ("columns", "pages", "vector")


cdef class FreeHungry(Stateless):
    """The same of any number of workers at a time."""
    cdef int64_t value

    def __init__(self, value):
        self.columns = ("key", "value")
        self.value = value

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(rows.n):
            if rows.column[1][i] == self.value:
                reserve(out, UNHEARD_OF)
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
            out.column[1][row] = rows.column[1][i]
        return -1


cdef class KeyedHungry(PartitionedStateful):
    """The same, by partition."""
    cdef int64_t value

    def __init__(self, value):
        self.columns = ("key", "value")
        self.value = value

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(n):
            if rows.column[1][selected[i]] == self.value:
                reserve(out, UNHEARD_OF)
            row = emit_from(out, selected[i])
            out.column[0][row] = rows.column[0][selected[i]]
            out.column[1][row] = rows.column[1][selected[i]]
        return -1


def open_rows(int64_t row_size):
    """Make room for the rows of four million keys, so large."""
    KeyedRows(row_size).open(1, 1 << 22)
