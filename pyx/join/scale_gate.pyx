"""The abstract ScaleGate (paper 001, section IV-A); ``RingScaleGate`` and ``SkipListScaleGate`` implement it.

The order is by (timestamp, source, sequence), never by arrival. A tuple is *ready* when no source can add one before it
any more: each other source has added a later one, has sent a later heartbeat, or is closed. So a source that has not
written anything yet holds all readers up. Timestamps of a source must not fall; they are
below 2**63 - 1, the end of time.

A source is fed by one thread at a time, a reader is used by one thread at a time, and no thread waits for another: a
call that cannot go on says so. What a reader got is good until its next call.
"""

from libc.stdlib cimport calloc, free
from streambench.pyx.join.record cimport record_of
from streambench.pyx.machine.padded cimport delete_counters, new_counters

from streambench.pyx.tuples.errors import UnfitOptionError

MOST_CAPACITY = 1 << 30


cdef class ScaleGate:
    """Base of the gates.

    ``types``: for each source the types of its columns, as NumPy calls them; ``readers``: how many there are;
    ``capacity``: how many tuples of each source may wait for the slowest reader, rounded up to a power of two.
    """

    def __cinit__(self, types, int32_t readers=1, int64_t capacity=4096):
        cdef int32_t source
        if len(types) < 1 or readers < 1:
            raise UnfitOptionError(f"a gate needs at least one source and one reader, not {len(types)} and {readers}")
        if not 2 <= capacity <= MOST_CAPACITY:
            raise UnfitOptionError(f"a gate's capacity must be from 2 to {MOST_CAPACITY}, not {capacity}")
        self.sources, self.readers = <int32_t>len(types), readers
        self.capacity = 2
        while self.capacity < capacity:
            self.capacity *= 2
        self.records = <Record*>calloc(self.sources, sizeof(Record))
        if self.records is NULL:
            raise MemoryError()
        for source in range(self.sources):
            self.records[source] = record_of(tuple(types[source]))
        self.sides = new_source_sides(self.sources)
        self.passed = new_counters(<int64_t>self.sources * readers)

    def __dealloc__(self):
        free(self.records)
        delete_source_sides(self.sides)
        delete_counters(self.passed)

    cdef int32_t add(self, int32_t source, int64_t ts, const char* values) noexcept nogil:
        """Add a tuple; ADDED, or why it was refused: FULL, LATE or CLOSED."""
        return CLOSED

    cdef int64_t add_rows(self, int32_t source, const int64_t* ts, Columns* rows, int64_t begin,
                          int64_t n) noexcept nogil:
        """Add rows ``begin`` to ``begin`` + ``n`` - 1 of the source's columns, row i at time ``ts[i]``, in one go.

        Returns how many were added: all before the first that would be refused.
        """
        return 0

    cdef int32_t heartbeat(self, int32_t source, int64_t ts) noexcept nogil:
        """Promise that the source adds nothing earlier than ``ts`` any more; ADDED, LATE or CLOSED."""
        return CLOSED

    cdef int32_t close(self, int32_t source) noexcept nogil:
        """Promise that the source adds nothing any more; ADDED or CLOSED."""
        return CLOSED

    cdef int64_t next_ready(self, int32_t reader, Ready* ready, int64_t at_most) noexcept nogil:
        """The next tuples of the order; returns how many, 0 if none is ready, ENDED when there will be none.

        They stay in memory until the reader's next call, which may be one for none.
        """
        return ENDED

    cdef int32_t waits_for(self, int32_t reader) noexcept nogil:
        """For a reader that has just got less than it asked for: the source without which it cannot go on."""
        return 0

    cdef int64_t allocated(self) noexcept nogil:
        """Tuples for which there is memory, in use or not."""
        return 0
