"""Bounded queue with one producer at a time: every worklist of a pipeline is one, or is made of
some (paper 000, section 5).

Whoever sends for the reorder buffer upstream is the producer, so that a push needs no read-modify-write. A worklist
must have room for all that credit can let come, but tuple by tuple hardly any of it is in use, and going round a large
ring costs cache. So the ring is Chase and Lev's growing array (SPAA 2005): it starts at 8 items; when it is full, the
producer copies what is in it into one twice as long. Consumers may still be reading the old ring: it stays as it is,
and is freed with the queue. Each end remembers what it saw of the other one, and looks again only when that is used up.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release

cdef extern from *:
    """
    namespace streambench {
    // One item more than it holds: there stands the ring that it replaces, or 0.
    static int64_t new_ring(int logarithm) {
        void* memory = ::operator new(((size_t(1) << logarithm) + 1) * 8, std::align_val_t(64));
        return int64_t(new (memory) std::atomic<int64_t>[(size_t(1) << logarithm) + 1]()) | logarithm;
    }
    static void delete_ring(int64_t ring) { ::operator delete((void*)ring_items(ring), std::align_val_t(64)); }
    }
    """
    int64_t first_ring "streambench::new_ring"(int logarithm) except +
    int64_t new_ring "streambench::new_ring"(int logarithm) noexcept nogil         # in a worker, see `memory`
    void delete_ring "streambench::delete_ring"(int64_t ring) noexcept nogil
    GrowingQueue* new_growing_queues "streambench::new_growing_queues"(int64_t n) except +
    void delete_growing_queues "streambench::delete_growing_queues"(GrowingQueue* queues) noexcept nogil

cdef enum:
    LOGARITHM = 3           # of the length at first: one cache line


cdef GrowingQueue* new_queues(int64_t n, int64_t capacity) except NULL:
    """``n`` queues for up to ``capacity`` (rounded up to a power of two) items each.

    Raises ValueError for a capacity below 1.
    """
    cdef GrowingQueue* queues
    cdef int64_t most = 1, k
    cdef int logarithm = 0
    if capacity < 1:
        raise ValueError(f"a queue needs a capacity of at least 1, not {capacity}")
    while most < capacity:
        most *= 2
    while logarithm < LOGARITHM and (<int64_t>1 << logarithm) < most:
        logarithm += 1
    queues = new_growing_queues(n)
    try:
        for k in range(n):
            queues[k].most = most
            use_ring(&queues[k], first_ring(logarithm), 0)
    except MemoryError:
        delete_queues(queues, n)        # a ring that is not there is 0
        raise
    return queues


cdef void use_ring(GrowingQueue* queue, int64_t ring, int64_t tail) noexcept nogil:
    queue.items = ring_items(ring)
    queue.mask = ring_length(ring) - 1
    queue.room_until = tail + ring_length(ring)
    queue.ring.store(ring, memory_order_release)        # before any item that only it holds; pairs with slot's users


cdef void delete_queues(GrowingQueue* queues, int64_t n) noexcept nogil:
    cdef int64_t k, ring, replaced
    if queues is NULL:
        return
    for k in range(n):
        ring = queues[k].ring.load(memory_order_relaxed)
        while ring != 0:
            replaced = ring_items(ring)[ring_length(ring)].load(memory_order_relaxed)
            delete_ring(ring)
            ring = replaced
    delete_growing_queues(queues)


cdef bint make_room(GrowingQueue* queue, int64_t head) noexcept nogil:
    """For the producer, to whom the ring seems full: look again, then grow. False when the queue really is."""
    cdef int64_t ring = queue.ring.load(memory_order_relaxed), longer, position
    cdef int64_t tail = queue.tail.load(memory_order_acquire)       # pairs with the consumers' release
    queue.room_until = tail + ring_length(ring)
    if head < queue.room_until:
        return True
    if ring_length(ring) >= queue.most:
        return False
    longer = new_ring(<int>(ring & 63) + 1)
    ring_items(longer)[ring_length(longer)].store(ring, memory_order_relaxed)
    for position in range(tail, head):
        slot(longer, position).store(slot(ring, position).load(memory_order_relaxed), memory_order_relaxed)
    yield_point()
    use_ring(queue, longer, tail)
    return True


cdef class QueueOfIntegers:
    """A queue of integers on :c:struct:`GrowingQueue`, for tests and for Python."""

    cdef GrowingQueue* queue

    def __cinit__(self, int64_t capacity):
        self.queue = new_queues(1, capacity)

    def __dealloc__(self):
        delete_queues(self.queue, 1)

    @property
    def length(self) -> int:
        """How many items fit before the ring has to grow again."""
        return self.queue.mask + 1

    def push(self, int64_t item) -> bool:
        """Append an item; False when the queue is full."""
        return push(self.queue, item)

    def pop(self, bint shared=False):
        """Take the oldest item, as one of many workers or as the only one; None when the queue is empty."""
        cdef int64_t item = 0
        return item if (pop_shared(self.queue, &item) if shared else pop_alone(self.queue, &item)) else None
