"""Keyed functions that ask to be called at a time of the stream, by a field of their state.

A timer is called before the first tuple whose time is its own or later, of several the earliest first, of equal times
in ascending order of the key. It is pending while its time is later than that of the last call for its key. So times
do not decrease (``time_order`` of windows), and a partition looks at the time of all tuples of a unit, those of others
too. What partitions emit of one unit is brought into order behind them: timers before tuples of their time.
"""

cimport cython
from libc.stdint cimport INT64_MAX, INT64_MIN, uint8_t, uint64_t
from libc.string cimport memchr, memcpy
from libcpp.algorithm cimport pop_heap, push_heap, sort
from streambench.pyx.functions.keyed_operator cimport BLOCK, FIRST_LEFT
from streambench.pyx.functions.reasons cimport told
from streambench.pyx.machine.memory cimport append, lengthen
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.state.keyed_rows cimport row_at
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, fail, integer_at, reserve
from streambench.pyx.tuples.layout cimport size_of

import numpy as np

HIDDEN_COLUMNS = {"(time)": "int64", "(key)": "int64", "(timer)": "bool"}


cdef inline bint later(const Timer& a, const Timer& b) noexcept nogil:
    return a.time > b.time


cdef uint32_t first_at(Columns* rows, int32_t time, int64_t begin) noexcept nogil:
    """The first row whose time is ``begin`` or later; there is one."""
    cdef int32_t low = 0, high = rows.n - 1, middle
    while low < high:
        middle = (low + high) >> 1
        if integer_at(rows, time, middle) < begin:
            low = middle + 1
        else:
            high = middle
    return <uint32_t>low


cdef void drop_from(Columns* out, uint32_t row) noexcept nogil:
    """Leave out what was emitted for this row, or before it for a timer that it passes, and for later ones."""
    while out.n and out.source_row[out.n - 1] >= row:
        out.n -= 1


cdef inline void put_hidden(Columns* out, int32_t row, int64_t time, int64_t key, bint timer) noexcept nogil:
    out.column[TIME][row] = time
    out.column[KEY][row] = key
    (<uint8_t*>out.column[TIMER])[row] = timer


