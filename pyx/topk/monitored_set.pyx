"""Beginning and end of a Monitored Set that threads share, its removal of buckets in large,
and its answers to queries."""

from streambench.pyx.topk.element cimport DELETED
from streambench.pyx.topk.frequency_bucket cimport OWNED, TOP
from streambench.pyx.topk.number_pool cimport (
    BATCH, NumberLinks, delete_number_pool, ever_taken, new_number_pool, take,
)
from streambench.pyx.topk.search_structure cimport Chain, begin_search_structure, end_search_structure
from streambench.pyx.topk.snapshot_rows cimport keep_largest
from streambench.pyx.topk.summary cimport Counter
from streambench.pyx.machine.huge_pages cimport reserve_pages, unmap_pages
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.threads cimport yield_core

cdef extern from *:
    Hand* new_hands "streambench::new_hands"(int64_t n) except +
    void delete_hands "streambench::delete_hands"(Hand* all) noexcept nogil

cdef enum:
    SWEEP_AFTER = 256               # buckets that a thread has marked, at least


cdef int begin_monitored_set(
    MonitoredSet* set, int64_t counters, int64_t in_flight, int32_t threads, int64_t usual
) except -1:
    """``in_flight``: items that may be on their way into it; ``usual``: items in it and on their way, usually.

    ``set`` is all zeros, and is to be ended, come what may. What is large are addresses, which take memory
    when they are first used. Raises ValueError where there are more elements than numbers, MemoryError
    where the system refuses them.
    """
    # Not marked: a bucket for each element and each owner. As many again may be marked, or in threads' hands.
    cdef int64_t most = 2 * (counters + threads) + threads * (2 * BATCH + 1) + SWEEP_AFTER
    set.counters, set.threads = counters, threads
    begin_search_structure(&set.table, counters, in_flight, threads, usual)
    set.spare_buckets = new_number_pool(<uint32_t>most)
    set.buckets = <Bucket*>reserve_pages(sizeof(Bucket) * (<size_t>most + 1))
    set.hands = new_hands(threads)
    set.minimum, set.reserved, set.placed, set.rounds = (
        new_counters(1), new_counters(1), new_counters(1), new_counters(1))
    # The list begins with an empty bucket of frequency 0, so that there always is one: the last one is never removed.
    set.minimum.value.store(take(set.spare_buckets, &set.hands[0].buckets))
    return 0


cdef void reserve_round_end(MonitoredSet* set) noexcept nogil:
    """Set an element aside for requests to remove what is infrequent; in no chain, and with a count of 0,
    so that no query sees it."""
    set.round_end = take(set.table.spare, &set.hands[0].elements)
    set.table.elements[set.round_end].pending.store(0)


cdef void end_monitored_set(MonitoredSet* set) noexcept nogil:
    end_search_structure(&set.table)
    if set.buckets is not NULL:
        unmap_pages(set.buckets, sizeof(Bucket) * (<size_t>set.spare_buckets.n + 1))
    if set.spare_buckets is not NULL:
        delete_number_pool(set.spare_buckets)
    delete_hands(set.hands)
    delete_counters(set.minimum)
    delete_counters(set.reserved)
    delete_counters(set.placed)
    delete_counters(set.rounds)


cdef int64_t size_of(MonitoredSet* set) noexcept nogil:
    """Bytes that have been touched, but for the rest of a page; chains as if all had."""
    cdef int64_t elements = ever_taken(set.table.spare), buckets = ever_taken(set.spare_buckets)
    return (
        sizeof(Element) * elements + sizeof(Bucket) * buckets + sizeof(NumberLinks) * (elements + buckets)
        + sizeof(Chain) * set.table.n + sizeof(Hand) * set.threads
    )


cdef bint reserve(MonitoredSet* set) noexcept nogil:
    """Whether there is a counter left, which is the caller's now. If not: when all are in their places (acquire).

    Waits once in a summary's life, and for threads within an update only.
    """
    if (
        set.reserved.value.load(memory_order_relaxed) < set.counters
        and set.reserved.value.fetch_add(1, memory_order_relaxed) < set.counters
    ):
        return True
    while set.placed.value.load(memory_order_acquire) < set.counters:
        yield_core()
    return False


