"""The operators that emit windows: of each key, of all tuples, and the one that brings partitions' windows into order.

A window is emitted when the stream's time passes its end, before anything of the tuple that passes it. So tuples come
in the order of their time (``time_order``), and a partition looks at the time of all tuples of a unit, those of others
too. What a partition closes with a unit ends before whatever it closes with the next one: only windows of one unit have
to be brought into order.
"""

cimport cython
from libc.stdint cimport INT64_MAX, uint64_t
from streambench.pyx.state.keyed_rows cimport row_at
from streambench.pyx.tuples.columns cimport clear_columns, enough, integer_at, reserve, reset_as
from streambench.pyx.tuples.keep_rows cimport pass_column
from streambench.pyx.tuples.layout cimport INT64, MAX_COLUMNS, size_of, type_of
from streambench.pyx.tuples.operator cimport ANY_PARTITION, Operator
from streambench.pyx.windows.cells cimport BLOCK, Block, read_values, take_in
from streambench.pyx.windows.counted_windows cimport close_counted, take_counted
from streambench.pyx.windows.definition cimport COUNTED, MOST_SUMS, SESSION, SLIDING, SUM, TUMBLING, Definition
from streambench.pyx.windows.emitted_order cimport are_in_order, copy_in_order, order_windows
from streambench.pyx.windows.joined_windows cimport divide_windows, join_windows
from streambench.pyx.windows.keyed_cells cimport (
    KeyedCells, ask_for_cells, count_and_sum, find_cells, make_cells_ready, release_near, reserve_near, share_near,
)
from streambench.pyx.windows.open_windows cimport (
    begin_at, clear_windows, close_next, close_sessions, have_near, in_window, init_windows, next_end, take_session,
)
from streambench.pyx.windows.ordered_words cimport key_words_of, read_words
from streambench.pyx.windows.rows cimport partition_key
from streambench.pyx.windows.saved_windows cimport restore_windows, save_windows

from streambench.pyx.state.buffers import buffer

cdef enum:
    KEY_ROOM = 4096                     # words: a block of keys of MOST_KEY_WORDS


cdef const int64_t* read_keys(const Definition* definition, Columns* rows, bint consecutive, const Block* block,
                              int64_t* room) noexcept nogil:
    """The words of the keys of the block's rows: where they are so in their column, or in ``room``."""
    cdef int32_t k, at = 0
    if consecutive and definition.n_keys == 1 and type_of(rows.layout, definition.key_column[0]) == INT64:
        return rows.column[definition.key_column[0]] + block.row[0]
    for k in range(definition.n_keys):
        read_words(rows, definition.key_column[k], block.row, block.n, room + at, definition.key_words)
        at += key_words_of(type_of(rows.layout, definition.key_column[k]),
                           size_of(rows.layout, definition.key_column[k]))
    return room


cdef int32_t end_of_run(const Definition* definition, Columns* rows, const uint32_t* selected, int32_t begin, int32_t n,
                        int64_t end) noexcept nogil:
    """The first of the tuples from ``begin`` on whose time is ``end`` or later; ``n`` where there is none."""
    cdef int32_t middle, high = n
    if integer_at(rows, definition.time, row_at(selected, n - 1)) < end:
        return n
    while begin < high:
        middle = (begin + high) >> 1
        if integer_at(rows, definition.time, row_at(selected, middle)) < end:
            begin = middle + 1
        else:
            high = middle
    return high


cdef struct Call:
    # Of an operator.
    const Definition* definition
    OpenWindows* windows
    Columns* rows
    const uint32_t* selected
    Columns* out