@cython.final
cdef class TimedFunction(EveryPartition):
    """``of``, which writes its columns behind the hidden ones, as ``on_time`` does, which is called for timers.

    ``columns``, ``types``: those that they write. ``time``: the place of the column of event time, which ``of`` reads
    last. ``at_end``: timers that are pending when the stream ends are called, each once; then ``of`` is flushed.
    """

    def __init__(self, KeyedFunction of not None, KeyCall on_time not None, tuple columns, tuple types, int32_t time,
                 bint at_end):
        self.of, self.on_time, self.time, self.at_end = of, on_time, time, at_end
        self.columns = (*HIDDEN_COLUMNS, *columns)
        self.types = (*HIDDEN_COLUMNS.values(), *types)

    def __dealloc__(self):
        del self.timers

    def open(self, int32_t partitions=1):
        self.of.prepare(partitions)
        del self.timers
        self.timers = NULL
        self.timers = new vector[Timers](partitions)
        self.last = None

    @property
    def identity(self) -> str:
        return f"{self.of.identity} {self.time} {self.of.timer_at} {self.at_end}"

    def save(self):
        """States, each with the time under which it waits."""
        return self.of.save()

    def load(self, saved):
        self.of.load(saved)
        self.wait_again()

    cdef int wait_again(self) except -1:
        """Put the states that wait where their partitions look for them."""
        cdef int64_t key, time
        cdef char* state
        self.of.states.begin_flush()
        while (state := self.of.states.next_in_order(&key)) is not NULL:
            time = self.of.queued(state)[0]
            if state[self.of.state_size] and time != INT64_MIN:
                self.of.queued(state)[0] = INT64_MIN
                self.wait(&self.timers[0][partition_by_hash(self.of.hash_of(state, key), self.of.partitions)], state,
                          <int64_t>(state + self.of.state_size + 1) if self.of.by_bits else key, time)
        self.of.states.flushing = False     # the stream goes on
        return 0

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.of.reasons.cause(reason)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        self.of.select_keys(rows, keys)

    cdef int64_t key_of(self, Columns* rows, int64_t row, char* state) noexcept nogil:
        if self.of.by_bits:
            return <int64_t>(state + self.of.state_size + 1)
        return integer_at(rows, self.of.key_at[0], row)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef uint32_t row[BLOCK]
        cdef void* state[BLOCK]
        cdef Timers* timers = &self.timers[0][max(partition, 0)]
        cdef int32_t begin = 0, count, block = self.of.block(out), i, held, failed
        cdef int64_t ended, time
        while rows.n > 0:
            time = integer_at(rows, self.time, row_at(selected, begin) if begin < n else rows.n - 1)
            failed = self.call_due(partition, rows, time, out)
            if failed >= 0 or begin == n:
                return failed
            count = 0
            while count < block and begin + count < n:
                row[count] = <uint32_t>row_at(selected, begin + count)
                time = integer_at(rows, self.time, row[count])
                if not timers.waiting.empty() and timers.waiting.front().time <= time:
                    break
                count += 1
            held = out.n
            ended = self.of.take(partition, rows, row, count, state, out)
            for i in range(held, out.n):
                put_hidden(out, i, integer_at(rows, self.time, out.source_row[i]), 0, False)
            if ended >= 0:
                drop_from(out, row[ended])
                return <int32_t>row[ended]
            if ended <= FIRST_LEFT:
                count = <int32_t>(FIRST_LEFT - ended) + 1
            time = integer_at(rows, self.time, row[count - 1])
            for i in range(count):
                if self.of.due(state[i]) > time:
                    self.wait(timers, <char*>state[i], self.key_of(rows, row[i], <char*>state[i]),
                              self.of.due(state[i]))
            begin += count
        return -1

    cdef void wait(self, Timers* timers, char* state, int64_t key, int64_t time) noexcept nogil:
        """A state waits under one time at most: when that has come, it waits on if it has asked for a later one."""
        cdef int64_t* queued = self.of.queued(state)
        cdef Timer timer
        if queued[0] != INT64_MIN and queued[0] <= time:
            return
        queued[0] = timer.time = time
        timer.key, timer.state = key, state
        append(timers.waiting, timer)
        push_heap(timers.waiting.begin(), timers.waiting.end(), &later)

    cdef int32_t call_due(self, int32_t partition, Columns* rows, int64_t until, Columns* out) noexcept nogil:
        """Call what is due by this time. Returns -1, or the row that passes a timer whose call fails."""
        cdef Timers* timers = &self.timers[0][max(partition, 0)]
        cdef Timer timer
        cdef uint32_t row
        while not timers.waiting.empty() and timers.waiting.front().time <= until:
            timer = timers.waiting.front()
            pop_heap(timers.waiting.begin(), timers.waiting.end(), &later)
            timers.waiting.pop_back()
            if self.of.queued(timer.state)[0] != timer.time:
                continue                    # it waits under an earlier time, or has waited
            self.of.queued(timer.state)[0] = INT64_MIN
            if self.of.due(timer.state) == timer.time:
                row = first_at(rows, self.time, timer.time)
                if not self.call(partition, &timer, row, out):
                    drop_from(out, row)
                    return <int32_t>row
            if self.of.due(timer.state) > timer.time:
                self.wait(timers, timer.state, timer.key, self.of.due(timer.state))
        return -1

    cdef bint call(self, int32_t partition, const Timer* timer, uint32_t row, Columns* out) noexcept nogil:
        """Call for a timer that ``row`` passes; False where the call fails."""
        cdef void* part[MAX_COLUMNS]
        cdef void* read[MAX_COLUMNS]
        cdef void* state = timer.state
        cdef const char* bits = <const char*>timer.key
        cdef int32_t k, held = out.n
        cdef uint32_t only = 0
        cdef int64_t refused
        part[0] = <void*>&timer.key         # of a narrower type the first bytes
        for k in range(self.of.keys if self.of.by_bits else 0):
            part[k] = <void*>bits
            bits += self.of.key_size[k]
        for k in range(self.on_time.reads):
            read[k] = part[self.on_time.read[k]]
        refused = self.of.call_for_keys(self.on_time, partition, 1, 1, read, &only, &state, out)
        for k in range(held, out.n):
            out.source_row[k] = row
            put_hidden(out, k, timer.time, timer.key, True)
        return refused < 0

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int32_t k, held = out.n
        if self.at_end:
            if not self.begin_flush(out):
                return 0
            self.of.flush_in_order(self.last, self.on_time, out, at_most)
            for k in range(held, out.n):
                put_hidden(out, k, self.last.times[out.source_row[k]], 0, False)
            if out.failure is not NULL or out.n >= at_most:
                return 0 if out.failure is not NULL else out.n
            held = out.n
        self.of.flush(out, at_most)
        for k in range(held, out.n):
            put_hidden(out, k, INT64_MAX, 0, False)
        return 0 if out.failure is not NULL else out.n

    cdef bint begin_flush(self, Columns* out) noexcept with gil:
        try:
            if self.last is None:
                self.last = self.pending()
            return True
        except BaseException as error:
            fail(out, 0, self.of.reasons.keep(told(error), error))
            return False

    cdef KeyOrder pending(self):
        """The timers that are pending, in order."""
        cdef vector[int64_t] states, keys, times
        cdef Timer timer
        cdef size_t p, k
        for p in range(self.timers.size()):
            for k in range(self.timers[0][p].waiting.size()):
                timer = self.timers[0][p].waiting[k]
                if self.of.queued(timer.state)[0] == timer.time and self.of.due(timer.state) >= timer.time:
                    states.push_back(<int64_t>timer.state)
                    keys.push_back(timer.key)
                    times.push_back(self.of.due(timer.state))
                if self.of.queued(timer.state)[0] == timer.time:
                    self.of.queued(timer.state)[0] = INT64_MIN      # it may have waited under the time twice
        return self.of.order_of(states, keys, np.array(times, np.int64))


