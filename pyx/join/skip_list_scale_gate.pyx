"""The ScaleGate as published (paper 001, algorithm 2), with memory reclamation; the reference for the fast one.

A sorted list of tuples with shortcuts, into which sources insert by compare-and-swap. A reader walks along its lowest
level up to the first node that is its source's last. Line 53 of the algorithm is read with "and", line 64 with "or".
What the text leaves open, or the published code gets wrong, is settled so:

- The order is by timestamp and then by source, so equal timestamps do not lie as they arrived.
- Every source begins with a mark, a node that readers pass over, before all times: so ``written`` is never null, and
  one that has not written holds readers up. A heartbeat is a mark too, and closing is one at the end of time.
- Memory: each reader and each source says from which time on it looks at nodes; what is earlier than all of these is
  out of reach, since links only lead to later nodes. A source takes back its own nodes, so nobody contends for them,
  and a node is not used again while a compare-and-swap could mistake it for what it was. Nodes of one timestamp are
  kept until all have gone beyond it.

All atomics are sequentially consistent: it is a reference. So a store waits for its line, as an exchange does.
"""

from libc.stdint cimport INT64_MAX, INT64_MIN
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.record cimport pack
from streambench.pyx.join.scale_gate cimport ADDED, CLOSED, ENDED, FULL
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.tuples.columns cimport Columns

cdef enum:
    RECLAIM_EVERY = 64                  # insertions of a source


cdef inline bint precedes(Node* node, int64_t ts, int32_t source) noexcept nogil:
    """Does the node come before one that is added now? A source's own of the same time does: that is the sequence."""
    return node.ts < ts or (node.ts == ts and node.source <= source)


