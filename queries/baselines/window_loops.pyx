"""Windows by key as one straightforward loop over columns in memory: what one good thread does without any runtime.

Keys are 0 to ``keys`` - 1, so their cells are an array. Rows go to ``out``: start, end, key, tuples and sum, as far as
there is room; each loop returns how many there are.
"""

from libc.stdint cimport INT64_MIN, int64_t
from libcpp.deque cimport deque
from libcpp.vector cimport vector

cdef struct Cell:
    int64_t n
    int64_t total

cdef struct KeyCell:
    int64_t key
    Cell cell


cdef inline int64_t write_rows(const vector[Cell]& cells, int64_t start, int64_t end, int64_t row,
                               int64_t[:, ::1] out) noexcept nogil:
    cdef size_t key
    for key in range(cells.size()):
        if cells[key].n == 0:
            continue
        if row < out.shape[1]:
            out[0, row], out[1, row], out[2, row] = start, end, <int64_t>key
            out[3, row], out[4, row] = cells[key].n, cells[key].total
        row += 1
    return row


def tumbling(const int64_t[::1] ts, const int64_t[::1] key, const int64_t[::1] value, int64_t size, int64_t keys,
             int64_t[:, ::1] out):
    """Tumbling windows from 0 on; times ascend."""
    cdef vector[Cell] cells
    cdef int64_t end = INT64_MIN, row = 0, i
    cells.resize(keys)
    with nogil:
        for i in range(ts.shape[0]):
            if ts[i] >= end:
                if i:
                    row = write_rows(cells, end - size, end, row, out)
                    cells.assign(keys, Cell(0, 0))
                end = ts[i] - ts[i] % size + size
            cells[key[i]].n += 1
            cells[key[i]].total += value[i]
        row = write_rows(cells, end - size, end, row, out)
    return row


cdef void add_pane(vector[Cell]& totals, vector[Cell]& cells, deque[vector[KeyCell]]& panes) noexcept nogil:
    cdef vector[KeyCell] pane
    cdef KeyCell one
    cdef size_t key
    for key in range(cells.size()):
        if cells[key].n:
            one.key, one.cell = <int64_t>key, cells[key]
            pane.push_back(one)
            totals[key].n += cells[key].n
            totals[key].total += cells[key].total
            cells[key].n = cells[key].total = 0
    panes.push_back(pane)


cdef void drop_pane(vector[Cell]& totals, deque[vector[KeyCell]]& panes) noexcept nogil:
    cdef size_t k
    for k in range(panes.front().size()):
        totals[panes.front()[k].key].n -= panes.front()[k].cell.n
        totals[panes.front()[k].key].total -= panes.front()[k].cell.total
    panes.pop_front()


def sliding(const int64_t[::1] ts, const int64_t[::1] key, const int64_t[::1] value, int64_t step, int64_t most,
            int64_t keys, int64_t[:, ::1] out):
    """Windows of ``most`` panes of ``step`` from 0 on; times ascend, and no pane is empty."""
    cdef vector[Cell] cells, totals
    cdef deque[vector[KeyCell]] panes
    cdef int64_t end = 0, row = 0, i
    cells.resize(keys)
    totals.resize(keys)
    with nogil:
        for i in range(ts.shape[0]):
            if i == 0:
                end = ts[i] - ts[i] % step + step
            if ts[i] >= end:
                add_pane(totals, cells, panes)
                row = write_rows(totals, end - most * step, end, row, out)
                if <int64_t>panes.size() == most:
                    drop_pane(totals, panes)
                end += step
            cells[key[i]].n += 1
            cells[key[i]].total += value[i]
        add_pane(totals, cells, panes)
        while not panes.empty():
            row = write_rows(totals, end - most * step, end, row, out)
            if end >= most * step or <int64_t>panes.size() == most:
                drop_pane(totals, panes)
            end += step
    return row