cdef void restock(MonitoredSet* set, Hand* me, Bucket* owned) noexcept nogil:
    """Have a new bucket at hand. Where all are in use or marked, marked ones are removed, also
    behind the one that is owned."""
    cdef uint32_t number = take(set.spare_buckets, &me.buckets)
    while number == 0:
        next_bucket(set, me, owned)
        sweep(set, me)
        if me.buckets.n == 0:
            yield_core()
        number = take(set.spare_buckets, &me.buckets)
    give(set.spare_buckets, &me.buckets, number)


cdef void sweep(MonitoredSet* set, Hand* me) noexcept nogil:
    """Remove marked buckets along the list: those behind a bucket whose elements hardly ever come.

    Never waits, so it may own another bucket meanwhile. A bucket whose queue waits for a thread that has no new bucket
    either is passed like any other: else two such threads would wait for each other. Ends where somebody else owns a
    bucket with marked ones behind it: that one removes them, and a reader who goes on could go round in circles.
    """
    cdef uint64_t word = 0
    cdef Bucket* bucket = minimum_bucket(set, me, &word)
    cdef Bucket* after
    cdef int64_t buckets = 0
    while buckets <= set.spare_buckets.n:
        buckets += 1
        after = bucket.next.load(memory_order_acquire)
        if after is NULL:
            break
        if is_marked(after.word.load(memory_order_acquire)):
            word = bucket.word.load(memory_order_acquire)
            if word & OWNED or not bucket.word.compare_exchange_strong(
                word, word | OWNED, memory_order_acq_rel, memory_order_relaxed
            ):
                break
            after = next_bucket(set, me, bucket)
            # Given up with what has come into its queue, which is seen to later.
            if bucket.word.fetch_and(~<uint64_t>OWNED, memory_order_acq_rel) & TOP:
                append(me.unattended, bucket)
            if after is NULL:
                break
        bucket = after
    me.marked, me.sweep_at = 0, max(<int64_t>SWEEP_AFTER, buckets)


cdef int64_t lowest(MonitoredSet* set) noexcept nogil:
    """The lowest frequency. It never falls once all counters are in use."""
    cdef int64_t minimum, frequency, steps
    cdef Bucket* bucket
    while True:
        minimum = set.minimum.value.load(memory_order_acquire)
        bucket = &set.buckets[<uint32_t>minimum]
        steps = 0                       # behind a bucket that has been removed it could go round in circles
        while steps <= set.spare_buckets.n and bucket is not NULL and is_marked(bucket.word.load(memory_order_acquire)):
            bucket = bucket.next.load(memory_order_acquire)
            steps += 1
        if steps > set.spare_buckets.n or bucket is NULL:
            continue
        frequency = bucket.frequency.load(memory_order_acquire)
        yield_point()
        if set.minimum.value.load(memory_order_acquire) == minimum:
            return frequency


cdef void look_at(MonitoredSet* set, Snapshot* out) noexcept nogil:
    cdef int64_t k, items = 0
    cdef uint32_t number
    cdef uint64_t word
    cdef Element* element
    cdef Counter row
    out.counters.clear()
    out.n = 0
    for k in range(set.threads):
        out.n += set.hands[k].counted.load(memory_order_acquire)     # pairs with `add_to`
    for k in range(set.threads):
        items += set.hands[k].taken.load(memory_order_acquire)
    out.in_flight = items - out.n
    for number in range(1, ever_taken(set.table.spare) + 1):
        element = &set.table.elements[number]
        word = element.pending.load(memory_order_acquire)
        row.count = element.count.load(memory_order_acquire)
        row.error = element.error.load(memory_order_acquire)
        row.item = element.item.load(memory_order_acquire)
        # All three belong to one version, or are left out: then the item has been overwritten, at the floor or below.
        if row.count > 0 and not word & DELETED and (element.pending.load(memory_order_acquire) ^ word) < DELETED:
            append(out.counters, row)
    out.floor = lowest(set) if set.placed.value.load(memory_order_acquire) >= set.counters else 0
    keep_largest(out, set.counters)
