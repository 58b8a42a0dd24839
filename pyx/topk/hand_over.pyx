"""How threads hand items over to partitions: see ``hand_over.pxd``.

A thread writes an item straight into a block of its lane to the item's partition. It counts its own partition's blocks
itself, and then those that others have handed to it. Where a lane of another partition is full, that one's own thread
may be slow or in no update at all: the thread takes the lock and counts the partition's blocks in its place.
"""

from libc.math cimport ceil, sqrt
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.topk.counter_table cimport close_table, count_item, count_items, hash_of_item, open_table
from streambench.pyx.machine.huge_pages cimport map_pages_under_the_gil, unmap_pages
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes
from streambench.pyx.machine.threads cimport pause_briefly
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    ITEMS_AHEAD = 4096                  # in blocks that a thread fills at a time, for all partitions
    LEAST_BLOCK = 64
    MOST_THREADS = 1024                 # each has a lane to each partition
    ROUNDS = 200                        # looks at a lock that another holds, before a sleep

cdef uint64_t PARTING = 0x9FB21C651E98DF25      # seeds: what parts items shall say nothing of their buckets
cdef uint64_t PLACING = 0x2545F4914F6CDD1D


cdef int64_t share_of(int64_t counters, int32_t partitions) noexcept nogil:
    """Counters of a partition: three standard deviations above its part, should every
    counter have an item of its own."""
    return <int64_t>ceil(<double>counters / partitions + 3.0 * sqrt(<double>counters * (partitions - 1)) / partitions)


