"""The parametric operators' computation."""

from libc.stdint cimport int64_t, uint64_t

cdef uint64_t mixed(uint64_t value) noexcept nogil
cdef void multiply(const uint64_t* weights, uint64_t* payload, int64_t tuple_size, uint64_t* state, int64_t state_size,
                   int64_t rounds) noexcept nogil
cdef uint64_t fold(const uint64_t* payload, int64_t tuple_size) noexcept nogil
