"""The merge of two summaries' rows, without the GIL. `merge` says what is merged how, and why its bounds hold."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.topk.summary cimport Counter

cdef struct Part:
    vector[Counter] rows
    int64_t floor                       # of items that have no row

cdef void merge_parts(Part* into, Part* other, int64_t counters) noexcept nogil
