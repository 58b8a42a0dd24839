"""Neighbouring functions of a tuple, compiled as one loop."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.unit_function cimport CompiledUnit
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, reserve
from streambench.pyx.tuples.fused cimport Fused
from streambench.pyx.tuples.unit cimport MAX_OPERATORS


@cython.final
cdef class FusedFunctions(Fused):
    """Stateless ``operators`` around functions that emit a tuple or none. It leaves a unit of which one refuses a tuple.

    ``compiled``: has the ``address`` of a ``CompiledUnit`` that does what they do. As its state it writes how many tuples
    each operator but the first was given.
    """

    cdef object kept                    # what holds the compiled code
    cdef CompiledUnit compiled
    cdef BoundColumns bound
    cdef int32_t n

    def __init__(self, tuple operators, compiled, BoundColumns bound not None):
        Fused.__init__(self, operators)
        self.kept = compiled
        self.compiled = <CompiledUnit><size_t>compiled.address
        self.bound = bound
        self.n = <int32_t>len(operators)

    cdef bint process(self, Columns* rows, Columns* out, int64_t* given) noexcept nogil:
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef int64_t later[MAX_OPERATORS]
        cdef int64_t made
        if not self.in_place:
            reserve(out, rows.n)
        self.bound.inputs(rows, 0, read)
        self.bound.outputs(out, 0, written)
        made = self.compiled(rows.n, read, rows.n, written, later)
        if made < 0:
            return False
        memcpy(given + 1, later, (self.n - 1) * sizeof(int64_t))
        if not self.in_place:
            out.n = <int32_t>made
        return True
