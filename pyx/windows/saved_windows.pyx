"""Open windows as words, and back: so that a stream can stop and go on, by as many partitions as there are then.

Some words say where all partitions are, and how many rows and panes follow. A row is its header, where its windows have
bounds of their own or it holds panes; its key; its cells and what they keep; and its panes. Two stacks of panes stay as
they are: floats would else be added in another order. Panes of sums are what they are, and make the totals again.
"""

from libc.stdint cimport INT64_MIN, int32_t, uint8_t
from libc.string cimport memcpy
from libcpp.algorithm cimport stable_sort
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.windows.cells cimport Closing
from streambench.pyx.windows.definition cimport DISTINCT, SESSION, SLIDING, TUMBLING, Aggregate, Definition
from streambench.pyx.windows.keyed_cells cimport KeyedCells, add_cells, find_cells, list_cells, make_cells_ready
from streambench.pyx.windows.open_windows cimport PaneSums, await_end, begins_earlier
from streambench.pyx.windows.panes cimport Panes, new_panes
from streambench.pyx.windows.rows cimport Header, Rows, cells_of, find_row, header_of, make_room, row_of
from streambench.pyx.windows.sketches cimport SKETCHED, sketch_bytes

cdef enum:
    # Words at the beginning.
    WITHIN                              # and whether there is a window at all
    BEGIN
    END
    NEXT_CLOSE
    BUCKET
    OPEN_ROWS
    HELD_ROWS
    PANES
    FIRST_ROW
    # And of the header of a row.
    BEGUN = 0
    LAST
    HAS_PANES
    HEADER


cdef inline bint share_bounds(const Definition* definition) noexcept nogil:
    return definition.shape == TUMBLING or definition.shape == SLIDING


cdef inline int64_t put(const int64_t* words, int64_t n, int64_t* to, int64_t at) noexcept nogil:
    """Write words at a place, if there is one; returns the next place."""
    if to is not NULL:
        memcpy(to + at, words, n * sizeof(int64_t))
    return at + n


cdef inline int64_t kept_words(const Aggregate* aggregate, const int64_t* kept) noexcept nogil:
    """Of the values, or of the sketch, that a cell keeps."""
    return (sketch_bytes(aggregate) + 7) // 8 if kept[2] == SKETCHED else kept[1]


cdef int64_t put_cells(const Definition* definition, const int64_t* cells, int64_t* to, int64_t at) noexcept nogil:
    cdef int32_t k
    cdef const int64_t* kept
    cdef const Aggregate* aggregate
    at = put(cells, definition.cell_words, to, at)
    for k in range(definition.n_aggregates if definition.keeps_values else 0):
        aggregate = &definition.aggregates[k]
        kept = cells + aggregate.at
        if aggregate.kind < DISTINCT:
            continue
        if kept[2] != SKETCHED:
            at = put(<const int64_t*>kept[0], kept[1], to, at)
            continue
        if to is not NULL:              # its bytes need not fill the last word
            to[at + kept_words(aggregate, kept) - 1] = 0
            memcpy(to + at, <const void*>kept[0], sketch_bytes(aggregate))
        at += kept_words(aggregate, kept)
    return at


cdef const int64_t* take_cells(const Definition* definition, const int64_t* words, int64_t* cells) noexcept nogil:
    cdef int32_t k
    cdef int64_t* kept
    cdef size_t size
    cdef const Aggregate* aggregate
    memcpy(cells, words, definition.cell_words * sizeof(int64_t))
    words += definition.cell_words
    for k in range(definition.n_aggregates if definition.keeps_values else 0):
        aggregate = &definition.aggregates[k]
        if aggregate.kind < DISTINCT:
            continue
        kept = cells + aggregate.at
        size = sketch_bytes(aggregate) if kept[2] == SKETCHED else kept[1] * sizeof(int64_t)
        kept[0] = 0
        if size:
            kept[0] = <int64_t>enlarge(NULL, size)
            memcpy(<void*>kept[0], words, size)
        words += kept_words(aggregate, kept)
        if kept[2] != SKETCHED:
            kept[2] = kept[1]
    return words