cdef void take_run(Call* call, int32_t begin, int32_t end) noexcept nogil:
    """Tuples that are all in the window or pane that is open."""
    cdef Block block
    cdef int64_t room[KEY_ROOM]
    cdef const int64_t* keys
    cdef const int64_t* sums[MOST_SUMS]
    cdef const Definition* definition = call.definition
    cdef KeyedCells* open = &call.windows.open
    cdef int32_t i, words = definition.key_words
    cdef bint adds = words == 1 and definition.sums_alone
    block.alone = words == 0
    while begin < end:
        block.n = end - begin
        if not (adds and columns_to_sum(call, begin, &keys, sums)):
            block.n = min(block.n, <int32_t>BLOCK)
            for i in range(block.n):
                block.row[i] = row_at(call.selected, begin + i)
            keys = read_keys(definition, call.rows, call.selected is NULL, &block, room)
            read_values(definition, call.rows, call.selected is NULL, &block)
            values_to_sum(definition, block.value, sums)
        make_cells_ready(open, definition, 0 if adds else min(block.n, <int32_t>BLOCK))
        begin += block.n
        if adds:
            count_and_sum(open, definition, keys, block.n, sums)
            continue
        if block.alone:
            block.cells[0] = find_cells(open, definition, keys)
            block.cells[0][0] += block.n
            for i in range(1, block.n):
                block.cells[i] = block.cells[0]
        else:
            ask_for_cells(open, definition, keys, block.n)
            for i in range(block.n):
                block.cells[i] = find_cells(open, definition, keys + i * words)
                block.cells[i][0] += 1
        take_in(definition, &block, 0, block.n)


cdef void values_to_sum(const Definition* definition, const int64_t** value, const int64_t** sums) noexcept nogil:
    """Of the inputs' values those that are summed, where there are ``sums_alone``, in the order of the sums."""
    cdef int32_t k, n = 0
    for k in range(definition.n_aggregates if definition.sums_alone else 0):
        if definition.aggregates[k].kind == SUM:
            sums[n] = value[definition.aggregates[k].input]
            n += 1


cdef bint columns_to_sum(Call* call, int32_t begin, const int64_t** keys, const int64_t** sums) noexcept nogil:
    """The keys and the values that are summed, from row ``begin`` on, in their columns. False: they are not so there,
    but have to be read."""
    cdef const Definition* definition = call.definition
    cdef Columns* rows = call.rows
    cdef const int64_t* value[MAX_COLUMNS]
    cdef int32_t k
    if call.selected is not NULL or type_of(rows.layout, definition.key_column[0]) != INT64:
        return False
    for k in range(definition.n_inputs):
        if type_of(rows.layout, definition.inputs[k].column) != INT64:
            return False
        value[k] = rows.column[definition.inputs[k].column] + begin
    values_to_sum(definition, value, sums)
    keys[0] = rows.column[definition.key_column[0]] + begin
    return True


cdef int32_t take_shared(Call* call, int32_t n, bint stops) noexcept nogil:
    """Windows with bounds that all keys share. Returns how many tuples were taken; fewer where there is ``enough``."""
    cdef const Definition* definition = call.definition
    cdef int32_t begin = 0, end
    cdef int64_t time
    while begin < n:
        time = integer_at(call.rows, definition.time, row_at(call.selected, begin))
        if not close_until(call, time, begin, stops):
            return begin
        begin_at(call.windows, time)
        end = end_of_run(definition, call.rows, call.selected, begin, n, call.windows.end)
        if call.windows.within:
            take_run(call, begin, end)
        begin = end
    close_until(call, integer_at(call.rows, definition.time, call.rows.n - 1), n, False)
    return n


cdef bint close_until(Call* call, int64_t time, int32_t taken, bint stops) noexcept nogil:
    """Close what ends by this time. False: there is enough for now."""
    cdef bint fill = call.definition.fill and in_window(call.definition, time)
    while close_next(call.windows, time, fill, call.out, <uint32_t>(call.rows.n - 1)):
        if stops and enough(call.out, taken):
            return False
    return True


