"""A function of the columns of a unit: what stateless and stateful operators around functions call.

One that fails says nothing about the tuple. So it is asked again tuple by tuple, of which the first that it
fails for is the one that it refuses. That finds the right one since what a function makes of tuples does not
depend on where units begin.

One that may make many tuples of one has room for all of them: so it is called for as many tuples at a time as may fill
a piece of the unit, and a piece ends when it is full.
"""

from libc.string cimport memcpy
from streambench.pyx.functions.reasons cimport told
from streambench.pyx.machine.simulated cimport take_gil
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, enough, fail, reserve

import operator

import numpy as np


cdef class UnitFunction:
    """``function(state, *columns read, *columns written)`` returns how many tuples it wrote,
    or None for one for each read.

    ``compiled``: has the ``address`` of a ``CompiledUnit`` that does the same, or is None. ``most``: outputs for a
    tuple. ``initial``: the state at first, an array of one record; None: there is none. ``whole``: the function writes
    all that it says it has written.
    """

    def __init__(self, function, compiled, BoundColumns bound not None, int64_t most, bint in_place, initial,
                 bint whole=False):
        self.function = function
        self.kept = compiled
        self.compiled = NULL
        if compiled is not None:
            self.compiled = <CompiledUnit><size_t>compiled.address
        self.bound = bound
        self.most = most
        self.in_place = in_place
        self.whole = whole
        self.reasons = Reasons()
        if initial is not None:
            self.initial = initial
            self.state = initial.copy()
            self.before = initial.copy()
            self.state_at = <void*><size_t>self.state.ctypes.data
            self.before_at = <void*><size_t>self.before.ctypes.data
            self.state_size = initial.dtype.itemsize

    cdef void share(self, UnitFunction other):
        """Have the other function's state."""
        self.state, self.before = other.state, other.before
        self.state_at, self.before_at, self.state_size = other.state_at, other.before_at, other.state_size

    cdef void forget(self) except *:
        self.state[:] = self.initial

    cdef void restore(self) noexcept nogil:
        """Undo what the unit made of the state."""
        if self.state_size:
            memcpy(self.state_at, self.before_at, self.state_size)

    cdef int64_t room(self, int64_t n) noexcept nogil:
        return n if self.in_place else n * self.most

    cdef int32_t call(self, Columns* rows, Columns* out) noexcept nogil:
        """As ``process`` of an operator."""
        cdef int32_t begin = 0, n = rows.n, refused
        if self.most > 1 and not self.in_place:
            n = max(1, <int32_t>(out.most // self.most))
        while begin < rows.n:
            n = min(n, rows.n - begin)
            refused = self.call_for(rows, begin, n, out)
            if refused >= 0:
                return refused
            begin += n
            if not self.in_place and enough(out, begin):
                break
        return -1

    cdef int32_t call_for(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept nogil:
        """Call the function for ``n`` tuples from ``begin`` on, and append what it makes of
        them; returns as ``call``."""
        cdef void* read[MAX_COLUMNS]
        cdef void* written[MAX_COLUMNS]
        cdef int64_t room = self.room(n), emitted
        if not self.in_place:
            reserve(out, room)
        if self.state_size:
            memcpy(self.before_at, self.state_at, self.state_size)
        if self.compiled is NULL:
            take_gil()
            emitted = self.ask_of_all(rows, begin, n, out)
        else:
            self.bound.inputs(rows, begin, read)
            self.bound.outputs(out, 0 if self.in_place else out.n, written)
            if not self.whole:
                self.bound.clear_outputs(out, 0 if self.in_place else out.n, room)
            emitted = self.compiled(n, read, room, written, self.state_at)
        if emitted < 0 or emitted > room or (self.in_place and emitted != n):
            return self.find_refused(rows, begin, n, out)
        if not self.in_place:
            out.n += <int32_t>emitted
        return -1

    cdef int64_t ask(self, Columns* rows, int64_t row, int64_t n, Columns* out, int64_t at) except -1:
        """Call the function for ``n`` tuples from ``row`` on, with its outputs at ``at``. Raises what it raises."""
        cdef int64_t room = self.room(n), emitted = n
        if not self.whole:
            self.bound.clear_outputs(out, at, room)
        state = () if self.state is None else (self.state[0],)
        with np.errstate(all="ignore"):     # integers wrap and divide by zero in silence, as Numba's
            answer = self.function(*state, *self.bound.input_views(rows, row, n),
                                   *self.bound.output_views(out, at, room))
        if answer is not None:
            emitted = operator.index(answer)
        if emitted < 0 or emitted > room or (self.in_place and emitted != n):
            raise ValueError(f"it returned {emitted} as the number of its outputs for {n} of its inputs, "
                             f"{'as many' if self.in_place else f'at most {room}'} are right")
        return emitted

    cdef int64_t ask_of_all(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept with gil:
        try:
            return self.ask(rows, begin, n, out, 0 if self.in_place else out.n)
        except BaseException:
            return -1                       # told by `find_refused`

    cdef int32_t find_refused(self, Columns* rows, int32_t begin, int32_t n, Columns* out) noexcept with gil:
        """What ``fail`` returns, for the first tuple that the function refuses; the outputs of
        those before are in ``out``."""
        cdef int32_t row, held = out.n
        cdef int64_t emitted = held
        self.restore()
        for row in range(begin, begin + n):
            try:
                emitted += self.ask(rows, row, 1, out, row if self.in_place else emitted)
            except BaseException as error:
                return fail(out, row, self.reasons.keep(told(error), error))
            if not self.in_place:
                out.n = <int32_t>emitted
        if not self.in_place:
            out.n = held
        self.restore()
        try:
            self.ask(rows, begin, n, out, 0 if self.in_place else held)
            text, cause = "it failed", None
        except BaseException as error:
            text, cause = told(error), error
        return fail(out, begin, self.reasons.keep(
            f"{text}; so it is for {n} tuples together and for none of them alone, but a function has to give the same "
            "wherever the stream is cut", cause))
