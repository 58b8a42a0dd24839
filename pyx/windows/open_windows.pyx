"""The windows of a partition's keys that are open: how they begin, take tuples in, and close.

Tumbling and sliding windows of all keys have the same bounds. Tuples go into the cells that their key has in the
tumbling window, or in the pane, that is open. Where a pane ends, each key's is appended to its panes; or, where all
aggregates are sums of integers, added to the key's totals, from which it is subtracted when it is over. Sessions have
bounds of their own. They wait for their end in the buckets of a wheel (Varghese and Lauck, "Hashed and hierarchical
timing wheels", SOSP 1987).
"""

from libc.stdint cimport INT64_MAX, INT64_MIN
from libc.stdlib cimport free
from libc.string cimport memset
from libcpp.algorithm cimport pop_heap, push_heap
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.tuples.columns cimport reserve
from streambench.pyx.tuples.layout cimport INT64, size_of, type_of
from streambench.pyx.windows.cells cimport Closing, emit_cells, emit_values, free_values, take_in
from streambench.pyx.windows.definition cimport COUNTED, DISTINCT, SESSION, SLIDING, TUMBLING, Aggregate
from streambench.pyx.windows.keyed_cells cimport (
    add_cells, clear_cells, forget_cells, has_keys, init_cells, list_cells, make_near, subtract_cells,
)
from streambench.pyx.windows.ordered_words cimport key_words_of, write_words
from streambench.pyx.windows.panes cimport (
    Panes, all_panes, delete_panes, drop_panes, gather_panes, new_panes, push_pane,
)
from streambench.pyx.windows.rows cimport (
    cells_of, clear_rows, find_row, header_of, init_rows, keep_only, make_room, remove_row, row_of,
)
from streambench.pyx.windows.sketches cimport clear_gathered, gather_cell

cdef enum:
    EMITTED_AT_ONCE = 1024
    WHEEL = 64                          # buckets, of which a gap takes all but two at most


cdef void init_windows(OpenWindows* windows, const Definition* definition) noexcept nogil:
    windows.definition = definition
    windows.begun = windows.within = False
    windows.begin = windows.end = windows.next_close = INT64_MIN
    init_cells(&windows.open, definition)
    init_cells(&windows.totals, definition)
    init_rows(&windows.held, definition)
    windows.wheel.resize(WHEEL if definition.shape == SESSION else 0)
    windows.shift = 0
    while definition.size >> windows.shift > WHEEL - 3:
        windows.shift += 1
    windows.nothing.assign(definition.cell_words, 0)


cdef bint have_near(const Definition* definition) noexcept nogil:
    """Whether small integers are found by the key itself."""
    return definition.key_words == 1 and (definition.shape == TUMBLING or definition.shape == SLIDING)


cdef void clear_windows(OpenWindows* windows) noexcept nogil:
    """Free all memory, but near cells."""
    cdef const Definition* definition = windows.definition
    cdef int32_t number
    list_cells(&windows.open, definition, windows.keys, windows.closing)
    free_closing(windows)
    if definition.shape == COUNTED:
        for number in range(windows.open.far.n):
            delete_panes(header_of(row_of(&windows.open.far, number)).panes, definition)
    for number in range(windows.held.n):
        delete_panes(header_of(row_of(&windows.held, number)).panes, definition)
    clear_cells(&windows.open)
    clear_cells(&windows.totals)
    while not windows.panes.empty():
        free(windows.panes.front().rows)
        windows.panes.pop_front()
    clear_rows(&windows.held)


cdef void free_closing(OpenWindows* windows) noexcept nogil:
    """Free the values that the cells of listed keys keep."""
    cdef size_t i
    for i in range(windows.closing.size() if windows.definition.keeps_values else 0):
        free_values(windows.definition, <int64_t*>windows.closing[i].cells)
    windows.closing.clear()


