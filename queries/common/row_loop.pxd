"""A partitioned operator's loop over its rows, written once and compiled twice: for all rows, and for some of them."""

from libc.stdint cimport int32_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport PartitionedStateful

ctypedef void (*RowLoop)(PartitionedStateful operator, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil

cdef inline int32_t run_loop(RowLoop loop, PartitionedStateful operator, int32_t partition, Columns* rows,
                             const uint32_t* selected, int32_t n, Columns* out) noexcept nogil:
    """What ``process`` returns of a loop that refuses no tuple. ``loop``: an inline method of the operator's final class.

    Both calls are inlined, and in each of the copies `row_at` asks nothing: whether rows are selected is known there.
    """
    if selected is NULL:
        loop(operator, partition, rows, NULL, n, out)
    else:
        loop(operator, partition, rows, selected, n, out)
    return -1
