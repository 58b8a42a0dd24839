"""Running estimates of how often pairs occur, in bounded memory: the counting step of Q1 and
Q2 where they approximate."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.topk.stream_summary cimport NONE, StreamSummary
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.state.keyed_rows cimport row_at
from streambench.pyx.tuples.columns cimport Columns, integer_at
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.tuples.typed_columns cimport int64_column
from streambench.queries.common.pair_counts cimport pack

import math

import numpy as np

from streambench.queries.common.column_types import KEY, TIME

cdef enum:
    CELLS = 16                          # fewer workers could share the counting of fewer; more take more memory


cdef struct Cell:
    void* summary                       # a StreamSummary that `summaries` holds
    int64_t window                      # that it counts
    int64_t floor                       # the greatest of the windows before
    int64_t pairs                       # of all windows
    char apart[96]                      # two partitions' workers share no cache line


@cython.final
cdef class PairEstimates(PartitionedStateful):
    """Counts pairs by Space-Saving and appends to each, in place, how often it has occurred: ``n`` times at most, ``n``
    less ``error`` times at least. ``error`` is ``epsilon`` times all pairs of the window at most.

    ``columns``: those it reads, as those of `PairCounts`; the pair is the last two, ``windowed``: behind a window that
    never decreases, which is counted by itself.

    Pairs are dealt by a hash over a fixed number of *cells*, each with a summary of its own, and a pair's key is its
    cell: so a cell lies in one partition, however many there are, and its pairs come in order. Hence the output
    sequence does not depend on partitions, workers or units, as little as that of exact counts. That each cell has all
    1 / ``epsilon`` counters is what makes the bound certain: any share of all pairs may fall into one cell.
    """

    cdef Cell* cells
    cdef list summaries
    cdef bint windowed
    cdef int32_t first                  # of the columns read, which is the pair's first
    cdef int64_t most                   # counters of a cell

    def __cinit__(self, *args, **kwargs):
        self.cells = <Cell*>calloc(CELLS, sizeof(Cell))
        if self.cells is NULL:
            raise MemoryError("the cells of estimates")

    def __dealloc__(self):
        free(self.cells)

    def __init__(self, columns, double epsilon, bint windowed=False):
        *window, a, b = columns
        self.reads = {**{name: TIME + KEY for name in window}, a: KEY, b: f"={a}"}
        self.columns = ("n", "error")
        self.in_place = True
        self.partition_free = True
        self.high_key = CELLS
        self.first = <int32_t>len(window)
        self.windowed = windowed
        self.most = math.ceil(1 / epsilon)

    def open(self, int32_t partitions=1):
        cdef int32_t k
        self.summaries = [StreamSummary(self.most) for _ in range(CELLS)]
        for k in range(CELLS):
            self.cells[k].summary = <void*>self.summaries[k]
            self.cells[k].window = -1
            self.cells[k].floor = self.cells[k].pairs = 0

    def save(self):
        """By cell its window, its greatest floor, its pairs, those of its summary, and how many elements this has; the
        elements of all, each cell's by count and by how long they have had it."""
        cdef StreamSummary summary
        cdef int64_t[:, ::1] to
        cdef int32_t k, at = 0
        cells = np.empty((CELLS, 5), np.int64)
        for k in range(CELLS):
            summary = self.summaries[k]
            cells[k] = (self.cells[k].window, self.cells[k].floor, self.cells[k].pairs, summary.n, summary.monitored)
        elements = np.empty((cells[:, 4].sum(), 3), np.int64)
        to = elements
        for summary in self.summaries:
            at += copy_elements(summary, to[at:])
        return {"cells": cells, "elements": elements}

    def load(self, saved):
        cdef StreamSummary summary
        cdef const int64_t[:, ::1] elements = saved["elements"]
        cdef int32_t k, at = 0
        for k, (window, floor, pairs, n, monitored) in enumerate(saved["cells"].tolist()):
            summary = self.summaries[k]
            self.cells[k].window, self.cells[k].floor, self.cells[k].pairs = window, floor, pairs
            put_elements(summary, elements[at:at + monitored])
            summary.n = n
            at += monitored

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            keys[i] = cell_of(self.pair_at(rows, i))

    cdef inline uint64_t pair_at(self, Columns* rows, int32_t row) noexcept nogil:
        return pack(integer_at(rows, self.at[self.first], row), integer_at(rows, self.at[self.first + 1], row))

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int64_t* most = int64_column(out, self.to[0])
        cdef int64_t* error = int64_column(out, self.to[1])
        cdef int32_t i, row
        cdef int64_t window
        cdef uint64_t pair
        cdef Cell* cell
        for i in range(n):
            row = row_at(selected, i)
            pair = self.pair_at(rows, row)
            cell = &self.cells[cell_of(pair)]
            if self.windowed:
                window = integer_at(rows, self.at[0], row)
                if cell.window != window:
                    begin_window(cell, window)
            cell.pairs += 1
            estimate(<StreamSummary>cell.summary, pair, most + row, error + row)
        return -1

    @property
    def counters(self):
        """Of all cells together."""
        return CELLS * self.most

    @property
    def pairs(self):
        """That have been counted."""
        return sum(self.cells[k].pairs for k in range(CELLS))

    @property
    def error_bound(self):
        """No estimate, of any window, is off by more."""
        return max(max(self.cells[k].floor, floor_of(<StreamSummary>self.cells[k].summary)) for k in range(CELLS))


