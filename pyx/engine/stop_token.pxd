"""How workers are asked to return, and where those sleep that have nothing to do."""

from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport Parking

cdef enum:
    # What becomes of the stream, see `StopToken.ending`.
    LASTS
    FLUSHED                             # it ends here: operators give what they hold
    CUT                                 # it ends here, and what operators hold is not its output

cdef class StopToken:
    cdef PaddedCounter* stopped         # 1: every worker shall return, and no further unit may reach a sink
    cdef Parking* parking               # where the workers sleep: who stops them wakes them
    cdef PaddedCounter* ending          # relaxed: it says only that nothing more need be admitted
    cdef void stop(self) noexcept nogil
