"""The parametric operators' computation: rows of a matrix times a tuple's payload and its key's state.

Arithmetic wraps at 64 bits, so results are exact and the same on every machine. The matrix is circulant (each row is
the first one, shifted): however long the vector is, the matrix is no longer, and the computation stays in the cache.

A module of its own, so that compilers cannot make a faster copy of it for one of the callers: what calibration measures
is what the operators call.
"""


cdef uint64_t mixed(uint64_t value) noexcept nogil:
    """A bijection that leaves no pattern (the finaliser of splitmix64)."""
    value += <uint64_t>0x9E3779B97F4A7C15
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef void multiply(const uint64_t* weights, uint64_t* payload, int64_t tuple_size, uint64_t* state, int64_t state_size,
                   int64_t rounds) noexcept nogil:
    """``rounds`` times: replace the next value of the vector (payload, then state) by its matrix row times the vector.

    A round needs the one before it, so the cost is proportional to the rounds. ``weights``: the matrix's first row,
    twice; as they are odd, each round is a bijection and no difference between two vectors is lost.
    """
    cdef int64_t size = tuple_size + state_size, row = 0, turn, k
    cdef const uint64_t* weight
    cdef uint64_t product
    for turn in range(rounds):
        weight = weights + (size - row)
        product = <uint64_t>turn            # without it a vector of zeros would stay one
        for k in range(tuple_size):
            product += weight[k] * payload[k]
        for k in range(state_size):
            product += weight[tuple_size + k] * state[k]
        if row < tuple_size:
            payload[row] = product
        else:
            state[row - tuple_size] = product
        row += 1
        if row == size:
            row = 0


cdef uint64_t fold(const uint64_t* payload, int64_t tuple_size) noexcept nogil:
    """One value that depends on all."""
    cdef uint64_t value = 0
    cdef int64_t k
    for k in range(tuple_size):
        value = (value ^ payload[k]) * <uint64_t>0xD6E8FEB86659FD93
    return value ^ (value >> 32)