cdef int open_hand_over(HandOver* all, int64_t counters, int32_t threads, int32_t level) except -1:
    """For this many threads and partitions, which share the counters. Raises MemoryError,
    ValueError as ``open_table`` does."""
    cdef int64_t k, lanes = <int64_t>threads * threads, lane
    if threads > MOST_THREADS:
        raise ValueError(f"the design 'fast' has up to {MOST_THREADS} threads, not {threads}")
    all.threads = all.partitions = threads
    all.block = max(<int64_t>LEAST_BLOCK, <int64_t>ITEMS_AHEAD // threads)
    all.locks = new_mutexes(threads)
    all.tables = <CounterTable*>calloc(threads, sizeof(CounterTable))
    all.lanes = new_lanes(lanes)
    if all.tables is NULL:
        raise MemoryError()
    for k in range(threads):
        open_table(&all.tables[k], share_of(counters, threads), PLACING, level)
    if threads > 1:
        lane = BLOCKS * all.block
        all.bytes = lanes * lane * sizeof(uint64_t)
        all.memory = map_pages_under_the_gil(all.bytes)
        for k in range(lanes):
            all.lanes[k].items = all.lanes[k].begun = <uint64_t*>all.memory + k * lane
    return 0


cdef void close_hand_over(HandOver* all) noexcept nogil:
    cdef int64_t k
    if all.tables is not NULL:
        for k in range(all.partitions):
            close_table(&all.tables[k])
    free(all.tables)
    if all.memory is not NULL:
        unmap_pages(all.memory, all.bytes)
    delete_lanes(all.lanes)
    delete_mutexes(all.locks)


cdef inline int32_t partition_of(const HandOver* all, uint64_t item) noexcept nogil:
    return <int32_t>((hash_of_item(item, PARTING) >> 32) * <uint64_t>all.partitions >> 32)


cdef inline uint64_t* block_of(const HandOver* all, const Lane* lane, int64_t number) noexcept nogil:
    return lane.items + (number % BLOCKS) * all.block


cdef void count_lanes(HandOver* all, int32_t partition) noexcept nogil:
    """Count what has been handed to the partition, whose lock is held."""
    cdef Lane* lane
    cdef int64_t counted, handed
    cdef int32_t thread
    for thread in range(all.threads):
        lane = &all.lanes[thread * all.partitions + partition]
        counted = lane.counted.load(memory_order_relaxed)       # written by the lock's holders only
        handed = lane.handed.load(memory_order_acquire)  # pairs with hand_block; once: its thread may be the faster
        while counted < handed:
            count_items(&all.tables[partition], block_of(all, lane, counted), all.block)
            counted += 1
            yield_point()
            lane.counted.store(counted, memory_order_release)           # pairs with is_full


cdef inline bint is_full(const Lane* lane) noexcept nogil:
    """Whether there is no block to fill; the lane's thread asks."""
    return lane.handed.load(memory_order_relaxed) - lane.counted.load(memory_order_acquire) == BLOCKS


cdef void make_room(HandOver* all, Lane* lane, int32_t partition) noexcept nogil:
    """Return when the lane is not full: who holds the partition's lock is counting, or else it is done here."""
    cdef Mutex* lock = &all.locks[partition]
    cdef int32_t round = 0
    while is_full(lane):
        yield_point()
        if round < ROUNDS and not lock.try_lock():
            round += 1
            pause_briefly()
            continue
        if round == ROUNDS:
            lock.lock()                 # the holder may have lost the processor: let it have this one
        count_lanes(all, partition)
        lock.unlock()


cdef void hand_block(HandOver* all, int32_t thread, int32_t partition) noexcept nogil:
    """The block that the thread has filled is counted, by this thread or another."""
    cdef Lane* lane = &all.lanes[thread * all.partitions + partition]
    cdef Mutex* lock = &all.locks[partition]
    lane.filled = 0
    yield_point()
    if partition == thread and lock.try_lock():
        count_items(&all.tables[partition], lane.begun, all.block)
        count_lanes(all, partition)
        lock.unlock()
        return
    lane.handed.store(lane.handed.load(memory_order_relaxed) + 1, memory_order_release)         # pairs with count_lanes
    yield_point()
    make_room(all, lane, partition)
    lane.begun = block_of(all, lane, lane.handed.load(memory_order_relaxed))


cdef void hand_items(HandOver* all, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
    """Part the items by partition, and hand over the blocks that this fills; under the thread's lock."""
    cdef int64_t k
    cdef int32_t partition
    cdef Lane* lane
    if all.partitions == 2:
        hand_two(all, thread, items, n)
        return
    for k in range(n):
        partition = partition_of(all, items[k])
        lane = &all.lanes[thread * all.partitions + partition]
        lane.begun[lane.filled] = items[k]
        lane.filled += 1
        if lane.filled == all.block:
            hand_block(all, thread, partition)


cdef void hand_two(HandOver* all, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
    """The same for two partitions: an item is written to both blocks, and stays in one. No item
    waits for the one before."""
    cdef Lane* lane = &all.lanes[2 * thread]
    cdef int64_t k, run, first, second
    cdef uint64_t* to_first
    cdef uint64_t* to_second
    cdef int32_t other
    while n > 0:
        first, second = lane[0].filled, lane[1].filled
        to_first, to_second = lane[0].begun, lane[1].begun
        run = min(n, all.block - max(first, second))
        for k in range(run):
            other = partition_of(all, items[k])
            to_first[first] = to_second[second] = items[k]
            first += 1 - other
            second += other
        lane[0].filled, lane[1].filled = first, second
        if first == all.block:
            hand_block(all, thread, 0)
        if second == all.block:
            hand_block(all, thread, 1)
        items += run
        n -= run


cdef void hand_often(HandOver* all, uint64_t item, int64_t times) noexcept nogil:
    """Count the item so many times."""
    cdef int32_t partition = partition_of(all, item)
    all.locks[partition].lock()
    count_item(&all.tables[partition], item, times)
    all.locks[partition].unlock()


cdef void hand_rests(HandOver* all, int32_t thread) noexcept nogil:
    """Count what is in the blocks that the thread has begun; under the thread's lock."""
    cdef int32_t partition
    cdef Lane* lane
    for partition in range(all.partitions):
        lane = &all.lanes[thread * all.partitions + partition]
        if lane.filled > 0:
            yield_point()
            all.locks[partition].lock()
            count_items(&all.tables[partition], lane.begun, lane.filled)
            all.locks[partition].unlock()
            lane.filled = 0
