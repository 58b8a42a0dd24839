"""Stateless and stateful operators around a function of a unit's columns."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from streambench.pyx.functions.bound_columns cimport BoundColumns
from streambench.pyx.functions.unit_function cimport UnitFunction
from streambench.pyx.tuples.columns cimport Columns, reserve, reserve_heap
from streambench.pyx.tuples.keep_rows cimport Kept, begin_blocks, copy_kept, count_kept, keep_within, next_block
from streambench.pyx.tuples.layout cimport LayoutPointer, layout_of
from streambench.pyx.tuples.operator cimport Stateful, Stateless

import numpy as np


@cython.final
cdef class StatelessFunction(Stateless):
    """Arguments as for ``UnitFunction``; ``columns``: those emitted; ``in_place``: the input's, and those written.

    ``fusible``: None, or what says how to fuse it: has a ``fused_behind`` as an operator,
    which is given this one first.
    """

    cdef UnitFunction function
    cdef public object fusible

    def __init__(self, function, compiled, BoundColumns bound, tuple columns, bint in_place, int64_t most,
                 bint whole=False):
        self.columns = columns
        self.in_place = in_place
        self.function = UnitFunction(function, compiled, bound, most, in_place, None, whole)

    def fused_behind(self, tuple before):
        return None if self.fusible is None else self.fusible.fused_behind(self, before)

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.function.reasons.cause(reason)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return self.function.call(rows, out)


@cython.final
cdef class StatefulFunction(Stateful):
    """The same with a state, which is ``initial`` at first.

    ``last``: None, or a function of the state and the columns written, called once at the end of the stream: it, its
    compiled code or None, and the columns.
    """

    cdef UnitFunction function
    cdef UnitFunction last
    cdef bint flushed

    def __init__(self, function, compiled, BoundColumns bound, tuple columns, bint in_place, int64_t most, initial, *,
                 tuple last=None):
        self.columns = columns
        self.in_place = in_place
        self.function = UnitFunction(function, compiled, bound, most, in_place, initial)
        if last is not None:
            self.last = UnitFunction(*last, most, False, None)
            self.last.share(self.function)
            self.last.reasons = self.function.reasons

    def open(self, int32_t partitions=1):
        self.function.forget()
        self.flushed = False

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.function.reasons.cause(reason)

    @property
    def identity(self) -> str:
        return f"{self.function.initial.dtype} {self.function.initial.tobytes().hex()}"

    def save(self):
        return {"state": np.frombuffer(self.function.state.tobytes(), np.uint8)}

    def load(self, saved):
        self.function.state[:] = saved["state"].view(self.function.state.dtype)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return self.function.call(rows, out)

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.last is None or self.flushed:
            return 0
        self.flushed = True
        return 0 if self.last.call_for(out, 0, 1, out) >= 0 else out.n     # it reads no columns


@cython.final
cdef class FilterFunction(Stateless):
    """Keeps the tuples for which a function of a unit's columns writes True; ``bound`` writes one column, the first."""

    cdef UnitFunction function
    cdef LayoutPointer truth

    def __init__(self, function, compiled, BoundColumns bound, tuple columns):
        self.columns = columns
        self.function = UnitFunction(function, compiled, bound, 1, True, None, True)
        self.truth = layout_of((np.dtype(bool),))

    def cause(self, size_t reason):
        """The exception of a refusal, by the address of its reason, or None."""
        return self.function.reasons.cause(reason)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Columns answers
        cdef Kept kept
        cdef int32_t refused, k
        reserve(out, rows.n)
        answers.n = rows.n
        answers.width = 1
        answers.layout = self.truth
        answers.failure = NULL
        answers.column[0] = <int64_t*>out.source_row        # of no use to a stateless operator, and large enough
        refused = self.function.call(rows, &answers)
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n if refused < 0 else refused):
            keep_within(&kept, &answers, 0, 1, 1)
            for k in range(self.emitted_width):
                copy_kept(&kept, rows, k, out, k)
            out.n += count_kept(&kept)
        if self.list_column >= 0:
            reserve_heap(out, rows.heap_n)
            memcpy(out.heap, rows.heap, rows.heap_n * sizeof(int64_t))
            out.heap_n = rows.heap_n
        if refused >= 0:
            out.failure = answers.failure
        return refused