cdef void take_singly(Call* call, int32_t n) noexcept nogil:
    """Windows of each key's own."""
    cdef Block block
    cdef int64_t room[KEY_ROOM]
    cdef const int64_t* keys
    cdef const Definition* definition = call.definition
    cdef const int64_t* key
    cdef int64_t time
    cdef int32_t i, begin = 0, last = call.rows.n - 1
    block.alone = False
    while begin < n:
        block.n = min(n - begin, <int32_t>BLOCK)
        for i in range(block.n):
            block.row[i] = row_at(call.selected, begin + i)
        keys = read_keys(definition, call.rows, call.selected is NULL, &block, room)
        read_values(definition, call.rows, call.selected is NULL, &block)
        ask_for_cells(&call.windows.open, definition, keys, block.n)
        for i in range(block.n):
            key = keys + i * definition.key_words
            if definition.shape == COUNTED:
                take_counted(call.windows, &block, i, key, call.out)
                continue
            time = integer_at(call.rows, definition.time, block.row[i])
            take_session(call.windows, &block, i, key, time, call.out, <uint32_t>last)
        begin += block.n
    if definition.shape == SESSION:
        close_sessions(call.windows, integer_at(call.rows, definition.time, last), call.out, <uint32_t>last)


cdef void take_tuples(const Definition* definition, OpenWindows* windows, Columns* rows, const uint32_t* selected,
                      int32_t n, Columns* out, bint stops) noexcept nogil:
    """As ``process``; ``stops``: where there is ``enough``."""
    cdef Call call
    if rows.n == 0:
        return
    call.definition = definition
    call.windows = windows
    call.rows, call.out = rows, out
    call.selected = selected
    if definition.shape == TUMBLING or definition.shape == SLIDING:
        take_shared(&call, n, stops)
    else:
        take_singly(&call, n)


cdef int32_t flush_windows(Operator operator, const Definition* definition, vector[OpenWindows]& windows,
                           Flushed* flushed, vector[uint32_t]& order, Columns* out, int32_t at_most) noexcept nogil:
    """As ``flush``: first what ends first."""
    cdef int64_t end = INT64_MAX
    cdef size_t p
    cdef int32_t n
    if flushed.next == flushed.rows.n:
        reset_as(&flushed.rows, operator.emitted_width, operator.layout)
        flushed.next = 0
        for p in range(windows.size()):
            end = min(end, next_end(&windows[p]))
        for p in range(windows.size()):
            if definition.shape == COUNTED:
                close_counted(&windows[p], &flushed.rows)
            elif definition.shape == SESSION:
                close_sessions(&windows[p], INT64_MAX, &flushed.rows, 0)
            elif end < INT64_MAX and next_end(&windows[p]) == end:
                close_next(&windows[p], end, False, &flushed.rows, 0)
        order_windows(&flushed.rows, definition.n_keys, order)
    n = min(max(at_most, 1), flushed.rows.n - flushed.next)
    copy_in_order(&flushed.rows, order.data() + flushed.next, n, out)
    flushed.next += n
    return n


cdef void delete_windows(vector[OpenWindows]* windows) noexcept nogil:
    cdef size_t p
    if windows is NULL:
        return
    for p in range(windows.size()):
        clear_windows(&windows[0][p])
    release_near(&windows[0][0].open)
    release_near(&windows[0][0].totals)
    del windows


cdef vector[OpenWindows]* new_windows(const Definition* definition, int32_t partitions) except NULL:
    """By partition; of several, behind them those of all partitions together."""
    cdef vector[OpenWindows]* windows = new vector[OpenWindows](partitions + (partitions > 1))
    cdef size_t p
    for p in range(windows.size()):
        init_windows(&windows[0][p], definition)
    if have_near(definition):
        reserve_near(&windows[0][0].open, partitions)
        if definition.shape == SLIDING and definition.inverts:
            reserve_near(&windows[0][0].totals, partitions)
        for p in range(1, windows.size()):
            share_near(&windows[0][p].open, &windows[0][0].open)
            share_near(&windows[0][p].totals, &windows[0][0].totals)
    return windows


cdef dict saved_words(const vector[OpenWindows]& windows):
    cdef int64_t[::1] to
    words = buffer((save_windows(windows, NULL),), "int64")
    to = words
    save_windows(windows, &to[0])
    return {"words": words}


cdef int restore_words(saved, vector[OpenWindows]& windows) except -1:
    cdef const int64_t[::1] words = saved["words"]
    restore_windows(&words[0], windows)
    return 0


