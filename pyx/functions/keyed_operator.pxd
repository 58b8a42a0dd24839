"""Partitioned stateful operators around a function of a tuple and its key's state."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.reasons cimport Reasons
from streambench.pyx.state.keyed_rows cimport KeyedRows
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns
from streambench.pyx.tuples.operator cimport PartitionedStateful

# Calls a function for tuples ``row[0:n]`` of ``given``, each with its state. Before each one the state is copied to
# ``before``. Returns -1, or the place in ``row`` of the tuple that the function refused. ``made``: how many it emitted.
ctypedef int64_t (*CompiledTuples)(int64_t n, int64_t given, void** read, uint32_t* row, void** state, void* before,
                                   void** written, uint32_t* source_row, int64_t* made) noexcept nogil

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
    cdef bint by_bits                   # the key is not one integer: its values' bits are, all of them
    cdef bint marked                    # behind a state stands whether its key has come, and the bits of the key
    cdef object state_type
    cdef object initial                 # an array of one state
    cdef const char* initial_at
    cdef int64_t state_size
    cdef KeyedRows states
    cdef char* before                   # for each partition room for a state, lines of its own
    cdef Reasons reasons
    cdef object last                    # function of a state and its key's values, at the end of the stream, or None
    cdef object last_kept
    cdef CompiledTuples last_compiled
    cdef tuple last_reads               # which of the key's columns it is given
    cdef tuple last_keys                # these, of all keys in ascending order, and where their states are
    cdef int64_t[::1] last_states
    cdef int64_t flushed                # states
    cdef void find_states(self, int32_t partition, Columns* rows, const uint32_t* row, int32_t n,
                          void** state) noexcept nogil
    cdef char* own_state(self, int32_t partition, uint64_t hash, char* state, Columns* rows,
                         int64_t row) noexcept nogil
    cdef uint64_t hash_of_bits(self, Columns* rows, int64_t row) noexcept nogil
    cdef bint is_of(self, const char* key, Columns* rows, int64_t row) noexcept nogil
    cdef int64_t call_function(self, int32_t n, Columns* rows, uint32_t* row, void** state, Columns* out, int32_t at,
                               uint32_t* source_row, int64_t* made) noexcept with gil
    cdef int64_t call_for_each(self, function, tuple given, tuple to, int32_t n, uint32_t* row, void** state,
                               uint32_t* source_row, int64_t* made, Columns* out) except -2
    cdef int ask_why(self, Columns* rows, int32_t row, char* before, Columns* out) noexcept with gil
    cdef int tell(self, function, tuple given, Py_ssize_t row, char* before, Columns* out) except -1
    cdef int begin_flush(self, Columns* out) noexcept with gil
    cdef int order_keys(self) except -1
    cdef int64_t flush_some(self, int32_t n, uint32_t* row, void** state, Columns* out, int64_t* made) noexcept with gil