cdef int32_t copy_elements(StreamSummary summary, int64_t[:, ::1] to):
    """The item, the count and the error of each; returns how many."""
    cdef int32_t bucket = summary.lowest, element, n = 0
    while bucket != NONE:
        element = summary.buckets[bucket].first
        while element != NONE:
            to[n, 0] = <int64_t>summary.elements[element].item
            to[n, 1] = summary.buckets[bucket].count
            to[n, 2] = summary.elements[element].error
            n += 1
            element = summary.elements[element].after
        bucket = summary.buckets[bucket].higher
    return n


cdef int put_elements(StreamSummary summary, const int64_t[:, ::1] elements) except -1:
    """Into an empty one."""
    cdef int32_t k
    for k in range(<int32_t>elements.shape[0]):
        summary.elements[k].item = <uint64_t>elements[k, 0]
        summary.elements[k].error = elements[k, 2]
        summary.chain(k)
        if summary.highest == NONE or summary.buckets[summary.highest].count < elements[k, 1]:
            summary.insert_bucket(elements[k, 1], summary.highest)
        summary.append(k, summary.highest)
    summary.monitored = <int32_t>elements.shape[0]
    return 0


cdef inline int32_t cell_of(uint64_t pair) noexcept nogil:
    return partition_by_hash(<int64_t>pair, CELLS)


cdef inline void estimate(StreamSummary summary, uint64_t pair, int64_t* most, int64_t* error) noexcept nogil:
    cdef int32_t element
    summary.count(&pair, 1)
    element = summary.lookup(pair)
    most[0] = summary.buckets[summary.elements[element].bucket].count
    error[0] = summary.elements[element].error


cdef int64_t floor_of(StreamSummary summary) noexcept nogil:
    return summary.floor()


cdef void begin_window(Cell* cell, int64_t window) noexcept nogil:
    cell.floor = max(cell.floor, floor_of(<StreamSummary>cell.summary))
    cell.window = window
    forget(<StreamSummary>cell.summary)


cdef void forget(StreamSummary summary) noexcept nogil:
    """In steps as many as it monitors: most windows are far shorter than a summary is long."""
    cdef int32_t element
    for element in range(summary.monitored):
        summary.unchain(element)
    while summary.lowest != NONE:
        summary.remove_bucket(summary.lowest)
    summary.monitored = 0
    summary.n = 0
