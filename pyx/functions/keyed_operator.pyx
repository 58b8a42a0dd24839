"""Partitioned stateful operators around a function of a tuple and its key's state."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy
from streambench.pyx.functions.bound_columns cimport BoundColumns, view
from streambench.pyx.functions.reasons cimport Reasons, told
from streambench.pyx.functions.values cimport write_values
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.machine.simulated cimport take_gil
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, fail, integer_at, keys_of, reserve
from streambench.pyx.tuples.operator cimport ANY_PARTITION

cdef enum:
    BLOCK = 128                         # tuples whose states are found, and asked for, before the function is called
    LINE = 64


@cython.final
cdef class KeyedFunction(PartitionedStateful):
    """``function(state, *values read)`` returns the tuple to emit, or None for none.

    ``compiled``: has the ``address`` of a ``CompiledTuples`` that does the same, or is None. ``columns``: those
    emitted; ``in_place``: the input's, and those written. ``keys``: the places of the key's columns, and the bytes of
    a value of each. ``state_type``: of a key's state, a record that is all zero at first. ``fusible``: as
    ``StatelessFunction``'s.

    ``by_bits``: the key is anything but one integer. Its state is found by a hash of its bits, and has them behind it;
    of two keys with one hash the later has the next hash that is free.
    """

    def __init__(self, function, compiled, BoundColumns bound not None, tuple columns, bint in_place, tuple keys,
                 bint by_bits, state_type):
        cdef int32_t k
        self.function = function
        self.kept = compiled
        self.compiled = NULL
        if compiled is not None:
            self.compiled = <CompiledTuples><size_t>compiled.address
        self.bound = bound
        self.columns = columns
        self.in_place = in_place
        self.partition_free = True
        self.keys = <int32_t>len(keys)
        for k in range(self.keys):
            self.key_at[k], self.key_size[k] = keys[k]
        self.by_bits = by_bits
        self.state_type = state_type
        self.state_size = state_type.itemsize
        size = self.state_size + (1 + sum(each for _, each in keys) if by_bits else 0)
        self.states = KeyedRows(-(-size // LINE) * LINE)
        self.reasons = Reasons()

    def __dealloc__(self):
        free(self.before)

    def open(self, int32_t partitions=1):
        self.states.open(partitions, self.high_key)
        free(self.before)
        self.before = <char*>calloc(partitions, self.states.row_size + 2 * LINE)
        if self.before is NULL:
            raise MemoryError(f"states of {partitions} partitions")

    def fused_behind(self, tuple before):
        return None if self.fusible is None else self.fusible.fused_behind(self, before)

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
        cdef uint64_t mixed = 0, word
        cdef int64_t at, size
        cdef const char* value
        cdef int32_t k
        for k in range(self.keys):
            size = self.key_size[k]
            value = <const char*>rows.column[self.key_at[k]] + row * size
            for at in range(0, size, 8):
                word = 0
                memcpy(&word, value + at, min(size - at, <int64_t>8))
                mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
                mixed ^= mixed >> 29
        return mixed

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
        while state[self.state_size] and not self.is_of(key, rows, row):
            hash += 1
            state = self.states.far(partition, <int64_t>hash)
            key = state + self.state_size + 1
        if not state[self.state_size]:          # of no key yet
            state[self.state_size] = 1
            for k in range(self.keys):
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
            if key[i] < self.states.near_keys:
                state[i] = self.states.near + key[i] * self.states.row_size
            else:
                home[i] = partition
                if partition == ANY_PARTITION:
                    home[i] = partition_by_hash(<int64_t>key[i], self.partitions)
                state[i] = self.states.far(home[i], <int64_t>key[i])
            prefetch(state[i], 1)
        if self.by_bits:
            for i in range(n):
                state[i] = self.own_state(home[i], key[i], <char*>state[i], rows, row[i])

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef uint32_t row[BLOCK]
        cdef void* state[BLOCK]
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef char* before = self.before + max(partition, 0) * (self.states.row_size + 2 * LINE)
        cdef uint32_t* source_row = NULL
        cdef int64_t made, refused
        cdef int32_t begin = 0, count, i, at = 0
        if not self.in_place:
            reserve(out, n)
        self.bound.inputs(rows, 0, read)
        while begin < n:
            count = min(<int32_t>BLOCK, n - begin)
            for i in range(count):
                row[i] = <uint32_t>row_at(selected, begin + i)
            self.find_states(partition, rows, row, count, state)
            made = 0
            if not self.in_place:
                at = out.n
                source_row = out.source_row + at
            if self.compiled is NULL:
                take_gil()
                refused = self.call_function(count, rows, row, state, out, at, source_row, &made)
            else:
                self.bound.outputs(out, at, written)
                refused = self.compiled(count, rows.n, read, row, state, before, written, source_row, &made)
                if refused >= 0:
                    self.ask_why(rows, <int32_t>row[refused], before, out)
            if not self.in_place:
                out.n += <int32_t>made
            if refused >= 0:
                return <int32_t>row[refused]
            begin += count
        return -1

    cdef int64_t call_function(self, int32_t n, Columns* rows, uint32_t* row, void** state, Columns* out, int32_t at,
                               uint32_t* source_row, int64_t* made) noexcept with gil:
        """What a ``CompiledTuples`` does, in Python; a refusal's reason is in ``out``."""
        cdef int32_t i = 0
        try:
            given = self.bound.input_views(rows, 0, rows.n)
            to = self.bound.output_views(out, at, rows.n if self.in_place else n)
            for i in range(n):
                values = self.call_for(view(state[i], 1, self.state_type, True), given, row[i])
                if values is None:
                    continue
                if self.in_place:
                    write_values(values, to, row[i])
                else:
                    write_values(values, to, made[0])
                    source_row[made[0]] = row[i]
                    made[0] += 1
            return -1
        except BaseException as error:
            self.refuse(out, told(error), error)
            return i

    cdef object call_for(self, states, tuple given, Py_ssize_t row):
        return self.function(states[0], *[column[row] for column in given])

    cdef int ask_why(self, Columns* rows, int32_t row, char* before, Columns* out) noexcept with gil:
        """A compiled function refused the row, when the state was as ``before`` is."""
        try:
            self.call_for(view(before, 1, self.state_type, True), self.bound.input_views(rows, 0, rows.n), row)
            self.refuse(out, "it failed, but did not when it was asked again why", None)
        except BaseException as error:
            self.refuse(out, told(error), error)
        return 0

    cdef int refuse(self, Columns* out, str why, object cause) except -1:
        fail(out, 0, self.reasons.keep(why, cause))
        return 0

    def cause(self, size_t reason):
        return self.reasons.cause(reason)