cdef bint close_next(OpenWindows* windows, int64_t time, bint fill, Columns* out, uint32_t source_row) noexcept nogil:
    """Emit all windows of the lowest end, of those that end at ``time`` or before. False: there are none.

    Of windows whose bounds all keys share. ``fill``: where no tuple is in the window, one without any is emitted.
    """
    cdef const Definition* definition = windows.definition
    if not windows.begun:
        return False
    if definition.shape == SLIDING:
        return close_sliding(windows, time, fill, out, source_row)
    if definition.shape == COUNTED or time < windows.end:
        return False
    if not has_keys(&windows.open) and not fill:
        windows.begun = False
        return False
    list_cells(&windows.open, definition, windows.keys, windows.closing)
    if fill and windows.closing.empty():
        add_closing(windows, NULL, windows.nothing.data(), NULL)
    emit_closing(windows, windows.begin, windows.end, out, source_row)
    free_closing(windows)
    forget_cells(&windows.open, windows.keys)
    windows.begin += definition.size
    windows.end += definition.size
    windows.begun = fill
    return True


cdef bint close_sliding(
        OpenWindows* windows, int64_t time, bint fill, Columns* out, uint32_t source_row) noexcept nogil:
    cdef const Definition* definition = windows.definition
    cdef int64_t begin = windows.next_close - definition.size
    cdef bint dropped = False
    if has_keys(&windows.open) and time >= windows.end:
        end_pane(windows)
    if time < windows.next_close:
        return False
    if windows.held.open == 0 and not has_keys(&windows.totals) and not fill:
        windows.begun = definition.fill         # what is filled comes in front of the next window that has tuples
        return False
    if definition.inverts:
        drop_sums(windows, begin)
        list_cells(&windows.totals, definition, windows.keys, windows.closing)
    else:
        dropped = list_held(windows, begin)
    if fill and windows.closing.empty():
        add_closing(windows, NULL, windows.nothing.data(), NULL)
    emit_closing(windows, begin, windows.next_close, out, source_row)
    if dropped:
        keep_only(&windows.held, definition, windows.kept.data())
    windows.closing.clear()
    windows.next_close += definition.step
    return True


cdef bint list_held(OpenWindows* windows, int64_t begin) noexcept nogil:
    """All keys that have panes from this time on. Returns whether there are others, which are to be forgotten."""
    cdef const Definition* definition = windows.definition
    cdef int32_t number
    cdef int64_t* row
    windows.kept.assign(windows.held.n, 1)
    for number in range(windows.held.n):
        row = row_of(&windows.held, number)
        drop_panes(header_of(row).panes, definition, begin)
        if header_of(row).panes.first == header_of(row).panes.end:
            delete_panes(header_of(row).panes, definition)
            windows.kept[number] = 0
            continue
        add_closing(windows, row, all_panes(header_of(row).panes, definition), header_of(row).panes)
    return <int32_t>windows.closing.size() < windows.held.n


cdef void end_pane(OpenWindows* windows) noexcept nogil:
    """Append the pane that is open to each key's."""
    cdef const Definition* definition = windows.definition
    cdef size_t i
    cdef int64_t* held
    list_cells(&windows.open, definition, windows.keys, windows.closing)
    if definition.inverts:
        push_sums(windows)
    else:
        make_room(&windows.held, definition, <int32_t>windows.closing.size())
        for i in range(windows.closing.size()):
            held = find_row(&windows.held, definition, windows.closing[i].key)
            if header_of(held).panes is NULL:
                header_of(held).panes = new_panes(definition)
            push_pane(header_of(held).panes, definition, windows.begin, windows.closing[i].cells)
    windows.closing.clear()
    forget_cells(&windows.open, windows.keys)


cdef void push_sums(OpenWindows* windows) noexcept nogil:
    """Add the pane that is open, all of whose keys are listed, to the totals."""
    cdef const Definition* definition = windows.definition
    cdef int64_t words = definition.key_words + definition.cell_words, k
    cdef size_t i
    cdef int64_t* to
    cdef PaneSums pane
    if windows.totals.near_keys < windows.open.near_keys:
        make_near(&windows.totals, definition, windows.open.near_keys)
    pane.begin, pane.n = windows.begin, <int64_t>windows.closing.size()
    pane.rows = to = <int64_t*>enlarge(NULL, pane.n * words * sizeof(int64_t))
    append(windows.panes, pane)
    for i in range(windows.closing.size()):
        for k in range(definition.key_words):
            to[k] = windows.closing[i].key[k]
        for k in range(definition.cell_words):
            to[definition.key_words + k] = windows.closing[i].cells[k]
        add_cells(&windows.totals, definition, to, to + definition.key_words)
        to += words