cdef struct Emitted:
    int64_t time
    bint timer
    int32_t words
    const int64_t* key
    int32_t row


cdef inline bint earlier(const Emitted& a, const Emitted& b) noexcept nogil:
    cdef int32_t k
    if a.time != b.time:
        return a.time < b.time
    if a.timer != b.timer:
        return a.timer
    for k in range(a.words if a.timer else 0):
        if a.key[k] != b.key[k]:
            return a.key[k] < b.key[k]
    return a.row < b.row


@cython.final
cdef class TimerOrder(Stateless):
    """Brings what a ``TimedFunction`` around ``of`` has emitted into order, without the hidden columns. ``schema``:
    what that emits."""

    def __init__(self, KeyedFunction of not None, tuple schema):
        self.of = of
        self.reads = {name: type.str for name, type in schema}
        self.columns = tuple([name for name, _ in schema[HIDDEN:]])
        self.types = tuple([type for _, type in schema[HIDDEN:]])

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef vector[Emitted] order
        cdef vector[int64_t] words
        cdef const uint8_t* timer = <const uint8_t*>rows.column[TIMER]
        cdef int32_t i, k = 0, size, width
        cdef bint ordered = True
        if rows.n == 0:
            return -1
        if memchr(timer, 1, rows.n) is not NULL:
            lengthen(order, rows.n)
            for i in range(rows.n):
                if timer[i]:
                    self.read_key(rows.column[KEY][i], words)
                    k += 1
            width = <int32_t>words.size() // k
            k = 0
            for i in range(rows.n):
                order[i].time, order[i].timer, order[i].row = rows.column[TIME][i], timer[i], i
                order[i].words = width
                order[i].key = words.data() + <int64_t>k * width
                k += timer[i]
                ordered = ordered and (i == 0 or not earlier(order[i], order[i - 1]))
        if ordered:
            for k in range(HIDDEN, rows.width):
                out.column[k - HIDDEN] = rows.column[k]
            out.n, out.capacity = rows.n, 0
            return -1
        sort(order.begin(), order.end(), &earlier)
        reserve(out, rows.n)
        for k in range(HIDDEN, rows.width):
            size = size_of(rows.layout, k)
            for i in range(rows.n):
                memcpy(<char*>out.column[k - HIDDEN] + <int64_t>i * size,
                       <const char*>rows.column[k] + <int64_t>order[i].row * size, size)
        out.n = rows.n
        return -1

    cdef void read_key(self, int64_t key, vector[int64_t]& words) noexcept nogil:
        """Append words that are ordered as keys are: numbers, NaN behind them all, equal ones by their bits."""
        cdef const char* bits = <const char*>key
        cdef int64_t size, word, at
        cdef uint64_t part
        cdef double value
        cdef float single
        cdef int32_t k, i
        if not self.of.by_bits:
            append(words, <int64_t>(<uint64_t>key ^ (<uint64_t>1 << 63)) if self.of.key_kind[0] == c"Q" else key)
            return
        for k in range(self.of.keys):
            size, word = self.of.key_size[k], 0
            if self.of.key_kind[k] == c"V":
                for at in range(0, size, 8):
                    part = 0
                    for i in range(8):
                        part = part << 8 | (<uint8_t>bits[at + i] if at + i < size else 0)
                    append(words, <int64_t>(part ^ (<uint64_t>1 << 63)))
            elif self.of.key_kind[k] == c"f":
                memcpy(&word, bits, size)
                if size == 4:
                    memcpy(&single, bits, 4)
                    value, word = single, <int32_t>word
                else:
                    memcpy(&value, bits, 8)
                append(words, word_of_number(value))
                append(words, word)
            else:
                memcpy(&word, bits, size)
                if self.of.key_kind[k] == c"i":
                    word = <int64_t>(<uint64_t>word << (64 - 8 * size)) >> (64 - 8 * size)
                append(words, <int64_t>(<uint64_t>word ^ (<uint64_t>1 << 63)) if self.of.key_kind[k] == c"Q" else word)
            bits += size


cdef inline int64_t word_of_number(double value) noexcept nogil:
    """An integer that is ordered as numbers are, NaN behind them all."""
    cdef int64_t bits
    if value != value:
        return INT64_MAX
    memcpy(&bits, &value, 8)
    return bits if bits >= 0 else ~bits ^ INT64_MIN
