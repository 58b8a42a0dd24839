"""The scan tier: the window's codes lie in columns, and several probes go over them in one pass."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.join.ready_batch cimport Probes
from streambench.pyx.join.tier cimport Tier

cdef extern from "scan_codes.h" nogil:
    enum:
        SLOTS_AT_ONCE "streambench::SLOTS_AT_ONCE"
        PROBES_AT_ONCE "streambench::PROBES_AT_ONCE"

    cppclass CodeProbes "streambench::CodeProbes"[C]:
        C low[2][8]
        C reach[2]

    int32_t scan_codes "streambench::scan_codes"[C](int32_t level, const C* x, const C* y, int32_t n,
                                                    const CodeProbes[C]& probes, int32_t count, uint32_t* hits) noexcept
    int32_t scan_level "streambench::scan_level"() noexcept

cdef enum:
    MOST_PASSES = 32                    # MOST_READY // PROBES_AT_ONCE
    PIECE = 2048                        # slots that all probes of a batch pass while they are in the nearest cache

cdef struct Ring:                       # the codes of one side's stored tuples, by their number modulo the slots
    void* column[2]                     # of each filter
    int64_t mask

cdef struct Pass:                       # up to eight probes
    int32_t begin
    int32_t n
    int64_t first                       # they are compared with stored tuples from here
    int64_t last                        # to before here
    CodeProbes[uint32_t] codes
    CodeProbes[uint8_t] narrow

cdef class ScanTier(Tier):
    cdef int32_t level
    cdef bint narrow                    # codes of 8 bits, else of 32
    cdef Ring ring[2]                   # by side
    cdef size_t bytes[2]
    cdef Pass passes[MOST_PASSES]
    cdef vector[uint32_t] hits
    cdef int64_t stored_before(self, int64_t row) noexcept nogil
    cdef int64_t row_of(self, int64_t stored) noexcept nogil
    cdef void store(self, int32_t side, Probes* rows) noexcept nogil
    cdef void probe(self, int32_t side, Probes* probes) noexcept nogil
    cdef int32_t prepare(self, int32_t side, Probes* probes) noexcept nogil
    cdef void scan(self, int32_t side, Probes* probes, Pass* each, int64_t stored, int32_t n) noexcept nogil
    cdef void compare_all(self, int32_t side, Probes* probes) noexcept nogil