cdef void drop_sums(OpenWindows* windows, int64_t before) noexcept nogil:
    """Subtract the panes that begin before this time from the totals."""
    cdef const Definition* definition = windows.definition
    cdef const int64_t* row
    cdef int64_t i
    while not windows.panes.empty() and windows.panes.front().begin < before:
        row = windows.panes.front().rows
        for i in range(windows.panes.front().n):
            subtract_cells(&windows.totals, definition, row, row + definition.key_words)
            row += definition.key_words + definition.cell_words
        free(windows.panes.front().rows)
        windows.panes.pop_front()


cdef void begin_at(OpenWindows* windows, int64_t time) noexcept nogil:
    """Open the tumbling window, or the pane, of this time, where it is not open; what ends before has been closed."""
    cdef const Definition* definition = windows.definition
    cdef int64_t base, rest
    if definition.shape == TUMBLING:
        if not windows.begun:
            windows.begin = multiple_below(time, definition.origin, definition.size)
            windows.end = windows.begin + definition.size
            windows.begun = windows.within = True
        return
    if windows.begun and time < windows.end:
        return
    base = multiple_below(time, definition.origin, definition.step)
    rest = definition.size % definition.step if definition.size >= definition.step else definition.size
    windows.within = definition.size >= definition.step or time - base < rest
    windows.begin = base if time - base < rest else base + rest
    windows.end = base + rest if time - base < rest else base + definition.step
    if not windows.begun and windows.within:
        windows.next_close = (multiple_below(time - definition.size, definition.origin, definition.step)
                              + definition.step + definition.size)
        windows.begun = True


cdef bint in_window(const Definition* definition, int64_t time) noexcept nogil:
    """Whether a time is in some window: of those with gaps between them not all are."""
    return (definition.size >= definition.step
            or time - multiple_below(time, definition.origin, definition.step) < definition.size)


cdef void close_sessions(OpenWindows* windows, int64_t time, Columns* out, uint32_t source_row) noexcept nogil:
    """Emit all sessions that end at ``time`` or before, in no order."""
    cdef int64_t now = time >> windows.shift, bucket = max(windows.bucket, now - WHEEL)
    cdef int32_t number
    cdef size_t i
    windows.bucket = max(windows.bucket, now)
    while bucket < now:
        bucket += 1
        windows.moved.swap(windows.wheel[bucket & (WHEEL - 1)])
        for i in range(windows.moved.size()):
            close_session(windows, windows.moved[i], time, out, source_row)
        windows.moved.clear()
    while not windows.due.empty() and windows.due.front().time <= time:
        number = windows.due.front().row
        pop_heap(windows.due.begin(), windows.due.end(), &later)
        windows.due.pop_back()
        close_session(windows, number, time, out, source_row)


cdef void close_session(OpenWindows* windows, int32_t number, int64_t time, Columns* out,
                        uint32_t source_row) noexcept nogil:
    """Emit a session that seemed to end; if tuples have come since, it waits for the end that it has now."""
    cdef int64_t* row = row_of(&windows.open.far, number)
    if header_of(row).last + windows.definition.size > time:
        await_end(windows, number)
        return
    emit_session(windows, row, out, source_row)
    remove_row(&windows.open.far, windows.definition, number)


cdef inline bint later(const Due& a, const Due& b) noexcept nogil:
    return a.time > b.time


cdef void await_end(OpenWindows* windows, int32_t number) noexcept nogil:
    """Let a session be looked at when it ends, if nothing more comes."""
    cdef Due due
    due.row = number
    due.time = header_of(row_of(&windows.open.far, number)).last + windows.definition.size
    if due.time >> windows.shift > windows.bucket:
        append(windows.wheel[(due.time >> windows.shift) & (WHEEL - 1)], number)
        return
    append(windows.due, due)
    push_heap(windows.due.begin(), windows.due.end(), &later)


cdef void forget_ends(OpenWindows* windows) noexcept nogil:
    """No session is left."""
    cdef size_t k
    for k in range(windows.wheel.size()):
        windows.wheel[k].clear()
    windows.due.clear()