@cython.final
cdef class KeyedWindows(EveryPartition):
    """Windows of each key. Emits (start, end, the key's columns, the aggregates), of a unit in no order but a
    partition's; counted windows behind the tuple that completes them. ``flushes``: at the end those that are open.
    """

    def __init__(self, WindowDefinition of not None, dict reads, tuple columns, tuple types, bint flushes):
        self.of, self.reads, self.columns, self.types, self.flushes = of, reads, columns, types, flushes
        self.partition_free = True

    def __dealloc__(self):
        delete_windows(self.windows)
        clear_columns(&self.flushed.rows)

    def open(self, int32_t partitions=1):
        delete_windows(self.windows)
        self.windows = NULL
        self.windows = new_windows(&self.of.definition, partitions)
        self.joined = partitions == 1

    @property
    def identity(self) -> str:
        return f"{self.of.identity} {self.flushes}"

    def save(self):
        return saved_words(self.windows[0])

    def load(self, saved):
        restore_words(saved, self.windows[0])
        if not self.joined:
            divide_windows(self.windows[0])

    cdef void share(self, bint shared) noexcept nogil:
        if shared == self.joined and self.windows[0].size() > 1:
            self.joined = not shared
            if shared:
                divide_windows(self.windows[0])
            else:
                join_windows(self.windows[0])

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int64_t room[KEY_ROOM]
        cdef Block block
        cdef const int64_t* words
        cdef const Definition* definition = &self.of.definition
        cdef int32_t begin = 0, i
        while begin < rows.n:
            block.n = min(rows.n - begin, <int32_t>BLOCK)
            for i in range(block.n):
                block.row[i] = begin + i
            words = read_keys(definition, rows, True, &block, room)
            for i in range(block.n):
                keys[begin + i] = partition_key(words + i * definition.key_words, definition.key_words)
            begin += block.n

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        if partition == ANY_PARTITION:
            self.share(False)
            partition = <int32_t>self.windows[0].size() - 1
        take_tuples(&self.of.definition, self.windows.data() + partition, rows, selected, n, out, False)
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if not self.flushes:
            return 0
        return flush_windows(self, &self.of.definition, self.windows[0], &self.flushed, self.order, out, at_most)


@cython.final
cdef class AllWindows(Stateful):
    """Windows of all tuples, as ``KeyedWindows``."""

    def __init__(self, WindowDefinition of not None, dict reads, tuple columns, tuple types, bint flushes):
        self.of, self.reads, self.columns, self.types, self.flushes = of, reads, columns, types, flushes

    def __dealloc__(self):
        delete_windows(self.windows)
        clear_columns(&self.flushed.rows)

    def open(self, int32_t partitions=1):
        delete_windows(self.windows)
        self.windows = NULL
        self.windows = new_windows(&self.of.definition, 1)

    @property
    def identity(self) -> str:
        return f"{self.of.identity} {self.flushes}"

    def save(self):
        return saved_words(self.windows[0])

    def load(self, saved):
        restore_words(saved, self.windows[0])

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        take_tuples(&self.of.definition, self.windows.data(), rows, NULL, rows.n, out, True)
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if not self.flushes:
            return 0
        return flush_windows(self, &self.of.definition, self.windows[0], &self.flushed, self.order, out, at_most)


@cython.final
cdef class WindowOrder(Stateless):
    """Brings the windows of a unit into the order of their end, then of their keys, of which there are ``n_keys``
    columns."""

    def __init__(self, int32_t n_keys, tuple schema):
        self.n_keys = n_keys
        self.columns = tuple(name for name, _ in schema)
        self.types = tuple(type for _, type in schema)
        self.reads = {name: type.str for name, type in schema}

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef vector[uint32_t] order
        cdef int32_t k
        if are_in_order(rows, self.n_keys):
            reserve(out, rows.n)
            for k in range(rows.width):
                pass_column(rows, k, out, k)
            out.n = rows.n
        elif rows.n:
            order_windows(rows, self.n_keys, order)
            copy_in_order(rows, order.data(), rows.n, out)
        return -1
