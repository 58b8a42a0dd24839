"""Neighbouring functions of a tuple, compiled as one loop."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.keyed_operator cimport KeyedFunction
from streambench.pyx.functions.unit_function cimport CompiledUnit
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, reserve
from streambench.pyx.tuples.fused cimport Fused
from streambench.pyx.tuples.operator cimport ANY_PARTITION
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

cdef enum:
    TABLE = 4                           # words that say where a keyed function's states are
    WORDS = 4 + MAX_OPERATORS


cdef char* far_state(void* keyed, int64_t key) noexcept nogil:
    return (<KeyedFunction>keyed).states.far(ANY_PARTITION, key)


@cython.final
cdef class FusedFunctions(Fused):
    """``operators`` around functions that emit a tuple or none, stateless or, one of them, ``keyed``.

    It leaves a unit of which a stateless one refuses a tuple. With a keyed one no function may refuse any.

    ``compiled``: has the ``address`` of a ``CompiledUnit`` that does what they do. In its state it is told where the
    keyed one's states are: the first, how many of them are an array by key, a ``far_state`` for other keys, and what
    that is given. Behind that it writes how many tuples each operator but the first was given.
    """

    cdef object kept                    # what holds the compiled code
    cdef CompiledUnit compiled
    cdef BoundColumns bound
    cdef KeyedFunction keyed            # or None
    cdef int32_t n

    def __init__(self, tuple operators, compiled, BoundColumns bound not None, KeyedFunction keyed=None):
        Fused.__init__(self, operators)
        self.kept = compiled
        self.compiled = <CompiledUnit><size_t>compiled.address
        self.bound = bound
        self.keyed = keyed
        self.n = <int32_t>len(operators)

    cdef bint process(self, Columns* rows, Columns* out, int64_t* counts) noexcept nogil:
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef int64_t state[WORDS]
        cdef int64_t* later = state
        cdef int64_t emitted
        if not self.in_place:
            reserve(out, rows.n)
        self.bound.inputs(rows, 0, read)
        self.bound.outputs(out, 0, written)
        if self.keyed is not None:
            state[0] = <int64_t>self.keyed.states.near
            state[1] = <int64_t>self.keyed.states.near_keys
            state[2] = <int64_t>&far_state
            state[3] = <int64_t><void*>self.keyed
            later += TABLE
        emitted = self.compiled(rows.n, read, rows.n, written, state)
        if emitted < 0:
            return False
        memcpy(counts + 1, later, (self.n - 1) * sizeof(int64_t))
        if not self.in_place:
            out.n = <int32_t>emitted
        return True