cdef class SkipListScaleGate(ScaleGate):
    """See ``ScaleGate``."""

    def __cinit__(self, *args, **kwargs):
        cdef int32_t each, level
        cdef Inserter* own
        self.sentinel = self.first_node(0)
        self.sentinel.ts, self.sentinel.source, self.sentinel.mark = INT64_MIN, -1, True
        for level in range(LEVELS):
            self.sentinel.next[level].store(NULL)
        self.heads = <Node**>calloc(self.readers, sizeof(Node*))
        self.counted = <int64_t*>calloc(<size_t>self.readers * self.sources, sizeof(int64_t))
        if self.heads is NULL or self.counted is NULL:
            raise MemoryError()
        for each in range(self.readers):
            self.heads[each] = self.sentinel
        self.begins = new_counters(self.readers + self.sources)
        for each in range(self.readers + self.sources):
            self.begins[each].value.store(INT64_MIN)
        self.inserters = new_inserters(self.sources)
        for each in range(self.sources):
            own = &self.inserters[each]
            own.oldest = own.newest = NULL
            own.free = self.first_node(self.records[each].size)
            own.free.newer = NULL
            own.nodes = 1
            own.random = <uint64_t>0x9E3779B97F4A7C15 * <uint64_t>(each + 1)
            for level in range(LEVELS):
                own.update[level] = self.sentinel
            self.insert(self.new_node(each, INT64_MIN, True))

    def __dealloc__(self):
        cdef int32_t each
        for each in range(self.sources if self.inserters is not NULL else 0):
            free_nodes(self.inserters[each].oldest)
            free_nodes(self.inserters[each].free)
        delete_inserters(self.inserters)
        delete_counters(self.begins)
        free(self.sentinel)
        free(self.heads)
        free(self.counted)

    cdef Node* first_node(self, int32_t size) except NULL:
        cdef void* memory = malloc(sizeof(Node) + size)
        if memory is NULL:
            raise MemoryError()
        return node_in(memory)

    cdef int32_t add(self, int32_t source, int64_t ts, const char* values) noexcept nogil:
        cdef int32_t refused = self.refusal(source, ts)
        if refused != ADDED:
            return refused
        if self.room(source, 1) < 1:
            return FULL
        cdef Node* node = self.new_node(source, ts, False)
        memcpy(node.values, values, self.records[source].size)
        self.insert(node)
        return ADDED

    cdef int64_t add_rows(self, int32_t source, const int64_t* ts, Columns* rows, int64_t begin,
                          int64_t n) noexcept nogil:
        cdef Node* node
        cdef int64_t i
        n = min(n, self.room(source, n))
        for i in range(n):
            if self.refusal(source, ts[begin + i]) != ADDED:
                return i
            node = self.new_node(source, ts[begin + i], False)
            pack(&self.records[source], rows, begin + i, node.values)
            self.insert(node)
        return n

    cdef int32_t heartbeat(self, int32_t source, int64_t ts) noexcept nogil:
        cdef int32_t refused = self.refusal(source, ts)
        if refused == ADDED:
            self.insert(self.new_node(source, ts, True))
        return refused

    cdef int32_t close(self, int32_t source) noexcept nogil:
        if self.sides[source].closed:
            return CLOSED
        self.insert(self.new_node(source, INT64_MAX, True))
        self.sides[source].closed = True
        self.begins[self.readers + source].value.store(INT64_MAX)       # it never looks again
        return ADDED

    cdef Node* new_node(self, int32_t source, int64_t ts, bint mark) noexcept nogil:
        """A node that is the source's alone until it is inserted; its values are to be written."""
        cdef Inserter* own = &self.inserters[source]
        cdef Node* node
        own.since_reclaimed += 1
        if own.free is NULL and own.since_reclaimed >= RECLAIM_EVERY:
            own.since_reclaimed = 0
            self.reclaim(source)
        if own.free is not NULL:
            node = own.free
            own.free = node.newer
        else:
            node = node_in(enlarge(NULL, sizeof(Node) + self.records[source].size))
            own.nodes += 1
        node.ts, node.source, node.mark = ts, source, mark
        node.sequence = self.sides[source].added
        node.newer = NULL
        return node

    cdef void insert(self, Node* node) noexcept nogil:
        """``addTuple``, lines 47 to 59."""
        cdef Inserter* own = &self.inserters[node.source]
        cdef int32_t level, levels = height(own)
        cdef Node* current = own.update[LEVELS - 1]
        cdef Node* next
        for level in range(LEVELS - 1, -1, -1):
            next = current.next[level].load()
            while next is not NULL and precedes(next, node.ts, node.source):
                current = next
                next = current.next[level].load()
            own.update[level] = current
        for level in range(levels):
            link(own.update[level], node, level)
            yield_point()
        own.written.store(node)
        self.sides[node.source].last = node.ts
        self.sides[node.source].added += not node.mark
        if own.newest is NULL:
            own.oldest = node
        else:
            own.newest.newer = node
        own.newest = node
        yield_point()
        self.begins[self.readers + node.source].value.store(own.update[LEVELS - 1].ts)

    cdef void reclaim(self, int32_t source) noexcept nogil:
        """Take back the source's nodes that nobody can come to any more."""
        cdef Inserter* own = &self.inserters[source]
        cdef int64_t earliest = INT64_MAX
        cdef int32_t each
        cdef Node* node
        for each in range(self.readers + self.sources):
            earliest = min(earliest, self.begins[each].value.load())
        while own.oldest.ts < earliest:             # the newest is not: the source itself begins no later
            node = own.oldest
            own.oldest = node.newer
            node.newer = own.free
            own.free = node

    cdef int64_t next_ready(self, int32_t reader, Ready* ready, int64_t at_most) noexcept nogil:
        """``getNextReadyTuple``, lines 39 to 44, for several."""
        cdef Node* head = self.heads[reader]
        cdef Node* node
        cdef int64_t* counted = self.counted + reader * self.sources
        cdef int64_t n = 0
        cdef int32_t source
        # What it got before may now be used again.
        for source in range(self.sources):
            if self.passed[reader * self.sources + source].value.load() != counted[source]:
                self.passed[reader * self.sources + source].value.store(counted[source])
        self.begins[reader].value.store(head.ts)
        while n < at_most:
            node = head.next[0].load()
            yield_point()
            if self.inserters[node.source].written.load() is node:
                if node.ts == INT64_MAX and n == 0:
                    n = ENDED               # every source's last node is at the end of time
                break
            head = node
            if not node.mark:
                ready[n].ts, ready[n].sequence, ready[n].values, ready[n].source = (
                    node.ts, node.sequence, node.values, node.source)
                counted[node.source] += 1
                n += 1
        self.heads[reader] = head
        return n

    cdef int32_t waits_for(self, int32_t reader) noexcept nogil:
        return self.heads[reader].next[0].load().source

    cdef int64_t allocated(self) noexcept nogil:
        cdef int64_t nodes = 0
        cdef int32_t source
        for source in range(self.sources):
            nodes += self.inserters[source].nodes
        return nodes


cdef inline void link(Node* node, Node* added, int32_t level) noexcept nogil:
    """``levelinsert``, lines 62 to 67: after ``node`` or one behind it."""
    cdef Node* next
    while True:
        next = node.next[level].load()
        if next is NULL or not precedes(next, added.ts, added.source):
            added.next[level].store(next)
            yield_point()
            if link_after(node, level, next, added):
                return
        else:
            node = next


cdef inline int32_t height(Inserter* own) noexcept nogil:
    """``getLevelHeight``: each level more is half as likely, up to all of them (xorshift)."""
    cdef int32_t levels = 1
    own.random ^= own.random << 13
    own.random ^= own.random >> 7
    own.random ^= own.random << 17
    while levels < LEVELS and (own.random >> levels) & 1:
        levels += 1
    return levels


cdef void free_nodes(Node* node) noexcept nogil:
    cdef Node* newer
    while node is not NULL:
        newer = node.newer
        free(node)
        node = newer
