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
    cdef int32_t keys                   # columns of the key
    cdef int32_t key_at[MAX_COLUMNS]
    cdef int64_t key_size[MAX_COLUMNS]  # bytes of a value
    cdef bint by_bits                   # the key is not one integer: its values' bits are, all of them
    cdef object state_type
    cdef int64_t state_size
    cdef KeyedRows states
    cdef char* before                   # for each partition room for a state, lines of its own
    cdef Reasons reasons
    cdef void find_states(self, int32_t partition, Columns* rows, const uint32_t* row, int32_t n,
                          void** state) noexcept nogil
    cdef char* own_state(self, int32_t partition, uint64_t hash, char* state, Columns* rows,
                         int64_t row) noexcept nogil
    cdef uint64_t hash_of_bits(self, Columns* rows, int64_t row) noexcept nogil
    cdef bint is_of(self, const char* key, Columns* rows, int64_t row) noexcept nogil
    cdef int64_t call_function(self, int32_t n, Columns* rows, uint32_t* row, void** state, Columns* out, int32_t at,
                               uint32_t* source_row, int64_t* made) noexcept with gil
    cdef object call_for(self, states, tuple given, Py_ssize_t row)
    cdef int ask_why(self, Columns* rows, int32_t row, char* before, Columns* out) noexcept with gil
    cdef int refuse(self, Columns* out, str why, object cause) except -1