cdef int64_t put_row(const Definition* definition, int64_t* row, int64_t* to, int64_t at) noexcept nogil:
    cdef int64_t header[HEADER]
    cdef int64_t counts[2]
    cdef Panes* panes = header_of(row).panes
    cdef int32_t k
    header[BEGUN], header[LAST], header[HAS_PANES] = header_of(row).begun, header_of(row).last, panes is not NULL
    at = put(header, HEADER, to, at)
    at = put(row + definition.header, definition.key_words, to, at)
    at = put_cells(definition, cells_of(definition, row), to, at)
    if panes is not NULL:
        counts[0], counts[1] = panes.middle - panes.first, panes.end - panes.first
        at = put(counts, 2, to, at)
        at = put(panes.together, definition.cell_words, to, at)
        for k in range(panes.first, panes.end):
            row = panes.panes + <int64_t>k * (1 + definition.cell_words)
            at = put_cells(definition, row + 1, to, put(row, 1, to, at))
    return at


cdef const int64_t* take_panes(const Definition* definition, const int64_t* words, Header* header) noexcept nogil:
    cdef int64_t size = 1 + definition.cell_words
    cdef Panes* panes = new_panes(definition)
    cdef int32_t k
    header.panes = panes
    panes.middle, panes.end = <int32_t>words[0], <int32_t>words[1]
    panes.allotted = panes.end
    if panes.end:
        panes.panes = <int64_t*>enlarge(NULL, panes.end * size * sizeof(int64_t))
    words += 2
    memcpy(panes.together, words, definition.cell_words * sizeof(int64_t))
    words += definition.cell_words
    for k in range(panes.end):
        panes.panes[k * size] = words[0]
        words = take_cells(definition, words + 1, panes.panes + k * size + 1)
    return words


cdef const int64_t* take_row(Rows* rows, const Definition* definition, const int64_t* words,
                             int64_t** row) noexcept nogil:
    cdef const int64_t* key = words + HEADER
    make_room(rows, definition, 1)
    row[0] = find_row(rows, definition, key)
    header_of(row[0]).begun, header_of(row[0]).last = words[BEGUN], words[LAST]
    header_of(row[0]).panes = NULL
    key = take_cells(definition, key + definition.key_words, cells_of(definition, row[0]))
    return take_panes(definition, key, header_of(row[0])) if words[HAS_PANES] else key


cdef int64_t put_open(const KeyedCells* open, const Definition* definition, int64_t* to, int64_t at) noexcept nogil:
    """The keys that have tuples and their cells, of windows with bounds that all keys share."""
    cdef vector[int64_t] keys
    cdef vector[Closing] listed
    cdef int64_t words = definition.key_words + definition.cell_words
    cdef const Rows* far = &open.far
    cdef size_t k
    if to is NULL and not definition.keeps_values:
        return at + (open.n + far.open) * words
    if (open.n == 0 and far.open == far.n and far.row_size == words * <int64_t>sizeof(int64_t)
            and not definition.keeps_values):
        return put(<const int64_t*>far.rows, far.n * words, to, at)     # as they lie there
    list_cells(open, definition, keys, listed)
    for k in range(listed.size()):
        at = put_cells(definition, listed[k].cells, to, put(listed[k].key, definition.key_words, to, at))
    return at


