"""Parametric operators: matrix computation with given cost, sizes and selectivity (paper 000, end of section 7.1).

A tuple is (key, id, payload). The stream is (key, id): the first operator derives the payload from the id; behind it
the payload travels as a list. The tuple with id i gives floor((i + 1) s) - floor(i s) outputs at selectivity s, with
ids from floor(i s) on: ids stay consecutive, and their number does not depend on who processes what. A tuple's first
output keeps its key; further ones are spread over the key space, so that a keyed operator behind sees many keys.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.tuples.columns cimport Columns, emit_from, enough, fail, reserve, reserve_heap
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.queries.parametric.matrix cimport fold, mixed, multiply

from math import gcd

import numpy as np

cdef enum:
    CACHE_LINE = 8                      # values


cdef cppclass Computation:
    int64_t tuple_size                  # values of a payload
    int64_t state_size                  # values of a key's state, 0 for a stateless operator
    int64_t rounds
    int64_t later_rounds                # of tuples whose id is ``later_id`` or more
    int64_t later_id
    double selectivity
    int64_t key_space                   # keys are 0 to key_space - 1
    int64_t key_step                    # coprime to key_space: from an output's key to the next one's
    bint emits_payload
    vector[uint64_t] weights            # the matrix's first row, twice


def key_step(key_space) -> int:
    """From an output's key to that of its tuple's next output; coprime to ``key_space``.

    Near the golden section: any number of consecutive multiples lies evenly over the key space.
    """
    return next(step for step in range(max(1, key_space * 618 // 1000), 0, -1) if gcd(step, key_space) == 1)


cdef int set_up(Computation* computation, tuple_size, state_size, rounds, selectivity, key_space,
                emits_payload, later=None) except -1:
    """Check the parameters and derive what follows from them. ``later``: None, or the id from which on it takes so many
    rounds, and these. Raises ValueError."""
    cdef uint64_t k, length
    later_id, later_rounds = later or (0, rounds)
    if tuple_size < 1 or key_space < 1 or min(rounds, later_rounds) < 0 or not 0 <= selectivity < 1e9:
        raise ValueError("sizes and key space must be at least 1, rounds and selectivity at least 0")
    length = tuple_size + state_size
    computation.tuple_size = tuple_size
    computation.state_size = state_size
    computation.rounds = rounds
    computation.later_id, computation.later_rounds = later_id, later_rounds
    computation.selectivity = selectivity
    computation.key_space = key_space
    computation.key_step = key_step(key_space)
    computation.emits_payload = emits_payload
    computation.weights.clear()
    for k in range(2 * length):
        computation.weights.push_back(mixed(~(k % length)) | 1)     # ~: apart from the payloads, which are mixed ids
    return 0


cdef tuple emitted_columns(bint emits_payload):
    return ("key", "id", "start", "length") if emits_payload else ("key", "id", "value")


cdef inline int64_t rounds_of(const Computation* computation, const Columns* rows, int32_t row) noexcept nogil:
    return computation.later_rounds if rows.column[1][row] >= computation.later_id else computation.rounds


cdef uint64_t* load(Computation* computation, Columns* rows, int32_t row, Columns* out) noexcept nogil:
    """Copy a tuple's payload behind what ``out``'s heap holds, where it may be changed, and return it."""
    cdef int64_t k
    cdef uint64_t seed
    cdef uint64_t* payload
    reserve_heap(out, computation.tuple_size)
    payload = <uint64_t*>out.heap + out.heap_n
    if rows.width > 2:
        memcpy(payload, rows.heap + rows.column[2][row], computation.tuple_size * sizeof(int64_t))
    else:
        seed = mixed(<uint64_t>rows.column[1][row])
        for k in range(computation.tuple_size):
            payload[k] = seed ^ computation.weights[k]
    return payload


cdef void emit_outputs(Computation* computation, Columns* rows, int32_t row, Columns* out) noexcept nogil:
    """Emit the outputs of a tuple whose computed payload lies behind what ``out``'s heap holds."""
    cdef int64_t key = rows.column[0][row], id = rows.column[1][row], size = computation.tuple_size
    cdef int64_t first = <int64_t>(<double>id * computation.selectivity)
    cdef int64_t n = <int64_t>(<double>(id + 1) * computation.selectivity) - first
    cdef int64_t begin = out.heap_n, k
    cdef uint64_t value = 0
    cdef int32_t at
    if n <= 0:
        return
    reserve(out, n)
    if computation.emits_payload:
        reserve_heap(out, n * size)         # may move what has been computed, as the heap's first `size` values to come
    else:
        value = fold(<uint64_t*>out.heap + begin, size)
    for k in range(n):
        at = emit_from(out, <uint32_t>row)
        out.column[0][at] = key if k == 0 else (key + k * computation.key_step) % computation.key_space
        out.column[1][at] = first + k
        if computation.emits_payload:
            if k > 0:
                memcpy(out.heap + out.heap_n, out.heap + begin, size * sizeof(int64_t))
                out.heap[out.heap_n] ^= k   # no two outputs are equal
            out.column[2][at] = out.heap_n
            out.column[3][at] = size
            out.heap_n += size
        else:
            out.column[2][at] = <int64_t>(value ^ <uint64_t>k)


