"""A function of the columns of a unit: what stateless and stateful operators around functions call.

One that fails says nothing about the tuple. So it is asked again tuple by tuple, of which the first that it fails for is the
one that it refuses. That finds the right one since what a function makes of tuples does not depend on where units begin.
"""

from libc.string cimport memcpy, memset
from streambench.pyx.functions.reasons cimport told
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, fail, reserve

import operator

import numpy as np


cdef class UnitFunction:
    """``function(state, *columns read, *columns written)`` returns how many tuples it wrote, or None for one for each read.

    ``compiled``: has the ``address`` of a ``CompiledUnit`` that does the same, or is None. ``most``: outputs for a tuple.
    ``state_type``: of the state, a record that is all zero at first; None: there is none.
    """

    def __init__(self, function, compiled, BoundColumns bound not None, int64_t most, bint in_place, state_type):
        self.function = function
        self.kept = compiled
        self.compiled = NULL
        if compiled is not None:
            self.compiled = <CompiledUnit><size_t>compiled.address
        self.bound = bound
        self.most = most
        self.in_place = in_place
        self.reasons = Reasons()
        if state_type is not None:
            self.state = np.zeros(1, state_type)
            self.before = np.zeros(1, state_type)
            self.state_at = <void*><size_t>self.state.ctypes.data
            self.before_at = <void*><size_t>self.before.ctypes.data
            self.state_size = state_type.itemsize

    cdef void forget(self) except *:
        memset(self.state_at, 0, self.state_size)

    cdef void restore(self) noexcept nogil:
        """Undo what the unit made of the state."""
        if self.state_size:
            memcpy(self.state_at, self.before_at, self.state_size)

    cdef int64_t room(self, int64_t n) noexcept nogil:
        return n if self.in_place else n * self.most

    cdef int32_t call(self, Columns* rows, Columns* out) noexcept nogil:
        """As ``process`` of an operator."""
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef int64_t room = self.room(rows.n), made
        if rows.n == 0:
            return -1
        if not self.in_place:
            reserve(out, room)
        if self.state_size:
            memcpy(self.before_at, self.state_at, self.state_size)
        if self.compiled is NULL:
            made = self.ask_of_all(rows, out)
        else:
            self.bound.inputs(rows, 0, read)
            self.bound.outputs(out, 0, written)
            made = self.compiled(rows.n, read, room, written, self.state_at)
        if made < 0 or made > room or (self.in_place and made != rows.n):
            return self.find_refused(rows, out)
        if not self.in_place:
            out.n = <int32_t>made
        return -1

    cdef int64_t ask(self, Columns* rows, int64_t row, int64_t n, Columns* out, int64_t at) except -1:
        """Call the function for ``n`` tuples from ``row`` on, with its outputs at ``at``. Raises what it raises."""
        cdef int64_t room = self.room(n), made = n
        state = () if self.state is None else (self.state[0],)
        with np.errstate(all="ignore"):     # integers wrap and divide by zero in silence, as Numba's
            answer = self.function(*state, *self.bound.input_views(rows, row, n), *self.bound.output_views(out, at, room))
        if answer is not None:
            made = operator.index(answer)
        if made < 0 or made > room or (self.in_place and made != n):
            raise ValueError(f"it returned {made} as the number of its outputs for {n} of its inputs, "
                             f"{'as many' if self.in_place else f'at most {room}'} are right")
        return made

    cdef int64_t ask_of_all(self, Columns* rows, Columns* out) noexcept with gil:
        try:
            return self.ask(rows, 0, rows.n, out, 0)
        except BaseException:
            return -1                       # told by `find_refused`

    cdef int32_t find_refused(self, Columns* rows, Columns* out) noexcept with gil:
        """What ``fail`` returns, for the first tuple that the function refuses; the outputs of those before are in ``out``."""
        cdef int64_t made = 0
        cdef int32_t row
        self.restore()
        for row in range(rows.n):
            try:
                made += self.ask(rows, row, 1, out, row if self.in_place else made)
            except BaseException as error:
                return fail(out, row, self.reasons.keep(told(error)))
            if not self.in_place:
                out.n = <int32_t>made
        if not self.in_place:
            out.n = 0
        self.restore()
        try:
            self.ask(rows, 0, rows.n, out, 0)
            text = "it failed"
        except BaseException as error:
            text = told(error)
        return fail(out, 0, self.reasons.keep(
            f"{text}; so it is for {rows.n} tuples together and for none of them alone, but a function has to give the same "
            "wherever the stream is cut"))