cdef int64_t save_windows(const vector[OpenWindows]& windows, int64_t* to) noexcept nogil:
    """Write the windows of all partitions to ``to``, unless it is NULL; returns how many words these are."""
    cdef const Definition* definition = windows[0].definition
    cdef int64_t first[FIRST_ROW]
    cdef int64_t at = FIRST_ROW
    cdef const OpenWindows* each
    cdef const PaneSums* pane
    cdef int64_t* row
    cdef size_t p, k
    cdef int32_t number
    first[WITHIN] = -1
    first[BEGIN] = first[END] = first[NEXT_CLOSE] = first[BUCKET] = INT64_MIN
    first[OPEN_ROWS] = first[HELD_ROWS] = first[PANES] = 0
    for p in range(windows.size()):         # partitions that have tuples agree; the others are behind them
        each = &windows[p]
        if each.begun and each.end >= first[END]:
            first[WITHIN], first[BEGIN], first[END], first[NEXT_CLOSE] = (each.within, each.begin, each.end,
                                                                          each.next_close)
        if each.open.far.open and each.bucket > first[BUCKET]:
            first[BUCKET] = each.bucket
        if share_bounds(definition):
            at = put_open(&each.open, definition, to, at)
            first[OPEN_ROWS] += each.open.n + each.open.far.open
            continue
        for number in range(each.open.far.n):
            row = row_of(&each.open.far, number)
            if definition.shape != SESSION or cells_of(definition, row)[0]:
                at = put_row(definition, row, to, at)
                first[OPEN_ROWS] += 1
    for p in range(windows.size()):
        first[HELD_ROWS] += windows[p].held.n
        for number in range(windows[p].held.n):
            at = put_row(definition, row_of(&windows[p].held, number), to, at)
    for p in range(windows.size()):
        first[PANES] += <int64_t>windows[p].panes.size()
        for k in range(windows[p].panes.size()):
            pane = &windows[p].panes[k]
            at = put(&pane.begin, 1, to, at)
            at = put(&pane.n, 1, to, at)
            at = put(pane.rows, pane.n * (definition.key_words + definition.cell_words), to, at)
    put(first, FIRST_ROW, to, 0)
    return at


cdef void restore_windows(const int64_t* words, vector[OpenWindows]& windows) noexcept nogil:
    """Make the last ones of windows that have just been made those that were saved."""
    cdef OpenWindows* all = &windows.back()
    cdef const Definition* definition = all.definition
    cdef const int64_t* at = words + FIRST_ROW
    cdef int64_t* row
    cdef int64_t k
    all.begun, all.within = words[WITHIN] >= 0, words[WITHIN] > 0
    all.begin, all.end, all.next_close = words[BEGIN], words[END], words[NEXT_CLOSE]
    all.bucket = words[BUCKET]
    for k in range(words[OPEN_ROWS]):
        if share_bounds(definition):
            make_cells_ready(&all.open, definition, 1)
            at = take_cells(definition, at + definition.key_words, find_cells(&all.open, definition, at))
            continue
        at = take_row(&all.open.far, definition, at, &row)
        if definition.shape == SESSION:
            await_end(all, <int32_t>((<const char*>row - all.open.far.rows) // all.open.far.row_size))
    for k in range(words[HELD_ROWS]):
        at = take_row(&all.held, definition, at, &row)
    restore_panes(at, words[PANES], all)


cdef void restore_panes(const int64_t* at, int64_t n, OpenWindows* windows) noexcept nogil:
    cdef const Definition* definition = windows.definition
    cdef int64_t words = definition.key_words + definition.cell_words, i, k
    cdef PaneSums pane
    for i in range(n):
        pane.begin, pane.n = at[0], at[1]
        if pane.n == 0:
            at += 2
            continue
        pane.rows = <int64_t*>enlarge(NULL, pane.n * words * sizeof(int64_t))
        memcpy(pane.rows, at + 2, pane.n * words * sizeof(int64_t))
        at += 2 + pane.n * words
        for k in range(pane.n):
            make_cells_ready(&windows.totals, definition, 1)
            add_cells(&windows.totals, definition, pane.rows + k * words,
                      pane.rows + k * words + definition.key_words)
        append(windows.panes, pane)
    stable_sort(windows.panes.begin(), windows.panes.end(), &begins_earlier)
