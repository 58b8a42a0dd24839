"""Stateless and stateful operators around a function of a unit's columns."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.unit_function cimport UnitFunction
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Stateful, Stateless


@cython.final
cdef class StatelessFunction(Stateless):
    """Arguments as for ``UnitFunction``; ``columns``: those emitted; ``in_place``: the input's, and those written.

    ``fusible``: None, or what says how to fuse it: has a ``fused_behind`` as an operator,
    which is given this one first.
    """

    cdef UnitFunction function
    cdef public object fusible

    def __init__(self, function, compiled, BoundColumns bound, tuple columns, bint in_place, int64_t most):
        self.columns = columns
        self.in_place = in_place
        self.function = UnitFunction(function, compiled, bound, most, in_place, None)

    def fused_behind(self, tuple before):
        return None if self.fusible is None else self.fusible.fused_behind(self, before)

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.function.reasons.cause(reason)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return self.function.call(rows, out)


@cython.final
cdef class StatefulFunction(Stateful):
    """The same with a state, a record of ``state_type``."""

    cdef UnitFunction function

    def __init__(self, function, compiled, BoundColumns bound, tuple columns, bint in_place, int64_t most, state_type):
        self.columns = columns
        self.in_place = in_place
        self.function = UnitFunction(function, compiled, bound, most, in_place, state_type)

    def open(self, int32_t partitions=1):
        self.function.forget()

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.function.reasons.cause(reason)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return self.function.call(rows, out)