cdef void emit_session(OpenWindows* windows, int64_t* row, Columns* out, uint32_t source_row) noexcept nogil:
    add_closing(windows, row, cells_of(windows.definition, row), NULL)
    emit_closing(windows, header_of(row).begun, header_of(row).last + windows.definition.size, out, source_row)
    free_closing(windows)


cdef void take_session(OpenWindows* windows, Block* block, int32_t i, const int64_t* key, int64_t time, Columns* out,
                       uint32_t source_row) noexcept nogil:
    """Tuple ``i`` of the block; the key's session that ends by then is emitted."""
    cdef const Definition* definition = windows.definition
    cdef int32_t open = windows.open.far.open
    cdef int64_t* row
    make_room(&windows.open.far, definition, 1)
    row = find_row(&windows.open.far, definition, key)
    if open == 0:
        windows.bucket = time >> windows.shift
    if windows.open.far.open == open and header_of(row).last + definition.size <= time:
        emit_session(windows, row, out, source_row)
        memset(cells_of(definition, row), 0, definition.cell_words * sizeof(int64_t))
        header_of(row).begun = time
    header_of(row).last = time
    if windows.open.far.open > open:
        header_of(row).begun = time
        await_end(windows, <int32_t>((<const char*>row - windows.open.far.rows) // windows.open.far.row_size))
    block.cells[i] = cells_of(definition, row)
    block.cells[i][0] += 1
    take_in(definition, block, i, i + 1)


cdef int64_t next_end(const OpenWindows* windows) noexcept nogil:
    """When the next windows of those that hold tuples close, of windows with bounds that all keys share."""
    if not windows.begun or not (has_keys(&windows.open) or windows.held.open or has_keys(&windows.totals)):
        return INT64_MAX
    return windows.next_close if windows.definition.shape == SLIDING else windows.end


cdef void add_closing(OpenWindows* windows, const int64_t* row, const int64_t* cells, Panes* panes) noexcept nogil:
    """``row``: where the key is; NULL without one. ``panes``: NULL where the cells are the row's own."""
    cdef Closing one
    one.key = row + windows.definition.header if row is not NULL else NULL
    one.cells = cells
    one.panes = panes
    append(windows.closing, one)


cdef void emit_closing(OpenWindows* windows, int64_t begin, int64_t end, Columns* out,
                       uint32_t source_row) noexcept nogil:
    """Emit the windows that close, which have these bounds: column by column, as many at a time as the cache holds."""
    cdef int32_t n = <int32_t>windows.closing.size(), done = 0, piece
    reserve(out, n)
    while done < n:
        piece = min(n - done, <int32_t>EMITTED_AT_ONCE)
        emit_piece(windows, windows.closing.data() + done, piece, begin, end, out, source_row)
        done += piece


cdef void emit_piece(OpenWindows* windows, const Closing* closing, int32_t n, int64_t begin, int64_t end, Columns* out,
                     uint32_t source_row) noexcept nogil:
    cdef const Definition* definition = windows.definition
    cdef int32_t first = out.n, k, i, at = 0
    cdef int64_t* to
    cdef const Aggregate* one
    out.n += n
    fill(out.column[0] + first, n, begin)
    fill(out.column[1] + first, n, end)
    for i in range(first, out.n):
        out.source_row[i] = source_row
    for k in range(2, 2 + definition.n_keys):
        if type_of(out.layout, k) == INT64:
            to = out.column[k] + first
            for i in range(n):
                to[i] = closing[i].key[at]
        else:
            for i in range(n):
                write_words(out, k, first + i, closing[i].key + at)
        at += key_words_of(type_of(out.layout, k), size_of(out.layout, k))
    for k in range(definition.n_aggregates):
        one = &definition.aggregates[k]
        if one.kind < DISTINCT:
            emit_cells(one, closing, n, out, first)
            continue
        for i in range(n):
            clear_gathered(windows.gathered)
            if closing[i].panes is NULL:
                gather_cell(one, closing[i].cells + one.at, windows.gathered)
            else:
                gather_panes(<Panes*>closing[i].panes, definition, one, windows.gathered)
            emit_values(one, windows.gathered, out, first + i)


cdef inline void fill(int64_t* to, int32_t n, int64_t value) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        to[i] = value
