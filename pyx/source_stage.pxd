"""The first stage: it admits the stream, and after it the state that operators flush."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.stage cimport Stage, Tally
from streambench.pyx.unit cimport MAX_OPERATORS, Unit

cdef class SourceStage(Stage):
    cdef Ingress ingress
    cdef void* flushed[MAX_OPERATORS]           # the stages behind, in order, whose operators may hold state
    cdef int32_t n_flushed
    # -1: the stream; k: flushing stage k. Written under the ingress lock; a look without it is a guess, hence relaxed.
    cdef PaddedCounter* phase
    cdef bint open(self) noexcept nogil
    cdef bint has_work(self, int64_t arrived) noexcept nogil
    cdef bint can_flush(self, Stage stage) noexcept nogil
    cdef int64_t admit_one(self, Tally* tally) noexcept nogil
    cdef Unit* flush_one(self, Stage stage) noexcept nogil
