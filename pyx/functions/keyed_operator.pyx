"""Partitioned stateful operators around a function of a tuple and its key's state."""

cimport cython
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector
from streambench.pyx.functions.bound_columns cimport BoundColumns, view
from streambench.pyx.functions.key_order cimport KeyOrder, ordered
from streambench.pyx.functions.reasons cimport Reasons, told
from streambench.pyx.functions.values cimport write_values
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.machine.simulated cimport take_gil
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.state.saved_rows cimport copied_rows
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, enough, fail, integer_at, keys_of, reserve
from streambench.pyx.tuples.operator cimport ANY_PARTITION

import numpy as np

from streambench.pyx.state.saved_rows import ROW, put_rows

cdef enum:
    LINE = 64
    WORD = 8


cdef inline uint64_t hash_on(uint64_t mixed, const char* value, int64_t size) noexcept nogil:
    """The hash of a key's values up to this one, from that of those before it."""
    cdef uint64_t word
    cdef int64_t at
    for at in range(0, size, 8):
        word = 0
        memcpy(&word, value + at, min(size - at, <int64_t>8))
        mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 29
    return mixed


@cython.final
cdef class KeyCall:
    """A function of a state and its key's values: it, its compiled code or None, and which of the key's columns it is
    given."""

    def __init__(self, function, compiled, tuple reads):
        cdef int32_t k
        self.function, self.kept, self.reads = function, compiled, <int32_t>len(reads)
        if compiled is not None:
            self.compiled = <CompiledTuples><size_t>compiled.address
        for k in range(self.reads):
            self.read[k] = reads[k]