@cython.final
cdef class MatrixStateless(Stateless):
    """SL: ``rounds`` rounds on the payload of ``tuple_size`` values.

    ``emits_payload``: emit (key, id, payload) for an operator behind, or else the fixed-width (key, id, value) that a
    TableSink takes. ``later``: None, or (an id, the rounds on tuples with this id or a greater one).
    """

    cdef Computation computation

    def __init__(self, *, tuple_size, rounds, selectivity=1.0, key_space=1, bint emits_payload=False, later=None):
        set_up(&self.computation, tuple_size, 0, rounds, selectivity, key_space, emits_payload, later)
        self.columns = emitted_columns(emits_payload)
        self.list_column = 2 if emits_payload else -1

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Computation* computation = &self.computation
        cdef uint64_t* payload
        cdef int32_t row
        for row in range(rows.n):
            payload = load(computation, rows, row, out)
            multiply(computation.weights.data(), payload, computation.tuple_size, NULL, 0,
                     rounds_of(computation, rows, row))
            emit_outputs(computation, rows, row, out)
            if enough(out, row + 1):
                break
        return -1


@cython.final
cdef class MatrixKeyed(PartitionedStateful):
    """PS by key: the same over payload and the key's state of ``state_size`` values, which it changes.

    Each tuple's outputs thus depend on all earlier ones of its key, in their order. Refuses keys outside the key space.
    """

    cdef Computation computation
    cdef vector[uint64_t] states        # by key
    cdef int64_t stride                 # values from one key's state to the next one's

    def __init__(self, *, tuple_size, state_size, rounds, selectivity=1.0, key_space=1, bint emits_payload=False,
                 later=None):
        if state_size < 1:
            raise ValueError(f"a keyed operator has a state of at least 1 value, not {state_size}")
        set_up(&self.computation, tuple_size, state_size, rounds, selectivity, key_space, emits_payload, later)
        self.columns = emitted_columns(emits_payload)
        self.list_column = 2 if emits_payload else -1
        self.high_key = key_space

    def open(self, int32_t partitions=1):
        # Whole cache lines: the neighbours of a key belong to other partitions, so to other workers.
        self.stride = (self.computation.state_size + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE
        self.states.assign(self.computation.key_space * self.stride + CACHE_LINE, 0)

    def save(self):
        cdef uint64_t[::1] to
        states = np.empty(self.computation.key_space * self.stride, np.uint64)
        to = states
        memcpy(&to[0], self.first_state(), to.nbytes)
        return {"states": states}

    def load(self, saved):
        cdef const uint64_t[::1] states = saved["states"]
        memcpy(self.first_state(), &states[0], states.nbytes)

    cdef inline uint64_t* first_state(self) noexcept nogil:
        return <uint64_t*>((<uint64_t>self.states.data() + 63) & ~<uint64_t>63)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef Computation* computation = &self.computation
        cdef uint64_t* states = self.first_state()
        cdef uint64_t* payload
        cdef uint64_t* state
        cdef int64_t key
        cdef int32_t i, row
        for i in range(n):
            row = <int32_t>selected[i]
            key = rows.column[0][row]
            if not 0 <= key < computation.key_space:
                return fail(out, row, b"its key is outside the key space")
            state = states + key * self.stride
            payload = load(computation, rows, row, out)
            payload[0] += state[0]          # with no round, too, the order of a key's tuples tells
            state[0] = state[0] * computation.weights[0] + payload[0]
            multiply(computation.weights.data(), payload, computation.tuple_size, state, computation.state_size,
                     rounds_of(computation, rows, row))
            emit_outputs(computation, rows, row, out)
            if enough(out, i + 1):
                break
        return -1


def time_rounds(*, tuple_size, state_size, int64_t rounds):
    """Return (seconds, result) of one computation of ``rounds`` rounds in this thread, its data in the cache."""
    cdef Computation computation
    cdef vector[uint64_t] values
    cdef int64_t began, ended
    cdef uint64_t result
    set_up(&computation, tuple_size, state_size, rounds, 1.0, 1, False)
    values.assign(computation.tuple_size + computation.state_size, 1)
    with nogil:
        began = nanoseconds()
        multiply(computation.weights.data(), values.data(), computation.tuple_size,
                 values.data() + computation.tuple_size, computation.state_size, rounds)
        ended = nanoseconds()
        result = fold(values.data(), values.size())     # used, so that no compiler leaves the computation out
    return (ended - began) * 1e-9, result
