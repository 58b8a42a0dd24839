"""The first stage: it admits the stream, and after it the state that operators flush."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.engine.end_of_stream cimport EndOfStream
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.schemes.stage cimport Stage, Tally
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef class SourceStage(Stage):
    cdef Ingress ingress
    cdef void* stages[MAX_OPERATORS]            # by number, borrowed: this one and those behind it
    cdef EndOfStream end                        # of these stages' operators; written under the ingress lock
    cdef bint open(self) noexcept nogil
    cdef bint has_work(self, int64_t arrived) noexcept nogil
    cdef bint can_flush(self, int32_t number) noexcept nogil
    cdef int64_t admit_one(self, Tally* tally) noexcept nogil
    cdef Unit* flush_one(self, int32_t number) noexcept nogil
