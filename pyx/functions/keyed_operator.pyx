"""Partitioned stateful operators around a function of a tuple and its key's state."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.functions.bound_columns cimport BoundColumns, view
from streambench.pyx.functions.reasons cimport Reasons, told
from streambench.pyx.functions.values cimport write_values
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.machine.simulated cimport take_gil
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, fail, integer_at, keys_of, reserve

cdef enum:
    BLOCK = 128                         # tuples whose states are found, and asked for, before the function is called
    LINE = 64


@cython.final
cdef class KeyedFunction(PartitionedStateful):
    """``function(state, *values read)`` returns the tuple to emit, or None for none.

    ``compiled``: has the ``address`` of a ``CompiledTuples`` that does the same, or is None. ``columns``: those
    emitted; ``in_place``: the input's, and those written. ``key``: the number of the key's column. ``state_type``: of a
    key's state, a record that is all zero at first. ``fusible``: as ``StatelessFunction``'s.
    """

    def __init__(self, function, compiled, BoundColumns bound not None, tuple columns, bint in_place, int32_t key,
                 state_type):
        self.function = function
        self.kept = compiled
        self.compiled = NULL
        if compiled is not None:
            self.compiled = <CompiledTuples><size_t>compiled.address
        self.bound = bound
        self.columns = columns
        self.in_place = in_place
        self.partition_free = True
        self.key = key
        self.state_type = state_type
        self.states = KeyedRows(-(-state_type.itemsize // LINE) * LINE)
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
        keys_of(rows, self.key, keys)

    cdef inline void* state_of(self, int32_t partition, int64_t key) noexcept nogil:
        cdef char* state
        if <uint64_t>key < self.states.near_keys:
            state = self.states.near + key * self.states.row_size
        else:
            state = self.states.far(partition, key)
        prefetch(state, 1)
        return state

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
                state[i] = self.state_of(partition, integer_at(rows, self.key, row[i]))
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
