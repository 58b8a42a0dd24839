"""The ScaleGate (paper 001, section IV-A): ordered sources add tuples, and every reader gets all
of them in one total order."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_acquire
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.record cimport Record
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.tuples.columns cimport Columns

cdef enum:                              # what became of a tuple or of a heartbeat
    ADDED
    FULL                                # no room: again, once the slowest reader has moved on
    LATE                                # earlier than the source's last tuple or heartbeat
    CLOSED                              # the source has been closed

cdef enum:
    ENDED = -1                          # `next_ready`: all sources are closed, and the reader has had everything

cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    // What only the source touches; apart from other sources'. Cython cannot align a struct.
    struct alignas(128) ScaleGateSourceSide {
        int64_t last = INT64_MIN;       // no tuple or heartbeat of an earlier time comes any more
        int64_t added = 0;
        int64_t passed = 0;             // of these the slowest reader has, as far as is known, done with so many
        bool closed = false;
    };
    inline ScaleGateSourceSide* new_gate_source_sides(int64_t n) { return new ScaleGateSourceSide[n]; }
    inline void delete_gate_source_sides(ScaleGateSourceSide* sides) { delete[] sides; }
    }
    """
    cppclass SourceSide "streambench::ScaleGateSourceSide" nogil:
        int64_t last
        int64_t added
        int64_t passed
        bint closed

    SourceSide* new_source_sides "streambench::new_gate_source_sides"(int64_t n) except +
    void delete_source_sides "streambench::delete_gate_source_sides"(SourceSide* sides) noexcept nogil

cdef class ScaleGate:
    cdef readonly int32_t sources
    cdef readonly int32_t readers
    cdef readonly int64_t capacity      # tuples of a source that may wait for the slowest reader, a power of two
    cdef Record* records                # a source's tuples
    cdef SourceSide* sides
    cdef PaddedCounter* passed          # [reader * sources + source]: tuples that the reader has done
                                        # with; it alone writes
    cdef int32_t add(self, int32_t source, int64_t ts, const char* values) noexcept nogil
    cdef int64_t add_rows(self, int32_t source, const int64_t* ts, Columns* rows, int64_t begin,
                          int64_t n) noexcept nogil
    cdef int32_t heartbeat(self, int32_t source, int64_t ts) noexcept nogil
    cdef int32_t close(self, int32_t source) noexcept nogil
    cdef int64_t next_ready(self, int32_t reader, Ready* ready, int64_t at_most) noexcept nogil
    cdef int32_t waits_for(self, int32_t reader) noexcept nogil
    cdef int64_t allocated(self) noexcept nogil

    cdef inline int64_t room(self, int32_t source, int64_t wanted) noexcept nogil:
        """For the source: how many tuples it may add now; fewer than ``wanted`` only if there is room for no more."""
        cdef SourceSide* own = &self.sides[source]
        cdef int64_t slowest
        cdef int32_t reader
        if own.passed + self.capacity - own.added < wanted:
            slowest = own.added
            for reader in range(self.readers):
                # Acquire pairs with the reader's release: it has read what is about to be overwritten.
                slowest = min(slowest, self.passed[reader * self.sources + source].value.load(memory_order_acquire))
            own.passed = slowest
        return own.passed + self.capacity - own.added

    cdef inline int32_t refusal(self, int32_t source, int64_t ts) noexcept nogil:
        """Why a tuple or heartbeat of this time is refused; ADDED where it is not."""
        cdef SourceSide* own = &self.sides[source]
        if own.closed:
            return CLOSED
        return LATE if ts < own.last else ADDED
