"""Open windows as words, and back: so that a stream can stop and go on, by as many partitions as there are then.

Six words say where all partitions are, and how many rows follow of each kind. A row is its header, its key, its cells
and their kept values, and its panes. Two stacks of panes stay as they are: floats would else be added in another order.
"""

from libc.stdint cimport INT64_MIN, int32_t
from libc.string cimport memcpy
from libcpp.algorithm cimport stable_sort
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.windows.definition cimport DISTINCT, SESSION, Definition
from streambench.pyx.windows.panes cimport Panes, new_panes
from streambench.pyx.windows.rows cimport (
    Header, Rows, cells_of, find_row, hash_key, header_of, make_room, row_of,
)

cdef enum:
    # Words at the beginning.
    WITHIN                              # and whether there is a window at all
    BEGIN
    END
    NEXT_CLOSE
    OPEN_ROWS
    HELD_ROWS
    FIRST_ROW
    # And of the header of a row.
    BEGUN = 0
    LAST
    PANES                               # 1: it has some
    HEADER

cdef struct Session:
    int64_t last
    const int64_t* words


cdef inline bint ends_earlier(const Session& a, const Session& b) noexcept nogil:
    return a.last < b.last


cdef inline int64_t put(const int64_t* words, int64_t n, int64_t* to, int64_t at) noexcept nogil:
    """Write words at a place, if there is one; returns the next place."""
    if to is not NULL:
        memcpy(to + at, words, n * sizeof(int64_t))
    return at + n


cdef int64_t put_cells(const Definition* definition, const int64_t* cells, int64_t* to, int64_t at) noexcept nogil:
    cdef int32_t k
    cdef const int64_t* kept
    at = put(cells, definition.cell_words, to, at)
    if definition.keeps_values:
        for k in range(definition.n_aggregates):
            if definition.aggregates[k].kind >= DISTINCT:
                kept = cells + definition.aggregates[k].at
                at = put(<const int64_t*>kept[0], kept[1], to, at)
    return at


cdef const int64_t* take_cells(const Definition* definition, const int64_t* words, int64_t* cells) noexcept nogil:
    cdef int32_t k
    cdef int64_t* kept
    memcpy(cells, words, definition.cell_words * sizeof(int64_t))
    words += definition.cell_words
    if definition.keeps_values:
        for k in range(definition.n_aggregates):
            if definition.aggregates[k].kind >= DISTINCT:
                kept = cells + definition.aggregates[k].at
                kept[2] = kept[1]
                kept[0] = 0
                if kept[1]:
                    kept[0] = <int64_t>enlarge(NULL, kept[1] * sizeof(int64_t))
                    memcpy(<void*>kept[0], words, kept[1] * sizeof(int64_t))
                words += kept[1]
    return words


cdef int64_t put_row(const Definition* definition, int64_t* row, int64_t* to, int64_t at) noexcept nogil:
    cdef int64_t header[HEADER]
    cdef int64_t counts[2]
    cdef Panes* panes = NULL
    cdef int32_t k
    if definition.header:
        panes = header_of(row).panes
        header[BEGUN], header[LAST], header[PANES] = header_of(row).begun, header_of(row).last, panes is not NULL
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


cdef inline const int64_t* key_in(const Definition* definition, const int64_t* words) noexcept nogil:
    return words + HEADER if definition.header else words


cdef inline OpenWindows* home_of(vector[OpenWindows]& windows, const Definition* definition,
                                 const int64_t* key) noexcept nogil:
    cdef int64_t hash = key[0] if definition.key_words == 1 else <int64_t>hash_key(key, definition.key_words)
    return &windows[partition_by_hash(hash, <int32_t>windows.size())]


cdef const int64_t* take_row(Rows* rows, const Definition* definition, const int64_t* words,
                             int64_t** row) noexcept nogil:
    cdef const int64_t* key = key_in(definition, words)
    make_room(rows, definition, 1)
    row[0] = find_row(rows, definition, key)
    if definition.header:
        header_of(row[0]).begun, header_of(row[0]).last = words[BEGUN], words[LAST]
        header_of(row[0]).panes = NULL
    key = take_cells(definition, key + definition.key_words, cells_of(definition, row[0]))
    return take_panes(definition, key, header_of(row[0])) if definition.header and words[PANES] else key


cdef int64_t save_windows(const vector[OpenWindows]& windows, int64_t* to) noexcept nogil:
    """Write the windows of all partitions to ``to``, unless it is NULL; returns how many words these are."""
    cdef const Definition* definition = windows[0].definition
    cdef int64_t first[FIRST_ROW]
    cdef int64_t at = FIRST_ROW
    cdef const OpenWindows* each
    cdef size_t p
    cdef int32_t number
    first[WITHIN] = -1
    first[BEGIN] = first[END] = first[NEXT_CLOSE] = INT64_MIN
    first[OPEN_ROWS] = first[HELD_ROWS] = 0
    for p in range(windows.size()):         # partitions that have tuples agree; the others are behind them
        each = &windows[p]
        if each.begun and each.end >= first[END]:
            first[WITHIN], first[BEGIN], first[END], first[NEXT_CLOSE] = (each.within, each.begin, each.end,
                                                                          each.next_close)
        first[OPEN_ROWS] += each.open.open
        first[HELD_ROWS] += each.held.open
        if definition.header == 0 and not definition.keeps_values:      # as words, rows are what they are
            at = put(<const int64_t*>each.open.rows, each.open.n * each.open.row_size // 8, to, at)
            continue
        number = 0 if definition.shape != SESSION else each.first_session
        while 0 <= number < each.open.n:
            at = put_row(definition, row_of(&each.open, number), to, at)
            number = number + 1 if definition.shape != SESSION else header_of(row_of(&each.open, number)).behind
    for p in range(windows.size()):
        for number in range(windows[p].held.n):
            at = put_row(definition, row_of(&windows[p].held, number), to, at)
    put(first, FIRST_ROW, to, 0)
    return at


cdef void restore_windows(const int64_t* words, vector[OpenWindows]& windows) noexcept nogil:
    """Make windows that have just been made those that were saved."""
    cdef const Definition* definition = windows[0].definition
    cdef vector[Session] sessions
    cdef Session one
    cdef const int64_t* at = words + FIRST_ROW
    cdef OpenWindows* home
    cdef int64_t* row
    cdef int64_t k
    cdef size_t p
    for p in range(windows.size()):
        windows[p].begun, windows[p].within = words[WITHIN] >= 0, words[WITHIN] > 0
        windows[p].begin, windows[p].end, windows[p].next_close = words[BEGIN], words[END], words[NEXT_CLOSE]
    for k in range(words[OPEN_ROWS]):
        one.words, one.last = at, at[LAST] if definition.header else 0
        home = home_of(windows, definition, key_in(definition, at))
        at = take_row(&home.open, definition, at, &row)
        append(sessions, one)
    for k in range(words[HELD_ROWS]):
        home = home_of(windows, definition, key_in(definition, at))
        at = take_row(&home.held, definition, at, &row)
    if definition.shape != SESSION:
        return
    stable_sort(sessions.begin(), sessions.end(), &ends_earlier)
    for p in range(sessions.size()):
        home = home_of(windows, definition, key_in(definition, sessions[p].words))
        row = find_row(&home.open, definition, key_in(definition, sessions[p].words))
        k = (<const char*>row - home.open.rows) // home.open.row_size
        header_of(row).before, header_of(row).behind = home.last_session, -1
        if home.last_session >= 0:
            header_of(row_of(&home.open, home.last_session)).behind = <int32_t>k
        else:
            home.first_session = <int32_t>k
        home.last_session = <int32_t>k
