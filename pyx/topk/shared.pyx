"""The shared design (paper 002, section 3.2): one Stream-Summary, a lock for each element and
for each bucket, taken in turn.

The structures are those of "cooperative", so that the two differ in nothing but this: who finds an element or a bucket
taken waits for it. A thread locks its item's element, then the element's bucket, then the next bucket, which is of a
higher frequency: so there is an order, and no deadlock. Of the minimum's elements one is overwritten that nobody has
locked. Look-ups take no lock.

A lock is a bit of a word that is there anyway: to take it is one compare-and-exchange, to give it back one store.
Who waits looks a few times, then leaves the core to others: a lock is held for some tens of nanoseconds, and a
sleeping mutex's system call, which the paper's threads pay for, takes longer than that. With more threads than cores
it is the holder who has to run.

Compiled with STREAMBENCH_BLOCKING=1 it is the design "shared-blocking": a thread takes a mutex of the system's, as the
paper's threads do, before the bit, and so sleeps until the lock's holder is done. The bit is then free, but for the
moment that a bucket takes whose marked ones `sweep` removes.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.topk.element cimport REQUESTS, Element, delete_idle
from streambench.pyx.topk.frequency_bucket cimport OWNED, TOP, Bucket, is_marked
from streambench.pyx.topk.monitored_set cimport (
    Hand, enlist, increment, is_minimum, minimum_bucket, next_bucket, number_of, overwrite, put_before_minimum, reserve,
    restock, size_of, sweep, unlist,
)
from streambench.pyx.topk.monitored_summary cimport MonitoredSummary
from streambench.pyx.topk.number_pool cimport ever_taken, take
from streambench.pyx.topk.operation_times cimport (
    BUCKET_SYNCHRONISATION, ELEMENT_SYNCHRONISATION, HASH, REST, SUMMARY, begin, operate,
)
from streambench.pyx.topk.search_structure cimport find, insert, spare, take_out
from streambench.pyx.machine.huge_pages cimport reserve_pages, unmap_pages
from streambench.pyx.machine.mutexes cimport Mutex
from streambench.pyx.machine.threads cimport pause_briefly, yield_core
from streambench.pyx.machine.yield_points cimport yield_point

cdef extern from *:
    """
    #ifndef STREAMBENCH_BLOCKING
    #define STREAMBENCH_BLOCKING 0
    #endif
    """
    bint BLOCKING "STREAMBENCH_BLOCKING"

cdef enum:
    PATIENCE = 64                       # looks at a lock before the core is left to another


cdef inline void wait(int* looks) noexcept nogil:
    looks[0] += 1
    if looks[0] < PATIENCE:
        pause_briefly()
    else:
        yield_core()


cdef inline bint acquire_element(Element* element, uint64_t seen) noexcept nogil:
    """False where the element, seen with this word, has been deleted since."""
    cdef uint64_t free = seen >> 32 << 32
    cdef int looks = 0
    while not (seen ^ free) & ~<uint64_t>REQUESTS:
        yield_point()
        seen = free
        if element.pending.compare_exchange_weak(seen, free | 1, memory_order_acq_rel, memory_order_acquire):
            return True
        if seen != free:
            wait(&looks)
    return False


cdef inline void release_element(Element* element) noexcept nogil:
    element.pending.store(element.pending.load(memory_order_relaxed) >> 32 << 32, memory_order_release)


cdef inline bint acquire_bucket(Bucket* bucket) noexcept nogil:
    """False where the bucket is marked."""
    cdef uint64_t word = bucket.word.load(memory_order_acquire)
    cdef int looks = 0
    while not is_marked(word):
        yield_point()
        if not word & OWNED and bucket.word.compare_exchange_weak(
            word, word | OWNED, memory_order_acq_rel, memory_order_acquire
        ):
            return True
        if word & OWNED:
            wait(&looks)
            word = bucket.word.load(memory_order_acquire)
    return False


cdef inline void release_bucket(Bucket* bucket, bint mark) noexcept nogil:
    cdef uint64_t word = bucket.word.load(memory_order_relaxed)
    yield_point()
    bucket.word.store(word | TOP if mark else word & ~<uint64_t>OWNED, memory_order_release)


cdef Mutex* new_unlocked(uint32_t n) except NULL:
    """Mutexes from number 1 on, which take memory when they are first used: one of zeros is unlocked in glibc."""
    return <Mutex*>reserve_pages(sizeof(Mutex) * (<size_t>n + 1))


cdef inline void delete_unlocked(Mutex* mutexes, uint32_t n) noexcept nogil:
    if mutexes is not NULL:
        unmap_pages(mutexes, sizeof(Mutex) * (<size_t>n + 1))


@cython.final
cdef class Shared(MonitoredSummary):
    """See the module. Raises what ``Summary`` does."""

    cdef Mutex* of_elements             # by number, as `of_buckets`; NULL unless BLOCKING
    cdef Mutex* of_buckets

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads, counters, threads)
        if BLOCKING:
            self.of_elements = new_unlocked(self.set.table.spare.n)
            self.of_buckets = new_unlocked(self.set.spare_buckets.n)

    def __dealloc__(self):              # before the base's
        if BLOCKING and self.set.spare_buckets is not NULL:
            delete_unlocked(self.of_elements, self.set.table.spare.n)
            delete_unlocked(self.of_buckets, self.set.spare_buckets.n)

    @property
    def nbytes(self) -> int:
        """Memory that it holds: it grows with the most elements and buckets that have been in use at a time."""
        cdef int64_t locks = ever_taken(self.set.table.spare) + ever_taken(self.set.spare_buckets)
        return size_of(&self.set) + (sizeof(Mutex) * locks if BLOCKING else 0)

    cdef inline bint lock_element(self, uint32_t number, uint64_t seen) noexcept nogil:
        """False where the element, seen with this word, has been deleted since."""
        if BLOCKING:
            self.of_elements[number].lock()
        if acquire_element(&self.set.table.elements[number], seen):
            return True
        if BLOCKING:
            self.of_elements[number].unlock()
        return False

    cdef inline void unlock_element(self, uint32_t number) noexcept nogil:
        release_element(&self.set.table.elements[number])
        if BLOCKING:
            self.of_elements[number].unlock()

    cdef inline bint lock_bucket(self, Bucket* bucket) noexcept nogil:
        """False where the bucket is marked."""
        if BLOCKING:
            self.of_buckets[number_of(&self.set, bucket)].lock()
        if acquire_bucket(bucket):
            return True
        if BLOCKING:
            self.of_buckets[number_of(&self.set, bucket)].unlock()
        return False

    cdef inline void unlock_bucket(self, Bucket* bucket, bint mark=False) noexcept nogil:
        release_bucket(bucket, mark)
        if BLOCKING:
            self.of_buckets[number_of(&self.set, bucket)].unlock()

    cdef inline void await_element(self, uint32_t number, int* looks) noexcept nogil:
        """For who has locked one that is in no bucket yet: until one that was in a bucket, and locked, is unlocked.

        Whoever has locked that one by now, and waits like this, has begun to wait later: so nobody waits for himself.
        """
        if BLOCKING:
            self.of_elements[number].lock()
            self.of_elements[number].unlock()
        else:
            wait(looks)

    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t k
        begin(&me.times)
        for k in range(n):
            self.count(me, items[k])
        operate(&me.times, REST)

    cdef void count(self, Hand* me, uint64_t item) noexcept nogil:
        """One item, under its element's lock."""
        cdef uint64_t word = 0
        cdef uint32_t number, fresh
        while True:
            operate(&me.times, HASH)
            number = find(&self.set.table, item, &word)
            if number == 0:
                fresh = spare(&self.set.table, &me.elements)
                if BLOCKING:
                    self.of_elements[fresh].lock()      # before others find it
                number = insert(&self.set.table, &me.elements, fresh, item, &word)
                if word == 0:
                    self.monitor(me, &self.set.table.elements[number], number)
                    break
                if BLOCKING:
                    self.of_elements[fresh].unlock()
            operate(&me.times, ELEMENT_SYNCHRONISATION)
            if self.lock_element(number, word):
                self.increment_counter(me, &self.set.table.elements[number], number)
                break
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        self.unlock_element(number)
        operate(&me.times, REST)
        if me.marked >= me.sweep_at:
            sweep(&self.set, me)

    cdef void increment_counter(self, Hand* me, Element* element, uint32_t number) noexcept nogil:
        """IncrementCounter: from its bucket, which is not marked since the element is in it, to the next one."""
        cdef Bucket* bucket = element.bucket
        operate(&me.times, BUCKET_SYNCHRONISATION)
        self.lock_bucket(bucket)
        operate(&me.times, SUMMARY)
        unlist(&self.set, bucket, element)
        increment(me, element, 1)
        self.put_behind(me, bucket, element, number)

    cdef void monitor(self, Hand* me, Element* element, uint32_t number) noexcept nogil:
        """AddElement or Overwrite, in the minimum's bucket."""
        cdef uint64_t word = 0
        cdef Bucket* bucket
        cdef bint is_new = reserve(&self.set)
        cdef bint done = False
        cdef int looks = 0
        cdef uint32_t busy
        element.increment = 1
        if is_new:
            increment(me, element, 1)
        while not done:
            operate(&me.times, SUMMARY)
            bucket = minimum_bucket(&self.set, me, &word)
            operate(&me.times, BUCKET_SYNCHRONISATION)
            if not self.lock_bucket(bucket):
                continue
            operate(&me.times, SUMMARY)
            if not is_minimum(&self.set, bucket):
                self.unlock_bucket(bucket)
            elif is_new:
                self.add_element(me, bucket, element, number)
                done = True
            elif self.delete_idle_one(me, bucket):
                overwrite(me, element, bucket.frequency.load(memory_order_relaxed))
                self.put_behind(me, bucket, element, number)
                done = True
            else:
                operate(&me.times, BUCKET_SYNCHRONISATION)
                busy = bucket.first
                self.unlock_bucket(bucket)      # those who wait for it have the elements
                self.await_element(busy, &looks)
        if is_new:
            self.set.placed.value.fetch_add(1, memory_order_release)

    cdef void add_element(self, Hand* me, Bucket* bucket, Element* element, uint32_t number) noexcept nogil:
        """An element of frequency 1, into the locked minimum, behind it or before it; unlocks it."""
        cdef int64_t frequency = bucket.frequency.load(memory_order_relaxed)
        cdef Bucket* fresh
        if frequency == 0:
            self.put_behind(me, bucket, element, number)
            return
        if frequency == 1:
            element.bucket = bucket
            enlist(&self.set, bucket, number)
        else:
            fresh = self.furnished(me, bucket, bucket, element, number)
            put_before_minimum(&self.set, fresh)
        operate(&me.times, BUCKET_SYNCHRONISATION)
        self.unlock_bucket(bucket)

    cdef bint delete_idle_one(self, Hand* me, Bucket* bucket) noexcept nogil:
        """Delete an element of the locked bucket that nobody has locked; False where there is none."""
        cdef uint32_t number = bucket.first, last = bucket.last
        while number:
            unlist(&self.set, bucket, &self.set.table.elements[number])
            if delete_idle(&self.set.table.elements[number]):
                operate(&me.times, HASH)
                take_out(&self.set.table, &me.elements, number)
                operate(&me.times, SUMMARY)
                return True
            enlist(&self.set, bucket, number)
            number = bucket.first if number != last else 0
        return False

    cdef void put_behind(self, Hand* me, Bucket* bucket, Element* element, uint32_t number) noexcept nogil:
        """Put the element, of one more than the locked bucket's frequency, into the next one;
        and unlock or mark this one."""
        cdef Bucket* after
        cdef bint done = False
        while not done:
            if me.buckets.n == 0:
                restock(&self.set, me, bucket)  # before one looks for the next bucket: that one could be removed here
            after = next_bucket(&self.set, me, bucket)
            if after is NULL or after.frequency.load(memory_order_relaxed) > element.count.load(memory_order_relaxed):
                bucket.next.store(self.furnished(me, bucket, after, element, number), memory_order_release)
                done = True
            else:
                operate(&me.times, BUCKET_SYNCHRONISATION)
                if self.lock_bucket(after):             # else it has been marked meanwhile
                    operate(&me.times, SUMMARY)
                    element.bucket = after
                    enlist(&self.set, after, number)
                    operate(&me.times, BUCKET_SYNCHRONISATION)
                    self.unlock_bucket(after)
                    done = True
                operate(&me.times, SUMMARY)
        operate(&me.times, BUCKET_SYNCHRONISATION)
        me.marked += bucket.first == 0
        self.unlock_bucket(bucket, bucket.first == 0)   # it is not the last one

    cdef Bucket* furnished(self, Hand* me, Bucket* locked, Bucket* after, Element* element,
                           uint32_t number) noexcept nogil:
        """A bucket of the element's own, which others find once it is linked."""
        cdef Bucket* fresh
        if me.buckets.n == 0:
            restock(&self.set, me, locked)
        fresh = &self.set.buckets[take(self.set.spare_buckets, &me.buckets)]
        fresh.frequency.store(element.count.load(memory_order_relaxed), memory_order_release)
        fresh.next.store(after, memory_order_release)
        fresh.first = fresh.last = 0
        element.bucket = fresh
        enlist(&self.set, fresh, number)
        fresh.word.store(((fresh.word.load(memory_order_relaxed) >> 32) + 1) << 32, memory_order_release)
        return fresh
