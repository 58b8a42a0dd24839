"""Partitioned stateful operators around a function of a tuple and its key's state."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.key_order cimport KeyOrder
from streambench.pyx.functions.reasons cimport Reasons
from streambench.pyx.state.keyed_rows cimport KeyedRows
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns
from streambench.pyx.tuples.operator cimport PartitionedStateful

cdef enum:
    BLOCK = 128                         # tuples whose states are found, and asked for, before the function is called
    FIRST_LEFT = -3

# Calls a function for tuples ``row[0:n]`` of ``given``, each with its state. Before each one the state is copied to
# ``before``. Returns -1, or the place in ``row`` of the tuple that the function refused, or FIRST_LEFT less the place
# of the tuple behind which a timer is due. ``made``: how many it emitted.
ctypedef int64_t (*CompiledTuples)(int64_t n, int64_t given, void** read, uint32_t* row, void** state, void* before,
                                   void** written, uint32_t* source_row, int64_t* made) noexcept nogil

cdef class KeyCall:
    cdef object function
    cdef object kept                    # what holds the compiled code
    cdef CompiledTuples compiled        # NULL: the function is called, under the GIL
    cdef int32_t reads
    cdef int32_t read[MAX_COLUMNS]      # columns of the key

cdef class KeyedFunction(PartitionedStateful):
    cdef public object fusible
    cdef object function
    cdef object kept                    # what holds the compiled code
    cdef CompiledTuples compiled        # NULL: the function is called, under the GIL
    cdef BoundColumns bound
    cdef int64_t most                   # outputs of a tuple
    cdef int32_t keys                   # columns of the key
    cdef tuple key_types
    cdef int32_t key_at[MAX_COLUMNS]
    cdef int64_t key_size[MAX_COLUMNS]  # bytes of a value
    cdef char key_kind[MAX_COLUMNS]     # NumPy's, Q for uint64
    cdef bint by_bits                   # the key is not one integer: its values' bits are, all of them
    cdef bint marked                    # behind a state stands whether its key has come, and the bits of the key
    cdef object state_type
    cdef object initial                 # an array of one state
    cdef const char* initial_at
    cdef int64_t state_size
    cdef KeyedRows states
    cdef char* before                   # for each partition room for a state, lines of its own
    cdef Reasons reasons
    cdef KeyCall last                   # at the end of the stream, or None
    cdef KeyOrder in_order              # then
    cdef int64_t timer_at               # its place in a state, -1 for none; then `queued` is at the row's end
    cdef void find_states(self, int32_t partition, Columns* rows, const uint32_t* row, int32_t n,
                          void** state) noexcept nogil
    cdef char* own_state(self, int32_t partition, uint64_t hash, char* state, Columns* rows,
                         int64_t row) noexcept nogil
    cdef uint64_t hash_of_bits(self, Columns* rows, int64_t row) noexcept nogil
    cdef int64_t hash_of(self, const char* state, int64_t key) noexcept nogil
    cdef bint is_of(self, const char* key, Columns* rows, int64_t row) noexcept nogil
    cdef int32_t block(self, const Columns* out) noexcept nogil
    cdef int64_t take(self, int32_t partition, Columns* rows, uint32_t* row, int32_t n, void** state,
                      Columns* out) noexcept nogil
    cdef int64_t call_function(self, int32_t n, Columns* rows, uint32_t* row, void** state, Columns* out, int32_t at,
                               uint32_t* source_row, int64_t* made) noexcept with gil
    cdef int64_t call_for_each(self, function, tuple given, tuple to, int32_t n, uint32_t* row, void** state,
                               uint32_t* source_row, int64_t* made, Columns* out, bint timed) except -2
    cdef int ask_why(self, Columns* rows, int32_t row, char* before, Columns* out) noexcept with gil
    cdef int tell(self, function, tuple given, Py_ssize_t row, char* before, Columns* out) except -1
    cdef int64_t call_for_keys(self, KeyCall call, int32_t partition, int32_t n, int64_t given, void** read,
                               uint32_t* row, void** state, Columns* out) noexcept nogil
    cdef int64_t call_for_keys_in_python(self, KeyCall call, int32_t n, int64_t given, void** read, uint32_t* row,
                                         void** state, Columns* out, int64_t* made) noexcept with gil
    cdef int ask_why_of_key(self, KeyCall call, int64_t given, void** read, uint32_t row, char* before,
                            Columns* out) noexcept with gil
    cdef tuple key_views(self, KeyCall call, int64_t given, void** read)
    cdef int32_t flush_in_order(self, KeyOrder order, KeyCall call, Columns* out, int32_t at_most) noexcept nogil
    cdef bint begin_flush(self, Columns* out) noexcept with gil
    cdef KeyOrder order_of_all(self)
    cdef KeyOrder order_of(self, vector[int64_t]& states, vector[int64_t]& keys, times)

    cdef inline char* before_of(self, int32_t partition) noexcept nogil:
        """Room for a state."""
        return self.before + max(partition, 0) * (self.states.row_size + 128)

    cdef inline int64_t due(self, const void* state) noexcept nogil:
        """The time that the state asks for."""
        return (<const int64_t*>(<const char*>state + self.timer_at))[0]

    cdef inline int64_t* queued(self, void* state) noexcept nogil:
        """The time under which the state waits; the least integer: it does not."""
        return <int64_t*>(<char*>state + self.states.row_size - 8)
