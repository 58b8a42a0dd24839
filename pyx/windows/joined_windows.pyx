"""From the windows of all partitions to one set of windows, and back.

Where one worker has the whole operator, keys need no partition: the last ones of ``windows`` then are those of all
keys, and those of the partitions are empty. Near cells stay where they are, only the bits move that say whose they are;
rows and panes move. What that takes is in proportion to what it takes to emit the windows that are open.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy
from libcpp.algorithm cimport stable_sort
from libcpp.deque cimport deque
from streambench.pyx.machine.memory cimport append, enlarge, lengthen
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.windows.definition cimport COUNTED, SESSION, Definition
from streambench.pyx.windows.keyed_cells cimport KeyedCells, divide_near, join_cells
from streambench.pyx.windows.open_windows cimport OpenWindows, PaneSums, await_end, begins_earlier, forget_ends
from streambench.pyx.windows.rows cimport Rows, cells_of, forget_rows, move_row, partition_key, row_of


cdef inline int32_t home_of(vector[OpenWindows]& windows, const int64_t* key) noexcept nogil:
    """The key's partition."""
    return partition_by_hash(partition_key(key, windows[0].definition.key_words), <int32_t>windows.size() - 1)


cdef void copy_bounds(const OpenWindows* windows, OpenWindows* to) noexcept nogil:
    to.begun, to.within, to.begin, to.end = windows.begun, windows.within, windows.begin, windows.end
    to.next_close, to.bucket = windows.next_close, windows.bucket


cdef inline bint has_rows_alone(const Definition* definition) noexcept nogil:
    """Of windows with bounds of each key's own, whose keys are all far and have headers that mean something."""
    return definition.shape == SESSION or definition.shape == COUNTED


cdef void join_windows(vector[OpenWindows]& windows) noexcept nogil:
    """Give all keys of the partitions to the last ones of ``windows``, which have none."""
    cdef size_t p, n = windows.size() - 1
    cdef OpenWindows* all = &windows[n]
    cdef OpenWindows* part
    cdef OpenWindows* furthest = &windows[0]
    cdef PaneSums pane
    cdef int32_t number
    for p in range(1, n):               # partitions that have tuples agree; the others are behind them
        if windows[p].begun and (not furthest.begun or windows[p].end > furthest.end):
            furthest = &windows[p]
    copy_bounds(furthest, all)
    for p in range(n):
        all.bucket = max(all.bucket, windows[p].bucket)
    for p in range(n):
        part = &windows[p]
        if has_rows_alone(all.definition):
            for number in range(part.open.far.n):
                move_open_row(part, number, all)
            forget_rows(&part.open.far)
            forget_ends(part)
        else:
            join_cells(&all.open, &part.open, all.definition)
            join_cells(&all.totals, &part.totals, all.definition)
        for number in range(part.held.n):
            move_row(row_of(&part.held, number), &all.held, all.definition)
        forget_rows(&part.held)
        while not part.panes.empty():
            pane = part.panes.front()
            append(all.panes, pane)
            part.panes.pop_front()
    stable_sort(all.panes.begin(), all.panes.end(), &begins_earlier)


cdef void divide_windows(vector[OpenWindows]& windows) noexcept nogil:
    """Give all keys of the last ones of ``windows`` to their partitions, which have none."""
    cdef size_t p, n = windows.size() - 1
    cdef OpenWindows* all = &windows[n]
    cdef int32_t number
    for p in range(n):
        copy_bounds(all, &windows[p])
    if has_rows_alone(all.definition):
        for number in range(all.open.far.n):
            p = <size_t>home_of(windows, row_of(&all.open.far, number) + all.definition.header)
            move_open_row(all, number, &windows[p])
        forget_rows(&all.open.far)
        forget_ends(all)
    else:
        divide_cells(windows, False)
        divide_cells(windows, True)
    for number in range(all.held.n):
        p = <size_t>home_of(windows, row_of(&all.held, number) + all.definition.header)
        move_row(row_of(&all.held, number), &windows[p].held, all.definition)
    forget_rows(&all.held)
    divide_panes(windows)


cdef void move_open_row(OpenWindows* windows, int32_t number, OpenWindows* to) noexcept nogil:
    """The row of a session, unless it is empty, or of counted windows."""
    cdef int64_t* row = row_of(&windows.open.far, number)
    if to.definition.shape == SESSION and cells_of(to.definition, row)[0] == 0:
        return
    row = move_row(row, &to.open.far, to.definition)
    if to.definition.shape == SESSION:
        await_end(to, <int32_t>((<const char*>row - to.open.far.rows) // to.open.far.row_size))


cdef inline KeyedCells* cells_among(OpenWindows* windows, bint totals) noexcept nogil:
    return &windows.totals if totals else &windows.open


cdef void divide_cells(vector[OpenWindows]& windows, bint totals) noexcept nogil:
    cdef vector[KeyedCells*] parts
    cdef size_t p, n = windows.size() - 1
    cdef KeyedCells* all = cells_among(&windows[n], totals)
    cdef const Definition* definition = windows[n].definition
    cdef int32_t number
    cdef int64_t* row
    lengthen(parts, n)
    for p in range(n):
        parts[p] = cells_among(&windows[p], totals)
    divide_near(all, parts.data(), definition)
    for number in range(all.far.n):
        row = row_of(&all.far, number)
        if cells_of(definition, row)[0]:
            move_row(row, &parts[home_of(windows, row + definition.header)].far, definition)
    forget_rows(&all.far)


cdef void divide_panes(vector[OpenWindows]& windows) noexcept nogil:
    cdef size_t p, n = windows.size() - 1
    cdef deque[PaneSums]* panes = &windows[n].panes
    cdef vector[PaneSums] parts
    cdef PaneSums pane
    cdef PaneSums* part
    cdef int64_t words = windows[n].definition.key_words + windows[n].definition.cell_words, k
    cdef int32_t home
    while not panes.empty():
        parts.assign(n, PaneSums(panes.front().begin, 0, NULL))
        for k in range(panes.front().n):
            home = home_of(windows, panes.front().rows + k * words)
            parts.data()[home].n += 1
        for p in range(n):
            part = parts.data() + p
            part.rows = <int64_t*>enlarge(NULL, part.n * words * sizeof(int64_t)) if part.n else <int64_t*>NULL
            part.n = 0
        for k in range(panes.front().n):
            part = parts.data() + home_of(windows, panes.front().rows + k * words)
            memcpy(part.rows + part.n * words, panes.front().rows + k * words, words * sizeof(int64_t))
            part.n += 1
        for p in range(n):
            pane = parts[p]
            if pane.n:                      # a pane that one partition has given goes back to it alone
                append(windows[p].panes, pane)
        free(panes.front().rows)
        panes.pop_front()
