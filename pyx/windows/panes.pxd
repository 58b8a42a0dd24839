"""The panes of a key's overlapping windows."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.windows.definition cimport Aggregate, Definition
from streambench.pyx.windows.sketches cimport Gathered

cdef struct Panes:
    # Each is a word, its begin, and cells. Those from `first` to `middle` - 1 hold what all from there to `middle` - 1
    # are together, those behind each its own; `together` is what these are.
    int32_t first
    int32_t middle
    int32_t end
    int32_t allotted
    int64_t* panes
    int64_t* together
    int64_t* whole                      # room for the answer

cdef Panes* new_panes(const Definition* definition) noexcept nogil
cdef void delete_panes(Panes* panes, const Definition* definition) noexcept nogil
cdef void push_pane(Panes* panes, const Definition* definition, int64_t begin, const int64_t* cells) noexcept nogil
cdef void drop_panes(Panes* panes, const Definition* definition, int64_t before) noexcept nogil
cdef const int64_t* all_panes(Panes* panes, const Definition* definition) noexcept nogil
cdef void gather_panes(const Panes* panes, const Definition* definition, const Aggregate* aggregate,
                       Gathered& into) noexcept nogil