@cython.final
cdef class KeyedFunction(PartitionedStateful):
    """``function(state, *values read)`` returns the tuple to emit, or None for none; with ``most`` above 1 a list.

    ``compiled``: has the ``address`` of a ``CompiledTuples`` that does the same, or is None. ``columns``: those
    emitted; ``in_place``: the input's, and those written. ``keys``: the places and types of the key's columns.
    ``initial``: a key's state at first, an array of one record. ``last``: None, or what is called with each state at
    the end of the stream. ``timer``: None, or the field of the state that says until when the function is called for
    several tuples together, see ``TimedFunction``. ``fusible``: as ``StatelessFunction``'s.

    ``by_bits``: the key is anything but one integer. Its state is found by a hash of its bits, and has them behind it;
    of two keys with one hash the later has the next hash that is free.
    """

    def __init__(self, function, compiled, BoundColumns bound not None, tuple columns, bint in_place, tuple keys,
                 initial, *, int64_t most=1, KeyCall last=None, str timer=None):
        cdef int32_t k
        self.function = function
        self.kept = compiled
        self.compiled = NULL
        if compiled is not None:
            self.compiled = <CompiledTuples><size_t>compiled.address
        self.bound = bound
        self.columns = columns
        self.in_place = in_place
        self.most = most
        self.partition_free = True
        self.keys = <int32_t>len(keys)
        self.key_types = tuple([each for _, each in keys])
        for k in range(self.keys):
            self.key_at[k] = keys[k][0]
            self.key_size[k] = keys[k][1].itemsize
            self.key_kind[k] = ord("Q" if keys[k][1] == np.uint64 else keys[k][1].kind)
        self.by_bits = self.keys > 1 or self.key_types[0].kind not in "iub"
        self.initial = initial
        self.initial_at = <const char*><size_t>initial.ctypes.data
        self.state_type = initial.dtype
        self.state_size = initial.dtype.itemsize
        self.marked = self.by_bits or last is not None or timer is not None or any(initial.tobytes())
        self.last = last
        self.timer_at = -1 if timer is None else initial.dtype.fields[timer][1]
        size = self.state_size + self.marked + (self.key_bytes() if self.by_bits else 0)
        self.states = KeyedRows(-(-(size + (WORD if timer else 0)) // LINE) * LINE)
        self.reasons = Reasons()

    def __dealloc__(self):
        free(self.before)

    def open(self, int32_t partitions=1):
        self.states.open(partitions, self.high_key)
        free(self.before)
        self.before = <char*>calloc(partitions, self.states.row_size + 2 * LINE)
        if self.before is NULL:
            raise MemoryError(f"states of {partitions} partitions")
        self.in_order = None

    def fused_behind(self, tuple before):
        return None if self.fusible is None else self.fusible.fused_behind(self, before)

    @property
    def identity(self) -> str:
        places = [self.key_at[k] for k in range(self.keys)]
        return f"{places} {self.key_types} {self.state_type} {self.initial.tobytes().hex()}"

    def save(self):
        """States by key, those of keys that have come; of a key ``by_bits`` with its bits."""
        if self.timer_at >= 0:              # with the time under which each waits, at the row's end
            return copied_rows(self.states, self.states.row_size)
        return copied_rows(self.states, self.state_size + self.marked + self.by_bits * self.key_bytes())

    def load(self, saved):
        if self.by_bits:
            restore_by_bits(self, saved[ROW])
        else:
            put_rows(self.states, saved)

    def key_bytes(self) -> int:
        """Of a key's values."""
        return sum([each.itemsize for each in self.key_types])

    @property
    def row_size(self) -> int:
        """Bytes from a state to the next."""
        return self.states.row_size

    @property
    def near_size(self) -> int:
        """Bytes of the states that are found by the key alone, without a hash table."""
        return self.states.near_keys * self.states.row_size

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t row
        if not self.by_bits:
            keys_of(rows, self.key_at[0], keys)
            return
        for row in range(rows.n):
            keys[row] = <int64_t>self.hash_of_bits(rows, row)

    cdef uint64_t hash_of_bits(self, Columns* rows, int64_t row) noexcept nogil:
        cdef uint64_t mixed = 0
        cdef int32_t k
        for k in range(self.keys):
            mixed = hash_on(mixed, <const char*>rows.column[self.key_at[k]] + row * self.key_size[k], self.key_size[k])
        return mixed

    cdef int64_t hash_of(self, const char* state, int64_t key) noexcept nogil:
        """By which a state's partition is found: ``key``, or of a key by its bits their hash."""
        cdef const char* bits = state + self.state_size + 1
        cdef uint64_t mixed = 0
        cdef int32_t k
        if not self.by_bits:
            return key
        for k in range(self.keys):
            mixed = hash_on(mixed, bits, self.key_size[k])
            bits += self.key_size[k]
        return <int64_t>mixed

    cdef bint is_of(self, const char* key, Columns* rows, int64_t row) noexcept nogil:
        cdef int64_t size
        cdef int32_t k
        for k in range(self.keys):
            size = self.key_size[k]
            if memcmp(key, <const char*>rows.column[self.key_at[k]] + row * size, size):
                return False
            key += size
        return True

    cdef char* own_state(self, int32_t partition, uint64_t hash, char* state, Columns* rows,
                         int64_t row) noexcept nogil:
        """The state of a row's key: ``state``, that of its hash, unless another key has it."""
        cdef char* key = state + self.state_size + 1
        cdef int32_t k
        while self.by_bits and state[self.state_size] and not self.is_of(key, rows, row):
            hash += 1
            state = self.states.far(partition, <int64_t>hash)
            key = state + self.state_size + 1
        if not state[self.state_size]:          # of no key yet
            state[self.state_size] = 1
            memcpy(state, self.initial_at, self.state_size)
            if self.timer_at >= 0:
                self.queued(state)[0] = INT64_MIN
            for k in range(self.keys if self.by_bits else 0):
                memcpy(key, <const char*>rows.column[self.key_at[k]] + row * self.key_size[k], self.key_size[k])
                key += self.key_size[k]
        return state

    cdef void find_states(self, int32_t partition, Columns* rows, const uint32_t* row, int32_t n,
                          void** state) noexcept nogil:
        """The states of ``n`` rows, at most `BLOCK`, which are asked for."""
        cdef uint64_t key[BLOCK]
        cdef int32_t home[BLOCK]                # partitions
        cdef int32_t i
        for i in range(n):
            key[i] = self.hash_of_bits(rows, row[i]) if self.by_bits else (
                <uint64_t>integer_at(rows, self.key_at[0], row[i]))
            home[i] = partition
            if key[i] < self.states.near_keys:
                state[i] = self.states.near + key[i] * self.states.row_size
            else:
                if partition == ANY_PARTITION:
                    home[i] = partition_by_hash(<int64_t>key[i], self.partitions)
                state[i] = self.states.far(home[i], <int64_t>key[i])
            prefetch(state[i], 1)
        if self.marked:
            for i in range(n):
                state[i] = self.own_state(home[i], key[i], <char*>state[i], rows, row[i])

    cdef int32_t block(self, const Columns* out) noexcept nogil:
        """For how many rows the function is called together."""
        if self.most == 1:
            return BLOCK
        return <int32_t>max(<int64_t>1, min(<int64_t>BLOCK, out.most // self.most))

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef uint32_t row[BLOCK]
        cdef void* state[BLOCK]
        cdef int64_t refused
        cdef int32_t begin = 0, count, block = self.block(out), i
        while begin < n:
            count = min(block, n - begin)
            for i in range(count):
                row[i] = <uint32_t>row_at(selected, begin + i)
            refused = self.take(partition, rows, row, count, state, out)
            if refused >= 0:
                return <int32_t>row[refused]
            begin += count
            if self.most > 1 and enough(out, begin):
                break
        return -1

    cdef int64_t take(self, int32_t partition, Columns* rows, uint32_t* row, int32_t n, void** state,
                      Columns* out) noexcept nogil:
        """Call the function for ``n`` rows, at most a ``block``, and append what it emits. Returns as a
        ``CompiledTuples``; a refusal's reason is in ``out``."""
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef char* before = self.before_of(partition)
        cdef uint32_t* source_row = NULL
        cdef int64_t emitted = 0, ended
        cdef int32_t at = 0
        self.find_states(partition, rows, row, n, state)
        if not self.in_place:
            reserve(out, n * self.most)
            at = out.n
            source_row = out.source_row + at
        if self.compiled is NULL:
            take_gil()
            ended = self.call_function(n, rows, row, state, out, at, source_row, &emitted)
        else:
            self.bound.inputs(rows, 0, read)
            self.bound.outputs(out, at, written)
            ended = self.compiled(n, rows.n, read, row, state, before, written, source_row, &emitted)
            if ended >= 0:
                self.ask_why(rows, <int32_t>row[ended], before, out)
        if not self.in_place:
            out.n += <int32_t>emitted
        return ended

    cdef int64_t call_function(self, int32_t n, Columns* rows, uint32_t* row, void** state, Columns* out, int32_t at,
                               uint32_t* source_row, int64_t* emitted) noexcept with gil:
        """What a ``CompiledTuples`` does, in Python; a refusal's reason is in ``out``."""
        given = self.bound.input_views(rows, 0, rows.n)
        to = self.bound.output_views(out, at, rows.n if self.in_place else n * self.most)
        return self.call_for_each(self.function, given, to, n, row, state, source_row, emitted, out,
                                  self.timer_at >= 0)

    cdef int64_t call_for_each(self, function, tuple given, tuple to, int32_t n, uint32_t* row, void** state,
                               uint32_t* source_row, int64_t* emitted, Columns* out, bint timed) except -2:
        """``timed``: the last column given is the time, and the function is called until a timer is due before a later
        tuple."""
        cdef int32_t i = 0
        times = given[len(given) - 1] if timed else None
        columns = given[: len(given) - timed]
        try:
            for i in range(n):
                record = view(state[i], 1, self.state_type, True)[0]
                values = function(record, *[column[row[i]] for column in columns])
                if values is not None and self.in_place:
                    write_values(values, to, row[i])
                elif values is not None:
                    for each in values if self.most > 1 else (values,):
                        write_values(each, to, emitted[0])
                        source_row[emitted[0]] = row[i]
                        emitted[0] += 1
                if timed and times[row[i]] < self.due(state[i]) <= times[row[n - 1]]:
                    return FIRST_LEFT - i
            return -1
        except BaseException as error:
            fail(out, 0, self.reasons.keep(told(error), error))
            return i

    cdef int ask_why(self, Columns* rows, int32_t row, char* before, Columns* out) noexcept with gil:
        given = self.bound.input_views(rows, 0, rows.n)
        return self.tell(self.function, given[: len(given) - (self.timer_at >= 0)], row, before, out)

    cdef int tell(self, function, tuple given, Py_ssize_t row, char* before, Columns* out) except -1:
        """A compiled function refused the row, when the state was as ``before`` is."""
        why, cause = "it failed, but did not when it was asked again why", None
        try:
            function(view(before, 1, self.state_type, True)[0], *[column[row] for column in given])
        except BaseException as error:
            why, cause = told(error), error
        fail(out, 0, self.reasons.keep(why, cause))
        return 0

    cdef int64_t call_for_keys(self, KeyCall call, int32_t partition, int32_t n, int64_t given, void** read,
                               uint32_t* row, void** state, Columns* out) noexcept nogil:
        """Call a function of states and of values of their keys, ``read``, and append what it emits. Returns as a
        ``CompiledTuples``; a refusal's reason is in ``out``."""
        cdef void* written[MAX_COLUMNS]
        cdef int64_t emitted = 0, refused
        reserve(out, n * self.most)
        if call.compiled is NULL:
            take_gil()
            refused = self.call_for_keys_in_python(call, n, given, read, row, state, out, &emitted)
        else:
            self.bound.outputs(out, out.n, written)
            refused = call.compiled(n, given, read, row, state, self.before_of(partition), written,
                                    out.source_row + out.n, &emitted)
            if refused >= 0:
                self.ask_why_of_key(call, given, read, row[refused], self.before_of(partition), out)
        out.n += <int32_t>emitted
        return refused

    cdef int64_t call_for_keys_in_python(self, KeyCall call, int32_t n, int64_t given, void** read, uint32_t* row,
                                         void** state, Columns* out, int64_t* emitted) noexcept with gil:
        to = self.bound.output_views(out, out.n, n * self.most)
        return self.call_for_each(call.function, self.key_views(call, given, read), to, n, row, state,
                                  out.source_row + out.n, emitted, out, False)

    cdef int ask_why_of_key(self, KeyCall call, int64_t given, void** read, uint32_t row, char* before,
                            Columns* out) noexcept with gil:
        return self.tell(call.function, self.key_views(call, given, read), row, before, out)

    cdef tuple key_views(self, KeyCall call, int64_t given, void** read):
        cdef int32_t k
        return tuple([view(read[k], given, self.key_types[call.read[k]], False) for k in range(call.reads)])

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.last is None or not self.begin_flush(out):
            return 0
        return self.flush_in_order(self.in_order, self.last, out, at_most)

    cdef int32_t flush_in_order(self, KeyOrder order, KeyCall call, Columns* out, int32_t at_most) noexcept nogil:
        """As ``flush``: call the function for the states in this order."""
        cdef uint32_t row[BLOCK]
        cdef void* state[BLOCK]
        cdef void* read[MAX_COLUMNS]
        cdef int32_t count, i
        for i in range(call.reads):
            read[i] = order.column[call.read[i]]
        while out.n < at_most and order.done < order.n:
            count = <int32_t>min(<int64_t>BLOCK, order.n - order.done)
            for i in range(count):
                row[i] = <uint32_t>(order.done + i)
                state[i] = <void*>order.states[order.done + i]
            if self.call_for_keys(call, 0, count, order.n, read, row, state, out) >= 0:
                return 0
            order.done += count
        return out.n

    cdef bint begin_flush(self, Columns* out) noexcept with gil:
        """Fix the order of keys; False where that failed, which is then in ``out``."""
        try:
            if self.in_order is None:
                self.in_order = self.order_of_all()
            return True
        except BaseException as error:
            fail(out, 0, self.reasons.keep(told(error), error))
            return False

    cdef KeyOrder order_of_all(self):
        cdef vector[int64_t] states, keys
        cdef int64_t key
        cdef char* state = self.states.next_in_order(&key)
        while state is not NULL:
            if state[self.state_size]:
                states.push_back(<int64_t>state)
                keys.push_back(key)
            state = self.states.next_in_order(&key)
        return self.order_of(states, keys, None)

    cdef KeyOrder order_of(self, vector[int64_t]& states, vector[int64_t]& keys, times):
        """These states in ascending order of the key, of the time first where there are ``times``."""
        cdef vector[char] bits
        cdef char* state
        cdef size_t i
        cdef int64_t width = self.key_bytes(), n = <int64_t>states.size()
        if n == 0:
            return KeyOrder([np.zeros(0, each) for each in self.key_types], np.zeros(0, np.int64), times)
        if self.by_bits:
            for i in range(states.size()):
                state = <char*>states[i]
                bits.insert(bits.end(), state + self.state_size + 1, state + self.state_size + 1 + width)
            fields = [(str(k), each) for k, each in enumerate(self.key_types)]
            table = view(bits.data(), n, np.dtype(fields), False)
            columns = [np.ascontiguousarray(table[name]) for name, _ in fields]
        else:
            columns = [view(keys.data(), n, np.dtype(np.int64), False).astype(self.key_types[0])]
        return ordered(columns, view(states.data(), n, np.dtype(np.int64), False), times)

    def cause(self, size_t reason):
        return self.reasons.cause(reason)


cdef int restore_by_bits(KeyedFunction of, const char[:, ::1] rows) except -1:
    """Put states where their keys are looked for, however many partitions there were."""
    cdef char* state
    cdef uint64_t hash
    cdef int32_t partition
    cdef int64_t i
    for i in range(rows.shape[0]):
        hash = <uint64_t>of.hash_of(&rows[i, 0], 0)
        partition = partition_by_hash(<int64_t>hash, of.partitions)
        state = of.states.far(partition, <int64_t>hash)
        while state[of.state_size]:
            hash += 1
            state = of.states.far(partition, <int64_t>hash)
        memcpy(state, &rows[i, 0], rows.shape[1])
    return 0
