"""The fast ScaleGate: a bounded ring for each source, and in each reader a merge by (timestamp, source, sequence).

No compare-and-swap: every word has one writer. A reader takes the first of the sources' next tuples; where it has read
all of a source, that source's time counts instead, and if that comes first the reader cannot go on. A ring's slots are
free again when the slowest reader has passed them; a source that finds none is told that the gate is full.

Both implementations give the same order. In this one a tuple is ready as soon as each *other* source has a later one.
"""

from libc.stdint cimport INT64_MAX
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.join.merge cimport Head, delete_merge, new_merge, play
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.record cimport pack_rows
from streambench.pyx.join.scale_gate cimport ADDED, CLOSED, ENDED, FULL, SourceSide
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.tuples.columns cimport Columns


cdef class RingScaleGate(ScaleGate):
    """See ``ScaleGate``."""

    def __cinit__(self, *args, **kwargs):
        cdef int32_t each, source
        cdef Head* head
        self.rings = new_rings(self.sources)
        for each in range(self.sources):
            self.rings[each].times = <int64_t*>malloc(self.capacity * sizeof(int64_t))
            self.rings[each].records = <char*>malloc(max(self.capacity * self.records[each].size, 1))
            if self.rings[each].times is NULL or self.rings[each].records is NULL:
                raise MemoryError()
        self.merges = <Merge**>calloc(self.readers, sizeof(Merge*))
        if self.merges is NULL:
            raise MemoryError()
        for each in range(self.readers):
            self.merges[each] = new_merge(self.sources)
            for source in range(self.sources):
                head = &self.merges[each].head[source]
                head.times, head.records = self.rings[source].times, self.rings[source].records
                head.size = self.records[source].size

    def __dealloc__(self):
        cdef int32_t each
        for each in range(self.sources if self.rings is not NULL else 0):
            free(self.rings[each].times)
            free(self.rings[each].records)
        delete_rings(self.rings)
        for each in range(self.readers if self.merges is not NULL else 0):
            delete_merge(self.merges[each])
        free(self.merges)

    cdef int32_t add(self, int32_t source, int64_t ts, const char* values) noexcept nogil:
        cdef SourceSide* own = &self.sides[source]
        cdef Ring* ring = &self.rings[source]
        cdef int64_t place = own.added & (self.capacity - 1), size = self.records[source].size
        cdef int32_t refused = self.refusal(source, ts)
        if refused != ADDED:
            return refused
        if self.room(source, 1) < 1:
            return FULL
        ring.times[place] = ts
        memcpy(ring.records + place * size, values, size)
        own.last = ts
        own.added += 1
        yield_point()
        ring.written.store(own.added, memory_order_release)     # publishes the slot: pairs with look
        return ADDED

    cdef int64_t add_rows(self, int32_t source, const int64_t* ts, Columns* rows, int64_t begin,
                          int64_t n) noexcept nogil:
        cdef SourceSide* own = &self.sides[source]
        cdef Ring* ring = &self.rings[source]
        cdef int64_t place = own.added & (self.capacity - 1), last = own.last, i, straight
        if own.closed:
            return 0
        n = min(n, self.room(source, n))
        straight = min(n, self.capacity - place)                # up to the ring's end
        for i in range(n):
            if ts[begin + i] < last:
                n = i
                break
            last = ts[begin + i]
            ring.times[place + i if i < straight else i - straight] = last
        straight = min(n, straight)
        pack_rows(&self.records[source], rows, begin, straight, ring.records + place * self.records[source].size)
        pack_rows(&self.records[source], rows, begin + straight, n - straight, ring.records)
        own.last = last
        own.added += n
        yield_point()
        ring.written.store(own.added, memory_order_release)     # publishes the slots: pairs with look
        return n

    cdef int32_t heartbeat(self, int32_t source, int64_t ts) noexcept nogil:
        cdef int32_t refused = self.refusal(source, ts)
        if refused == ADDED:
            self.sides[source].last = ts
            yield_point()
            self.rings[source].promised.store(ts, memory_order_release)     # pairs with look: and all before is written
        return refused

    cdef int32_t close(self, int32_t source) noexcept nogil:
        if self.sides[source].closed:
            return CLOSED
        self.sides[source].closed = True
        yield_point()
        self.rings[source].promised.store(INT64_MAX, memory_order_release)  # as a heartbeat
        return ADDED

    cdef bint look(self, Head* head, int32_t source, int64_t* key) noexcept nogil:
        """The reader has read all that it knew of a source: is there more, or a later
        promise? Then it has a new key."""
        cdef Ring* ring = &self.rings[source]
        # The promise first. Acquire pairs with its release: all that came before it is then seen to be written. The
        # other way round tuples could be added between the two looks, and the promise be taken to hold for them.
        cdef int64_t promised = ring.promised.load(memory_order_acquire)
        yield_point()
        cdef int64_t written = ring.written.load(memory_order_acquire)      # pairs with add: the slots are filled
        if written > head.limit:
            head.limit = written
            key[0] = head.times[head.next & (self.capacity - 1)]
            return True
        if promised > key[0]:
            key[0] = promised
            return True
        return False

    cdef void let_go(self, int32_t reader) noexcept nogil:
        """The reader has done with what it got."""
        cdef Merge* merge = self.merges[reader]
        cdef int64_t next
        cdef int32_t source
        for source in range(self.sources):
            next = merge.head[source].next
            # Only the reader writes it: what it loads is its own.
            if self.passed[reader * self.sources + source].value.load(memory_order_relaxed) != next:
                yield_point()
                # Release: what the slots held has been read. Pairs with room.
                self.passed[reader * self.sources + source].value.store(next, memory_order_release)

    cdef int64_t next_ready(self, int32_t reader, Ready* ready, int64_t at_most) noexcept nogil:
        cdef Merge* merge = self.merges[reader]
        cdef int64_t key = merge.first.key, n = 0, next, mask = self.capacity - 1
        cdef int32_t source = merge.first.source
        cdef Head* head
        self.let_go(reader)
        while n < at_most:
            head = &merge.head[source]
            next = head.next
            if next == head.limit:
                if key == INT64_MAX:
                    n = n if n > 0 else ENDED
                    break
                if not self.look(head, source, &key):
                    break
            else:
                ready[n].ts = key
                ready[n].sequence = next
                ready[n].values = head.records + (next & mask) * head.size
                ready[n].source = source
                n += 1
                next += 1
                head.next = next
                # Where it was the last one, nothing comes before it until a look says more: the key stays.
                if next < head.limit:
                    key = head.times[next & mask]
            play(merge, &key, &source)
        merge.first.key, merge.first.source = key, source
        return n

    cdef int32_t waits_for(self, int32_t reader) noexcept nogil:
        return self.merges[reader].first.source

    cdef int64_t allocated(self) noexcept nogil:
        return self.sources * self.capacity
