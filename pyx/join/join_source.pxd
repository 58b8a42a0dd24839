"""A join as a source."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.ready_batch cimport Batch, Cursor
from streambench.pyx.join.tier cimport Match, Tier
from streambench.pyx.tuples.layout cimport MAX_COLUMNS
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.unit cimport Unit

cdef enum:                              # what `match_batch` says
    MATCHED
    NOTHING_YET                         # a stream that is waited for has nothing just now
    ENDED

cdef class JoinSource(Source):
    cdef Definition definition
    cdef object make_tier
    cdef tuple arrays
    cdef const char* data[MAX_COLUMNS]  # by emitted column: of its side's row 0; of the time none
    cdef int32_t side[MAX_COLUMNS]
    # All below is guarded as `claim` is.
    cdef Tier tier
    cdef Cursor cursor
    cdef int32_t batch                  # tuples of the next batch
    cdef int32_t most                   # and of any
    cdef double widest                  # rows of the larger window
    cdef vector[Match] matches          # of the last batch
    cdef int64_t matched                # the position with which that batch began
    cdef int64_t given                  # of its matches, units have so many
    cdef int begin(self) except -1
    cdef void give(self, Unit* unit, int64_t at_most) noexcept nogil
    cdef int32_t match_batch(self) noexcept nogil
    cdef void match(self, Batch* batch) noexcept nogil
    cdef void expect(self, double matches) noexcept nogil
    cdef void gather_pairs(self, Unit* unit, int64_t begin, int64_t n) noexcept nogil
