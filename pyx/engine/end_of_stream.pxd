"""What operators still hold when the stream has ended."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef class EndOfStream:
    cdef void* holders[MAX_OPERATORS]           # operators that may hold state, in order; borrowed
    cdef int32_t places[MAX_OPERATORS]          # of these
    cdef int32_t n
    cdef object source                          # whose error says that the stream has not come to its end
    cdef StopToken token                        # None: nobody ends the stream early
    # -1: the stream lasts; k: holder k is to be flushed; n: all have been. Written by one worker at a time, who has
    # admission to itself; a look by others is a guess, hence relaxed.
    cdef PaddedCounter* phase
    cdef bint flushing                          # the present holder has begun to emit
    cdef bint cut                               # once begun: operators hold what is not flushed
    cdef void begin(self) noexcept nogil
    cdef bint has_failed(self) noexcept with gil
    cdef bint flush(self, Unit* unit, int64_t at_most) noexcept nogil

    cdef inline bint begun(self) noexcept nogil:
        return self.phase.value.load(memory_order_relaxed) >= 0

    cdef inline int32_t place(self) noexcept nogil:
        """Once begun: of the operator that is to be flushed; 0 where there is none left, for that is the source's."""
        cdef int64_t phase = self.phase.value.load(memory_order_relaxed)
        return self.places[phase] if phase < self.n else 0
