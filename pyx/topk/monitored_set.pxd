"""The Monitored Set that threads share (paper 002, section 4.3): search structure, list of
buckets, each thread's own part.

What of it the designs "cooperative" and "shared" have in common: they differ in how a thread
gets an element or a bucket.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.atomic cimport (
    atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from libcpp.vector cimport vector
from streambench.pyx.topk.element cimport Element
from streambench.pyx.topk.frequency_bucket cimport Bucket, is_marked
from streambench.pyx.topk.number_pool cimport NumberPool, OwnNumbers, give
from streambench.pyx.topk.operation_times cimport OperationTimes, add_seconds, no_seconds
from streambench.pyx.topk.search_structure cimport SearchStructure
from streambench.pyx.topk.summary cimport Snapshot
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.yield_points cimport yield_point

cdef extern from "hands.h":
    # A thread's own; who asks for statistics or a snapshot reads what is atomic.
    cppclass Hand "streambench::Hand" nogil:
        atomic[int64_t] taken           # items of its streams
        atomic[int64_t] counted         # items that it has put into counts, its own and others'
        atomic[int64_t] delegated       # requests left in the search structure,
        atomic[int64_t] left            # and in queues of buckets,
        atomic[int64_t] depths          # the sum of these queues' sizes,
        atomic[int64_t] deepest         # and the largest one
        atomic[int64_t] slept           # times
        OwnNumbers elements
        OwnNumbers buckets
        vector[Bucket*] unattended      # buckets in whose queue it left a request while nobody owned them
        int64_t marked                  # buckets, since its last sweep
        int64_t sweep_at                # and when the next one is due
        uint32_t depth                  # the largest queue that it left a request in since it last slept
        OperationTimes times

cdef struct MonitoredSet:
    SearchStructure table
    Bucket* buckets
    NumberPool* spare_buckets
    Hand* hands
    int64_t counters
    int32_t threads
    PaddedCounter* minimum              # a bucket's number, below a version that each change raises
    PaddedCounter* reserved             # counters that are promised to items, and
    PaddedCounter* placed               # that have got one
    # Of Lossy Counting:
    PaddedCounter* rounds               # that have ended
    uint32_t round_end                  # the element whose request removes what is infrequent; 0 in Space-Saving

cdef int begin_monitored_set(
    MonitoredSet* set, int64_t counters, int64_t in_flight, int32_t threads, int64_t usual
) except -1
cdef void reserve_round_end(MonitoredSet* set) noexcept nogil
cdef void end_monitored_set(MonitoredSet* set) noexcept nogil
cdef bint reserve(MonitoredSet* set) noexcept nogil
cdef void restock(MonitoredSet* set, Hand* me, Bucket* owned) noexcept nogil
cdef void sweep(MonitoredSet* set, Hand* me) noexcept nogil
cdef int64_t lowest(MonitoredSet* set) noexcept nogil
cdef void look_at(MonitoredSet* set, Snapshot* out) noexcept nogil
cdef int64_t size_of(MonitoredSet* set) noexcept nogil

cdef inline dict in_seconds(Hand* hands, int32_t n):
    """Time by operation, summed over threads."""
    cdef int32_t k
    seconds = no_seconds()
    for k in range(n):
        add_seconds(seconds, &hands[k].times)
    return seconds

cdef inline void add_to(atomic[int64_t]* own_counter, int64_t n) noexcept nogil:
    """To a counter that no other thread writes. Release: who reads it sees what was counted before."""
    own_counter.store(own_counter.load(memory_order_relaxed) + n, memory_order_release)

cdef inline void increment(Hand* me, Element* element, int64_t n) noexcept nogil:
    """For the element's owner, before a bucket moves it on: a query sees the count from now on."""
    element.count.store(element.count.load(memory_order_relaxed) + n, memory_order_release)
    add_to(&me.counted, n)

cdef inline void overwrite(Hand* me, Element* element, int64_t frequency) noexcept nogil:
    """For the element's owner: it takes over a counter of this frequency."""
    element.error.store(frequency, memory_order_release)
    element.count.store(frequency + element.increment, memory_order_release)
    add_to(&me.counted, element.increment)
    element.increment = 0

cdef inline void enlist(MonitoredSet* set, Bucket* bucket, uint32_t number) noexcept nogil:
    """For the bucket's owner, as the next one: put the element at the end of its list."""
    cdef Element* element = &set.table.elements[number]
    element.previous, element.next = bucket.last, 0
    if bucket.last:
        set.table.elements[bucket.last].next = number
    else:
        bucket.first = number
    bucket.last = number

cdef inline void unlist(MonitoredSet* set, Bucket* bucket, Element* element) noexcept nogil:
    if element.previous:
        set.table.elements[element.previous].next = element.next
    else:
        bucket.first = element.next
    if element.next:
        set.table.elements[element.next].previous = element.previous
    else:
        bucket.last = element.previous

cdef inline uint32_t number_of(MonitoredSet* set, Bucket* bucket) noexcept nogil:
    return <uint32_t>(bucket - set.buckets)

cdef inline Bucket* minimum_bucket(MonitoredSet* set, Hand* me, uint64_t* word) noexcept nogil:
    """The bucket of the lowest frequency, and its word; marked ones before it are removed (Invariant 4.11)."""
    cdef int64_t minimum, after
    cdef Bucket* bucket
    cdef Bucket* next
    minimum = set.minimum.value.load(memory_order_acquire)
    while True:
        bucket = &set.buckets[<uint32_t>minimum]
        word[0] = bucket.word.load(memory_order_acquire)
        if not is_marked(word[0]):
            return bucket
        # What follows a marked bucket does not change. If the bucket is used again, the version is another by now.
        next = bucket.next.load(memory_order_acquire)
        if next is NULL:
            minimum = set.minimum.value.load(memory_order_acquire)
            continue
        after = (((minimum >> 32) + 1) << 32) | number_of(set, next)
        yield_point()
        if set.minimum.value.compare_exchange_strong(minimum, after, memory_order_acq_rel, memory_order_acquire):
            give(set.spare_buckets, &me.buckets, number_of(set, bucket))
            minimum = after

cdef inline void put_before_minimum(MonitoredSet* set, Bucket* fresh) noexcept nogil:
    """For the owner of the minimum, which is not marked: so nobody else changes which one is it."""
    cdef int64_t minimum = set.minimum.value.load(memory_order_relaxed)
    set.minimum.value.store((((minimum >> 32) + 1) << 32) | number_of(set, fresh), memory_order_release)

cdef inline bint is_minimum(MonitoredSet* set, Bucket* bucket) noexcept nogil:
    """For the bucket's owner: nobody else can put one before it."""
    return <uint32_t>set.minimum.value.load(memory_order_acquire) == number_of(set, bucket)

cdef inline Bucket* next_bucket(MonitoredSet* set, Hand* me, Bucket* bucket) noexcept nogil:
    """For the bucket's owner: the next one, after those that are marked have been removed (Invariant 4.11)."""
    cdef Bucket* first = bucket.next.load(memory_order_acquire)
    cdef Bucket* after = first
    cdef Bucket* removed
    while after is not NULL:
        if not is_marked(after.word.load(memory_order_acquire)):
            break
        after = after.next.load(memory_order_acquire)
    if after is not first:
        yield_point()
        bucket.next.store(after, memory_order_release)
        while first is not after:
            removed, first = first, first.next.load(memory_order_relaxed)
            give(set.spare_buckets, &me.buckets, number_of(set, removed))
    return after
