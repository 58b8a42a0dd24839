"""How threads hand items over to partitions: see ``hand_over.pxd``.

A thread writes an item straight into a block of its lane to the item's partition. It counts its own partition's blocks itself,
and then those that others have handed to it. Where a lane of another partition is full, that one's own thread may be slow or in
no update at all: the thread takes the lock and counts the partition's blocks in its place.
"""

from libc.math cimport ceil, sqrt
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.heavy_hitters.counter_table cimport close_table, count_item, count_items, hash_of_item, open_table
from streambench.pyx.machine.huge_pages cimport map_pages_under_the_gil, unmap_pages
from streambench.pyx.heavy_hitters.summary_work cimport COMMON, COUNTING, DIVIDING
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, hold, new_mutexes, release_hold, try_hold
from streambench.pyx.machine.simulated cimport (
    A_PAUSE, APPLY, BLOCK, begin_piece, end_piece, fetch, look, post, spent,
)
from streambench.pyx.machine.threads cimport pause_briefly
from streambench.pyx.machine.yield_points cimport yield_point

import numpy as np

cdef enum:
    ITEMS_AHEAD = 4096                  # in blocks that a thread fills at a time, for all partitions
    LEAST_BLOCK = 64
    MOST_THREADS = 1024                 # each has a lane to each partition
    ROUNDS = 200                        # looks at a lock that another holds, before a sleep

cdef uint64_t PARTING = 0x9FB21C651E98DF25      # seeds: what parts items shall say nothing of their buckets
cdef uint64_t PLACING = 0x2545F4914F6CDD1D


cdef int64_t share_of(int64_t counters, int32_t partitions) noexcept nogil:
    """Counters of a partition: three standard deviations above its part, should every counter have an item of its own."""
    return <int64_t>ceil(<double>counters / partitions + 3.0 * sqrt(<double>counters * (partitions - 1)) / partitions)


cdef int open_hand_over(HandOver* all, int64_t counters, int32_t threads, int32_t level) except -1:
    """For this many threads and partitions, which share the counters. Raises MemoryError, ValueError as ``open_table`` does."""
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


cdef void count_block(HandOver* all, int32_t partition, const uint64_t* items, int64_t n) noexcept nogil:
    begin_piece(APPLY, COUNTING, n)
    count_items(&all.tables[partition], items, n)
    end_piece(APPLY, COUNTING, n)


cdef void count_lanes(HandOver* all, int32_t partition, int32_t by) noexcept nogil:
    """Count what has been handed to the partition, whose lock is held; ``by``: the thread that does so."""
    cdef Lane* lane
    cdef int64_t counted, handed
    cdef int32_t thread
    for thread in range(all.threads):
        lane = &all.lanes[thread * all.partitions + partition]
        look(BLOCK, &lane.handed)
        counted = lane.counted.load(memory_order_relaxed)       # written by the lock's holders only
        handed = lane.handed.load(memory_order_acquire)         # pairs with hand_block; once: its thread may be the faster
        while counted < handed:
            if thread != by:
                fetch(all.block * <int64_t>sizeof(uint64_t))
            count_block(all, partition, block_of(all, lane, counted), all.block)
            counted += 1
            yield_point()
            post(BLOCK, &lane.counted)
            lane.counted.store(counted, memory_order_release)           # pairs with is_full


cdef inline bint is_full(const Lane* lane) noexcept nogil:
    """Whether there is no block to fill; the lane's thread asks."""
    look(BLOCK, &lane.counted)
    return lane.handed.load(memory_order_relaxed) - lane.counted.load(memory_order_acquire) == BLOCKS


cdef void make_room(HandOver* all, Lane* lane, int32_t thread, int32_t partition) noexcept nogil:
    """Return when the lane is not full: who holds the partition's lock is counting, or else it is done here."""
    cdef Mutex* lock = &all.locks[partition]
    cdef int32_t round = 0
    while is_full(lane):
        yield_point()
        if round < ROUNDS and not try_hold(lock, COMMON):
            round += 1
            if not spent(A_PAUSE):
                pause_briefly()
            continue
        if round == ROUNDS:
            hold(lock, COMMON)          # the holder may have lost the processor: let it have this one
        count_lanes(all, partition, thread)
        release_hold(lock, COMMON)


cdef void hand_block(HandOver* all, int32_t thread, int32_t partition) noexcept nogil:
    """The block that the thread has filled is counted, by this thread or another."""
    cdef Lane* lane = &all.lanes[thread * all.partitions + partition]
    cdef Mutex* lock = &all.locks[partition]
    lane.filled = 0
    yield_point()
    if partition == thread and try_hold(lock, COMMON):
        count_block(all, partition, lane.begun, all.block)
        count_lanes(all, partition, thread)
        release_hold(lock, COMMON)
        return
    post(BLOCK, &lane.handed)
    lane.handed.store(lane.handed.load(memory_order_relaxed) + 1, memory_order_release)         # pairs with count_lanes
    yield_point()
    make_room(all, lane, thread, partition)
    lane.begun = block_of(all, lane, lane.handed.load(memory_order_relaxed))


cdef void hand_items(HandOver* all, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
    """Part the items by partition, and hand over the blocks that this fills; under the thread's lock."""
    cdef int64_t k, told = 0
    cdef int32_t partition
    cdef Lane* lane
    begin_piece(APPLY, DIVIDING, -1)
    if all.partitions == 2:
        hand_two(all, thread, items, n)
        return
    for k in range(n):
        partition = partition_of(all, items[k])
        lane = &all.lanes[thread * all.partitions + partition]
        lane.begun[lane.filled] = items[k]
        lane.filled += 1
        if lane.filled == all.block:
            end_piece(APPLY, DIVIDING, k + 1 - told)
            hand_block(all, thread, partition)
            begin_piece(APPLY, DIVIDING, -1)
            told = k + 1
    end_piece(APPLY, DIVIDING, n - told)


cdef void hand_two(HandOver* all, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
    """The same for two partitions: an item is written to both blocks, and stays in one. No item waits for the one before."""
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
        end_piece(APPLY, DIVIDING, run)
        if first == all.block:
            hand_block(all, thread, 0)
        if second == all.block:
            hand_block(all, thread, 1)
        begin_piece(APPLY, DIVIDING, -1)
        items += run
        n -= run


cdef void hand_often(HandOver* all, uint64_t item, int64_t times) noexcept nogil:
    """Count the item so many times."""
    cdef int32_t partition = partition_of(all, item)
    hold(&all.locks[partition], COMMON)
    count_item(&all.tables[partition], item, times)
    release_hold(&all.locks[partition], COMMON)


cdef void hand_rests(HandOver* all, int32_t thread) noexcept nogil:
    """Count what is in the blocks that the thread has begun; under the thread's lock."""
    cdef int32_t partition
    cdef Lane* lane
    for partition in range(all.partitions):
        lane = &all.lanes[thread * all.partitions + partition]
        if lane.filled > 0:
            yield_point()
            hold(&all.locks[partition], COMMON)
            count_block(all, partition, lane.begun, lane.filled)
            release_hold(&all.locks[partition], COMMON)
            lane.filled = 0


def partitions_of(const uint64_t[::1] items, int32_t threads):
    """By item, in which partition of so many the design "fast" counts it."""
    cdef HandOver all
    cdef int64_t k
    all.partitions = threads
    found = np.empty(items.shape[0], np.int32)
    cdef int32_t[::1] to = found
    for k in range(items.shape[0]):
        to[k] = partition_of(&all, items[k])
    return found
