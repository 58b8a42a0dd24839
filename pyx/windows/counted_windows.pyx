"""Windows of so many tuples of a key: each key has a row, whose header counts its tuples and holds its panes."""

from libc.stdint cimport uint32_t
from libc.string cimport memset
from streambench.pyx.windows.cells cimport take_in
from streambench.pyx.windows.definition cimport Definition
from streambench.pyx.windows.open_windows cimport add_closing, emit_closing, multiple_below
from streambench.pyx.windows.panes cimport all_panes, delete_panes, drop_panes, new_panes, push_pane
from streambench.pyx.windows.rows cimport Header, cells_of, find_row, forget_rows, header_of, make_room, row_of


cdef void take_counted(OpenWindows* windows, Block* block, int32_t i, const int64_t* key, Columns* out) noexcept nogil:
    """Tuple ``i`` of the block; windows that it completes are emitted."""
    cdef const Definition* definition = windows.definition
    cdef int64_t size = definition.size, step = definition.step, number, offset
    cdef int64_t rest = size % step if size >= step else size
    cdef int64_t* row
    cdef Header* header
    make_room(&windows.open.far, definition, 1)
    row = find_row(&windows.open.far, definition, key)
    header = header_of(row)
    offset = header.begun % step
    header.begun += 1
    if size < step and offset >= size:
        return
    block.cells[i] = cells_of(definition, row)
    block.cells[i][0] += 1
    take_in(definition, block, i, i + 1)
    number = header.begun
    offset += 1
    if offset == rest or (offset == step and size >= step):
        end_counted_pane(windows, row, number - (rest if offset == rest else step - rest))
    if number >= size and (number - size) % step == 0:
        emit_counted(windows, row, number - size, out, block.row[i])


cdef void end_counted_pane(OpenWindows* windows, int64_t* row, int64_t begin) noexcept nogil:
    cdef const Definition* definition = windows.definition
    if header_of(row).panes is NULL:
        header_of(row).panes = new_panes(definition)
    push_pane(header_of(row).panes, definition, begin, cells_of(definition, row))
    memset(cells_of(definition, row), 0, definition.cell_words * sizeof(int64_t))


cdef void emit_counted(OpenWindows* windows, int64_t* row, int64_t begin, Columns* out,
                       uint32_t source_row) noexcept nogil:
    cdef const Definition* definition = windows.definition
    drop_panes(header_of(row).panes, definition, begin)
    add_closing(windows, row, all_panes(header_of(row).panes, definition), header_of(row).panes)
    emit_closing(windows, begin, begin + definition.size, out, source_row)
    windows.closing.clear()


cdef void close_counted(OpenWindows* windows, Columns* out) noexcept nogil:
    """At end of stream: emit the windows that have tuples, but not all, and forget them."""
    cdef const Definition* definition = windows.definition
    cdef int64_t size = definition.size, step = definition.step, number, base, begin
    cdef int64_t rest = size % step if size >= step else size
    cdef int32_t k
    cdef int64_t* row
    for k in range(windows.open.far.n):
        row = row_of(&windows.open.far, k)
        number = header_of(row).begun
        base = number - number % step
        begin = base if number - base < rest or (number - base == 0) else base + rest
        if begin < number and (size >= step or number - base < size):
            end_counted_pane(windows, row, begin)
        begin = max(<int64_t>0, multiple_below(number - size, 0, step) + step)
        while begin < number:
            drop_panes(header_of(row).panes, definition, begin)
            if header_of(row).panes.first == header_of(row).panes.end:
                break
            emit_counted(windows, row, begin, out, 0)
            begin += step
        delete_panes(header_of(row).panes, definition)
        header_of(row).panes = NULL
    forget_rows(&windows.open.far)
