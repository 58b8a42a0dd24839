"""The design "fast": each thread counts its hot items by itself, and parts the others by hash, so that each
is counted in one small table in flat arrays. It keeps what paper 002 keeps by order invariance (lemma 4.1)
and cooperation (section 4.1).
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.topk.counter_table cimport CounterTable, append_counters, count_items
from streambench.pyx.topk.hand_over cimport (
    Lane, close_hand_over, count_lanes, hand_items, hand_often, hand_rests, open_hand_over, share_of,
)
from streambench.pyx.topk.hot_items cimport HOT, PIECE, forget, is_due, learn, set_aside
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.threads cimport pause_briefly
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    ROUNDS = 10_000                     # tries to take a lock that an update holds, for longer than a piece takes
    GAP = 100                           # pauses between two pieces, while somebody looks


cdef inline void pause(int32_t rounds) noexcept nogil:
    cdef int32_t k
    for k in range(rounds):
        pause_briefly()


cdef bint take_soon(Mutex* lock) noexcept nogil:
    """Whether the lock could be taken within a piece's time or so."""
    cdef int32_t round
    for round in range(ROUNDS):
        if lock.try_lock():
            return True
        pause_briefly()
    return False


cdef class FastSummary(Summary):
    """Space-Saving by hash partitions, one for each thread; with one thread, exactly that of algorithm 2.1.

    With several threads there are more counters than were asked for, as items are not spread evenly: ``counters`` says
    how many. ``simd``: the instructions used at most, 2 for AVX-512, 1 for AVX2, 0 for what every processor has; bounds
    hold with all. Raises ValueError for more than 268,435,456 counters in a partition.
    """

    def __init__(self, int64_t counters, int32_t threads=1, *, int32_t simd=2):
        cdef int32_t k
        super().__init__(counters, threads)
        self.locks = new_mutexes(threads)
        self.held = new_counters(threads)
        self.looks = new_counters(1)
        self.hot = <HotItems*>calloc(threads, sizeof(HotItems))
        if self.hot is NULL:
            raise MemoryError()
        open_hand_over(&self.all, counters, threads, simd)
        for k in range(threads):
            forget(&self.hot[k], self.all.tables[0].level)
        self.counters = share_of(counters, threads) * threads

    def __dealloc__(self):
        close_hand_over(&self.all)
        free(self.hot)
        delete_counters(self.held)
        delete_counters(self.looks)
        delete_mutexes(self.locks)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef HotItems* hot = &self.hot[thread]
        cdef Mutex* lock = &self.locks[thread]
        cdef int64_t piece, left
        cdef const uint64_t* rest
        lock.lock()                     # only a look takes another thread's, for as long as it takes to count its rests
        while n > 0:
            piece = left = min(n, <int64_t>PIECE)
            if is_due(hot, piece):
                self.count_hot(thread)
                learn(hot, items, piece)
            rest = set_aside(hot, items, &left)
            self.count(thread, rest, left)
            items += piece
            n -= piece
            if n > 0 and self.looks.value.load(memory_order_relaxed) > 0:       # a hint: late is soon enough
                lock.unlock()
                pause(GAP)              # or who runs takes a lock again before who waits for it has seen it free
                lock.lock()
        self.held[thread].value.store(self.held_by(thread), memory_order_release)       # pairs with look
        lock.unlock()

    cdef void count(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        if self.threads > 1:
            hand_items(&self.all, thread, items, n)
            return
        self.all.locks[0].lock()
        count_items(&self.all.tables[0], items, n)
        self.all.locks[0].unlock()

    cdef void count_hot(self, int32_t thread) noexcept nogil:
        """Count in what the thread has deferred; under its lock."""
        cdef HotItems* hot = &self.hot[thread]
        cdef int32_t k
        for k in range(HOT):
            if hot.count[k] > 0:
                hand_often(&self.all, hot.item[k], hot.count[k])
                hot.count[k] = 0

    cdef int64_t held_by(self, int32_t thread) noexcept nogil:
        cdef int64_t sum = 0
        cdef int32_t k
        for k in range(HOT):
            sum += self.hot[thread].count[k]
        for k in range(self.all.partitions):
            sum += self.all.lanes[thread * self.all.partitions + k].filled
        return sum

    cdef void look(self, Snapshot* out) noexcept nogil:
        """Count what threads hold back; what one holds that is in an update, and does not let go, is in flight."""
        cdef int32_t k
        cdef int64_t at = 0
        out.floor = out.n = out.in_flight = 0
        lengthen(out.counters, self.counters)           # before a lock is held: memory may be refused
        self.looks.value.fetch_add(1, memory_order_relaxed)
        for k in range(self.threads):
            if take_soon(&self.locks[k]):
                self.count_hot(k)
                hand_rests(&self.all, k)
                self.held[k].value.store(0, memory_order_release)
                self.locks[k].unlock()
            else:
                # Of updates that had returned, no more than this is left; the rest was
                # handed over before it was written.
                out.in_flight += self.held[k].value.load(memory_order_acquire)
            yield_point()
        for k in range(self.all.partitions):
            if not take_soon(&self.all.locks[k]):
                self.all.locks[k].lock()
            count_lanes(&self.all, k)
            append_counters(&self.all.tables[k], out, &at)
            self.all.locks[k].unlock()
        self.looks.value.fetch_sub(1, memory_order_relaxed)
        lengthen(out.counters, at)

    @property
    def nbytes(self) -> int:
        """Bytes that the summary holds, from its making on."""
        cdef int32_t k
        cdef size_t sum = self.all.bytes + self.threads * (sizeof(HotItems) + sizeof(Mutex) + sizeof(PaddedCounter))
        for k in range(self.all.partitions):
            sum += self.all.tables[k].bytes + sizeof(CounterTable) + sizeof(Mutex) + self.threads * sizeof(Lane)
        return sum
