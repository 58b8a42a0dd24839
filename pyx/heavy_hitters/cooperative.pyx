"""Space-Saving by thread cooperation (paper 002, section 4): who finds an element or a bucket owned leaves its request to the owner.

An item goes through the search structure: its element is owned by whoever's request is the first (Invariant 4.6), so that one thread
at a time has it in the Stream Summary (Boundary Invariant 4.2). There the element is its own request. Where the paper leaves the
details to a technical report, they are settled so:

- A thread owns one bucket at most (Principle 4.2). What it moves to another bucket it leaves in that one's queue, while it still
  owns its own: an element on its way lies in a queue, and a bucket with a queue is not removed. So nothing that is on its way has
  a lower count than the minimum. If nobody owns the other bucket, the thread sees to it once it has given up its own; whoever
  owns it earlier does the request too (Fulfillment Guarantee 4.1).
- Overwrite requests that find all elements of the minimum busy stay with the bucket. Each busy element has a request that has to
  come to this bucket, since an element of a bucket gets idle only while the bucket is owned; whoever does that one tries again.
- The minimum is a number with a version. Only its owner puts a bucket before it; once it is marked, anybody may move it on.
- No Overwrite before all counters are in use: none could be lower than the minimum later on, so no error is above N / counters.
- A query reads the elements, not the buckets: an element is never out of its place, while one on its way is in no bucket.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.heavy_hitters.element cimport DELETED, REQUESTS, Element, delete_idle, own, relinquish
from streambench.pyx.heavy_hitters.frequency_bucket cimport (
    OWNED, TOP, Bucket, Requests, delete_buckets, is_marked, leave_bucket, new_buckets, own_bucket,
)
from streambench.pyx.heavy_hitters.number_pool cimport (
    BATCH, NumberPool, OwnNumbers, delete_number_pool, ever_taken, give, new_number_pool, take,
)
from streambench.pyx.heavy_hitters.operation_times cimport (
    BUCKET_SYNCHRONISATION, ELEMENT_SYNCHRONISATION, HASH, QUEUE, REST, SUMMARY, OperationTimes, begin, delete_times,
    in_seconds, new_times, operate,
)
from streambench.pyx.heavy_hitters.request_queue cimport REFUSED, UNATTENDED, leave, prepend, single, take_queue
from streambench.pyx.heavy_hitters.search_structure cimport (
    SearchStructure, delete_search_structure, find, insert, new_search_structure, take_out,
)
from streambench.pyx.heavy_hitters.snapshot_rows cimport keep_largest
from streambench.pyx.heavy_hitters.summary cimport Counter, Snapshot, Summary
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.threads cimport sleep_ns, yield_core
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    IN_FLIGHT = 1 << 14             # items on their way into the monitored set at most: then who brings another one waits
    BLOCK = 64                      # items that a thread says to have taken at a time
    SLICE = 50_000                  # ns that a throttled thread sleeps
    SWEEP_AFTER = 256               # buckets that a thread has marked, at least

cdef extern from *:
    """
    namespace streambench {
    struct alignas(128) Cooperator {
        std::atomic<int64_t> taken{0};
        std::atomic<int64_t> counted{0};
        std::atomic<int64_t> delegated{0}, left{0}, depths{0}, deepest{0}, slept{0};
        OwnNumbers elements, buckets;
        std::vector<Bucket*> unattended;
        int64_t marked{0}, sweep_at{0};
        bool throttled{false};
    };
    inline Cooperator* new_cooperators(int64_t n) { return new Cooperator[n]; }
    inline void delete_cooperators(Cooperator* all) { delete[] all; }
    }
    """
    # A thread's own; who asks for statistics or a snapshot reads what is atomic.
    cppclass Cooperator "streambench::Cooperator" nogil:
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
        int64_t marked                  # since its last sweep
        int64_t sweep_at
        bint throttled
    Cooperator* new_cooperators "streambench::new_cooperators"(int64_t n) except +
    void delete_cooperators "streambench::delete_cooperators"(Cooperator* all) noexcept nogil


cdef inline void add_to(atomic[int64_t]* own_counter, int64_t n) noexcept nogil:
    """To a counter that no other thread writes. Release: who reads it sees what was counted before."""
    own_counter.store(own_counter.load(memory_order_relaxed) + n, memory_order_release)


@cython.final
cdef class Cooperative(Summary):
    """See the module. ``rho``: a thread that leaves a request in a queue of more than so many sleeps a little (auto-tuning, section
    4.3.3; the paper's is 500), 0 for never. Raises ValueError where it is negative, and as ``Summary`` does.
    """

    cdef readonly int64_t rho
    cdef SearchStructure table
    cdef Bucket* buckets
    cdef NumberPool* spare_buckets
    cdef Cooperator* cooperators
    cdef OperationTimes* times
    cdef PaddedCounter* minimum         # a bucket's number, below a version that each change raises
    cdef PaddedCounter* reserved        # counters that are promised to items, and
    cdef PaddedCounter* placed          # that have got one

    def __init__(self, int64_t counters, int32_t threads=1, int64_t rho=0):
        cdef int64_t most
        super().__init__(counters, threads)
        if rho < 0:
            raise ValueError(f"rho is a queue's size from which on threads sleep, or 0 for never, not {rho}")
        self.rho = rho
        self.table = new_search_structure(counters, IN_FLIGHT, threads)
        # Not marked: one for each element and each owner. As many again may be marked or in threads' hands.
        most = 2 * (counters + threads) + threads * (2 * BATCH + 1) + SWEEP_AFTER
        self.spare_buckets = new_number_pool(<uint32_t>most)
        self.buckets = new_buckets(most + 1)
        self.cooperators = new_cooperators(threads)
        self.times = new_times(threads)
        self.minimum, self.reserved, self.placed = new_counters(1), new_counters(1), new_counters(1)
        # The list begins with an empty bucket of frequency 0, so that there always is one: the last one is never removed.
        cdef uint32_t first = take(self.spare_buckets, &self.cooperators[0].buckets)
        self.buckets[first].word.store(0)
        self.minimum.value.store(first)

    def __dealloc__(self):
        if self.placed is not NULL:
            delete_search_structure(&self.table)
            delete_number_pool(self.spare_buckets)
            delete_buckets(self.buckets)
            delete_cooperators(self.cooperators)
            delete_times(self.times)
            delete_counters(self.minimum)
            delete_counters(self.reserved)
            delete_counters(self.placed)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef Cooperator* me = &self.cooperators[thread]
        cdef OperationTimes* times = &self.times[thread]
        cdef int64_t at = 0, end
        begin(times)
        while at < n:
            end = min(at + BLOCK, n)
            add_to(&me.taken, end - at)
            while at < end:
                self.count(me, times, items[at])
                at += 1
        operate(times, REST)

    cdef void count(self, Cooperator* me, OperationTimes* times, uint64_t item) noexcept nogil:
        """One item: into its element, and from there into the Stream Summary unless another thread owns it."""
        cdef uint64_t word = 0
        cdef uint32_t number
        cdef Element* element
        cdef bint delegated = False
        while True:
            operate(times, HASH)
            number = find(&self.table, item, &word)
            if number == 0:
                number = insert(&self.table, &me.elements, item, &word)
                if word == 0:
                    self.monitor(me, times, number)
                    break
            operate(times, ELEMENT_SYNCHRONISATION)
            element = &self.table.elements[number]
            if own(element, &word, &delegated):
                if delegated:
                    add_to(&me.delegated, 1)
                else:
                    self.increment(me, element, 1)
                    self.request(me, times, element.bucket, number)
                break
            yield_point()
        operate(times, REST)
        if me.marked >= me.sweep_at:
            self.sweep(me)
        while not me.unattended.empty():
            self.attend(me, times)
        if me.throttled:
            me.throttled = False
            add_to(&me.slept, 1)
            sleep_ns(SLICE)

    cdef inline void increment(self, Cooperator* me, Element* element, int64_t n) noexcept nogil:
        """For the element's owner, before it asks a bucket to move it on: a query sees the count from now on."""
        element.count.store(element.count.load(memory_order_relaxed) + n, memory_order_release)
        add_to(&me.counted, n)

    cdef void monitor(self, Cooperator* me, OperationTimes* times, uint32_t number) noexcept nogil:
        """A new element gets a counter that is left, or overwrites (Algorithm 2.1)."""
        cdef uint64_t word = 0
        cdef Element* element = &self.table.elements[number]
        element.increment = 1
        if (
            self.reserved.value.load(memory_order_relaxed) < self.counters
            and self.reserved.value.fetch_add(1, memory_order_relaxed) < self.counters
        ):
            self.increment(me, element, 1)
        else:
            # Acquire: the counters in their places. Waits once in a summary's life, and for threads within an update.
            while self.placed.value.load(memory_order_acquire) < self.counters:
                yield_core()
        operate(times, SUMMARY)
        while not self.request(me, times, self.minimum_bucket(me, &word), number):
            yield_point()

    cdef void leave_to_minimum(self, Cooperator* me, OperationTimes* times, Requests requests) noexcept nogil:
        cdef uint64_t word = 0
        cdef Bucket* bucket = self.minimum_bucket(me, &word)
        while not self.delegate(me, times, bucket, word, requests):
            bucket = self.minimum_bucket(me, &word)

    cdef Bucket* minimum_bucket(self, Cooperator* me, uint64_t* word) noexcept nogil:
        """The bucket of the lowest frequency, and its word; marked ones before it are removed (Invariant 4.11)."""
        cdef int64_t minimum = self.minimum.value.load(memory_order_acquire), after
        cdef Bucket* bucket
        cdef Bucket* next
        while True:
            bucket = &self.buckets[<uint32_t>minimum]
            word[0] = bucket.word.load(memory_order_acquire)
            if not is_marked(word[0]):
                return bucket
            # What follows a marked bucket does not change. If the bucket is used again, the version is another by now.
            next = bucket.next.load(memory_order_acquire)
            if next is NULL:
                minimum = self.minimum.value.load(memory_order_acquire)
                continue
            after = (((minimum >> 32) + 1) << 32) | next.number
            yield_point()
            if self.minimum.value.compare_exchange_strong(minimum, after, memory_order_acq_rel, memory_order_acquire):
                give(self.spare_buckets, &me.buckets, bucket.number)
                minimum = after

    cdef bint request(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t number) noexcept nogil:
        """Do the request at a bucket, or leave it to the bucket's owner; for one that owns none. False where it is marked."""
        cdef uint64_t word = bucket.word.load(memory_order_acquire)
        operate(times, BUCKET_SYNCHRONISATION)
        while not is_marked(word):
            if own_bucket(bucket, &word):
                self.serve(me, times, bucket, number, <uint32_t>(word & TOP))
                return True
            if self.delegate(me, times, bucket, word, single(number)):
                return True
            word = bucket.word.load(memory_order_acquire)
        return False

    cdef bint delegate(
        self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint64_t word, Requests requests
    ) noexcept nogil:
        cdef uint32_t depth = 0
        operate(times, QUEUE)
        cdef int left = leave(bucket, word, self.table.elements, requests, &depth)
        operate(times, SUMMARY)
        if left == REFUSED:
            return False
        if left == UNATTENDED:
            append(me.unattended, bucket)
        else:
            add_to(&me.left, 1)
            add_to(&me.depths, depth)
            if depth > me.deepest.load(memory_order_relaxed):
                me.deepest.store(depth, memory_order_relaxed)
            if depth > self.rho > 0:
                me.throttled = True
        return True

    cdef void attend(self, Cooperator* me, OperationTimes* times) noexcept nogil:
        """See to a bucket where a request was left while nobody owned it. Another bucket by now: then that is seen to."""
        cdef Bucket* bucket = me.unattended.back()
        cdef uint64_t word = bucket.word.load(memory_order_acquire)
        me.unattended.pop_back()
        operate(times, BUCKET_SYNCHRONISATION)
        while word & TOP and not word & OWNED:
            if own_bucket(bucket, &word):
                self.serve(me, times, bucket, 0, <uint32_t>(word & TOP))
                return

    cdef void serve(
        self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t own_request, uint32_t queue
    ) noexcept nogil:
        """For the bucket's owner: do all requests, and give it up. What it could not overwrite goes on to the next minimum."""
        cdef Requests deferred
        cdef uint64_t word = 0
        operate(times, SUMMARY)
        if own_request:
            self.do(me, times, bucket, own_request)
        deferred = self.finish(me, times, bucket, queue)
        while deferred.first:
            # The bucket is marked. To have the next one do this would take them from queue to queue, one by one each time.
            bucket = self.minimum_bucket(me, &word)
            if own_bucket(bucket, &word):
                prepend(&bucket.deferred, self.table.elements, deferred)
                deferred = self.finish(me, times, bucket, <uint32_t>(word & TOP))
            elif self.delegate(me, times, bucket, word, deferred):
                return

    cdef Requests finish(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t queue) noexcept nogil:
        """For the bucket's owner: do all requests, and give it up, or mark it (Principle 4.1, Algorithm 4.2).

        If it is marked, the result is what was to overwrite one of its elements.
        """
        cdef uint32_t request
        cdef Requests deferred, none
        none.first = none.last = none.n = 0
        while True:
            while queue:
                request = queue
                queue = self.table.elements[request].link
                self.do(me, times, bucket, request)
            if bucket.deferred.first and bucket.first:
                self.overwrite_deferred(me, times, bucket)
            operate(times, QUEUE)
            queue = take_queue(bucket)
            operate(times, SUMMARY)
            if queue:
                continue
            operate(times, BUCKET_SYNCHRONISATION)
            if bucket.first != 0 or bucket.next.load(memory_order_relaxed) is NULL:     # the last bucket stays
                if leave_bucket(bucket, False):
                    operate(times, SUMMARY)
                    return none
            else:
                deferred = bucket.deferred
                bucket.deferred = none
                if leave_bucket(bucket, True):          # from now on another thread may remove it, and use it again
                    operate(times, SUMMARY)
                    me.marked += 1
                    return deferred
                bucket.deferred = deferred
            operate(times, SUMMARY)

    cdef void do(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t number) noexcept nogil:
        """A request: to move an element of the bucket's on (IncrementCounter), to put one in (AddElement), or Overwrite."""
        cdef Element* element = &self.table.elements[number]
        if element.bucket is bucket:
            self.remove(bucket, element)
        elif element.count.load(memory_order_relaxed) == 0:
            prepend(&bucket.deferred, self.table.elements, single(number))
            return
        self.add_element(me, times, bucket, number)

    cdef void add_element(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t number) noexcept nogil:
        """Algorithm 4.1, for the bucket's owner."""
        cdef Element* element = &self.table.elements[number]
        cdef int64_t more
        cdef bint is_new = element.increment != 0
        element.increment = 0
        while element.count.load(memory_order_relaxed) == bucket.frequency.load(memory_order_relaxed):
            self.add_to_list(bucket, number)
            operate(times, ELEMENT_SYNCHRONISATION)
            more = relinquish(element)      # while the bucket is owned: see the module, of deferred requests
            operate(times, SUMMARY)
            if more == 0:
                break
            self.increment(me, element, more)
            self.remove(bucket, element)
        else:
            if element.count.load(memory_order_relaxed) > bucket.frequency.load(memory_order_relaxed):
                self.find_destination(me, times, bucket, number)
            elif not self.put_in_front(me, times, bucket, number):
                element.increment = is_new
                self.leave_to_minimum(me, times, single(number))
                return
        if is_new:
            self.placed.value.fetch_add(1, memory_order_release)

    cdef void overwrite_deferred(self, Cooperator* me, OperationTimes* times, Bucket* bucket) noexcept nogil:
        """Do Overwrite requests as long as there are idle elements; elsewhere if this is not the minimum."""
        cdef uint32_t number, victim
        cdef Element* element
        cdef Requests deferred
        cdef int64_t frequency = bucket.frequency.load(memory_order_relaxed)
        # Nobody but its owner can put a bucket before the minimum.
        if <uint32_t>self.minimum.value.load(memory_order_acquire) != bucket.number:
            deferred = bucket.deferred
            bucket.deferred.first = bucket.deferred.n = 0
            self.leave_to_minimum(me, times, deferred)
            return
        while bucket.deferred.first and bucket.first:
            number = bucket.deferred.first
            element = &self.table.elements[number]
            victim = self.idle_element(times, bucket)
            if victim == 0:
                return
            bucket.deferred.first = element.link
            bucket.deferred.n -= 1
            operate(times, HASH)
            take_out(&self.table, &me.elements, victim)
            operate(times, SUMMARY)
            element.error.store(frequency, memory_order_release)
            element.count.store(frequency + element.increment, memory_order_release)
            add_to(&me.counted, element.increment)
            element.increment = 0
            self.add_element(me, times, bucket, number)

    cdef uint32_t idle_element(self, OperationTimes* times, Bucket* bucket) noexcept nogil:
        """One that nobody owns, deleted from the search structure; 0 where all are busy. Busy ones go to the list's end."""
        cdef uint32_t number = bucket.first, last = bucket.last
        cdef bint deleted
        while True:
            # Unlisted first: once it is deleted it may be used again. Of one that is busy its owner is reading `bucket`.
            self.unlist(bucket, &self.table.elements[number])
            operate(times, ELEMENT_SYNCHRONISATION)
            deleted = delete_idle(&self.table.elements[number])
            operate(times, SUMMARY)
            if deleted:
                return number
            self.enlist(bucket, number)
            if number == last:
                return 0
            number = bucket.first

    cdef void find_destination(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t number) noexcept nogil:
        """FindDestBucket, for the bucket's owner: a bucket of its own next to this one, or a request to a later one."""
        cdef Element* element = &self.table.elements[number]
        cdef Bucket* after
        cdef uint64_t word = 0
        while True:
            if me.buckets.n == 0:
                self.restock(me, bucket)        # before one looks for the next bucket: that one could be removed here
            after = self.next_bucket(me, bucket)
            if after is NULL or after.frequency.load(memory_order_relaxed) > element.count.load(memory_order_relaxed):
                if self.put_between(me, times, bucket, after, number):
                    return
                continue
            after = self.last_up_to(after, element.count.load(memory_order_relaxed), &word)
            if after is not NULL and self.delegate(me, times, after, word, single(number)):
                return

    cdef Bucket* next_bucket(self, Cooperator* me, Bucket* bucket) noexcept nogil:
        """For the bucket's owner: the next one, after those that are marked have been removed (Invariant 4.11)."""
        cdef Bucket* first = bucket.next.load(memory_order_acquire)
        cdef Bucket* after = first
        cdef Bucket* removed
        while after is not NULL and is_marked(after.word.load(memory_order_acquire)):
            after = after.next.load(memory_order_acquire)
        if after is not first:
            yield_point()
            bucket.next.store(after, memory_order_release)
            while first is not after:
                removed, first = first, first.next.load(memory_order_relaxed)
                give(self.spare_buckets, &me.buckets, removed.number)
        return after

    cdef Bucket* last_up_to(self, Bucket* at, int64_t frequency, uint64_t* word) noexcept nogil:
        """Optimistic traversal: the last bucket from here on whose frequency is not higher, with its word; NULL: start again.

        Each bucket's word is read before its frequency, and is good for this incarnation only: what is found is in the list as
        long as a request can be left with it.
        """
        cdef Bucket* found = NULL
        cdef uint64_t seen
        while at is not NULL:
            seen = at.word.load(memory_order_acquire)
            if not is_marked(seen):
                if at.frequency.load(memory_order_acquire) > frequency:
                    break
                if found is not NULL and at.frequency.load(memory_order_acquire) <= found.frequency.load(memory_order_acquire):
                    break               # one of the two is used again
                found, word[0] = at, seen
            at = at.next.load(memory_order_acquire)
        return found

    cdef void restock(self, Cooperator* me, Bucket* owned) noexcept nogil:
        """Have a new bucket at hand. Where all are in use or marked, marked ones are removed, also behind the one that is owned."""
        cdef uint32_t number = take(self.spare_buckets, &me.buckets)
        while number == 0:
            self.next_bucket(me, owned)
            self.sweep(me)
            if me.buckets.n == 0:
                yield_core()
            number = take(self.spare_buckets, &me.buckets)
        give(self.spare_buckets, &me.buckets, number)

    cdef bint put_between(
        self, Cooperator* me, OperationTimes* times, Bucket* bucket, Bucket* after, uint32_t number
    ) noexcept nogil:
        """For the bucket's owner: a new bucket behind it. False where requests have come that take the element past ``after``."""
        cdef Bucket* fresh = &self.buckets[take(self.spare_buckets, &me.buckets)]
        cdef bint left
        if not self.furnish(me, times, fresh, after, number):
            return False
        left = self.open(me, times, fresh, number)
        bucket.next.store(fresh, memory_order_release)
        if left:
            self.delegate(me, times, fresh, fresh.word.load(memory_order_acquire), single(number))
        return True

    cdef bint put_in_front(self, Cooperator* me, OperationTimes* times, Bucket* bucket, uint32_t number) noexcept nogil:
        """For the bucket's owner: a new bucket before it, if it is the minimum. False where the request belongs elsewhere."""
        cdef Bucket* fresh
        cdef int64_t minimum = self.minimum.value.load(memory_order_acquire)
        cdef bint left
        if <uint32_t>minimum != bucket.number:
            return False
        if me.buckets.n == 0:
            self.restock(me, bucket)
        fresh = &self.buckets[take(self.spare_buckets, &me.buckets)]
        if not self.furnish(me, times, fresh, bucket, number):
            self.add_element(me, times, bucket, number)
            return True
        left = self.open(me, times, fresh, number)
        # As the bucket is owned and not marked, nobody else changes the minimum.
        self.minimum.value.store((((minimum >> 32) + 1) << 32) | fresh.number, memory_order_release)
        if left:
            self.delegate(me, times, fresh, fresh.word.load(memory_order_acquire), single(number))
        return True

    cdef bint furnish(
        self, Cooperator* me, OperationTimes* times, Bucket* fresh, Bucket* after, uint32_t number
    ) noexcept nogil:
        """Put the element into the private bucket, whose frequency grows by all that has been left so far (bulk increment).

        False where it comes up to the next one's: then the bucket is not needed.
        """
        cdef Element* element = &self.table.elements[number]
        cdef int64_t more
        while element.pending.load(memory_order_relaxed) & REQUESTS > 1:
            operate(times, ELEMENT_SYNCHRONISATION)
            more = relinquish(element)
            operate(times, SUMMARY)
            self.increment(me, element, more)
        if after is not NULL and element.count.load(memory_order_relaxed) >= after.frequency.load(memory_order_relaxed):
            give(self.spare_buckets, &me.buckets, fresh.number)
            return False
        fresh.frequency.store(element.count.load(memory_order_relaxed), memory_order_release)
        fresh.next.store(after, memory_order_release)
        fresh.first = fresh.last = fresh.deferred.first = fresh.deferred.n = 0
        self.add_to_list(fresh, number)
        return True

    cdef bint open(self, Cooperator* me, OperationTimes* times, Bucket* fresh, uint32_t number) noexcept nogil:
        """Make the bucket public, and give its element up. True where the element is kept, and is to be moved on.

        All that before the bucket is in the list, where an Overwrite could find the element busy, and wait for its request in vain. Who
        owns the element next finds the bucket by it, and may go on from there, even mark it.
        """
        cdef Element* element = &self.table.elements[number]
        cdef int64_t more
        fresh.word.store(((fresh.word.load(memory_order_relaxed) >> 32) + 1) << 32, memory_order_release)
        operate(times, ELEMENT_SYNCHRONISATION)
        more = relinquish(element)
        operate(times, SUMMARY)
        if more > 0:
            self.increment(me, element, more)
        return more > 0

    cdef inline void add_to_list(self, Bucket* bucket, uint32_t number) noexcept nogil:
        self.table.elements[number].bucket = bucket
        self.enlist(bucket, number)

    cdef inline void remove(self, Bucket* bucket, Element* element) noexcept nogil:
        self.unlist(bucket, element)
        element.bucket = NULL

    cdef inline void enlist(self, Bucket* bucket, uint32_t number) noexcept nogil:
        cdef Element* element = &self.table.elements[number]
        element.previous, element.next = bucket.last, 0
        if bucket.last:
            self.table.elements[bucket.last].next = number
        else:
            bucket.first = number
        bucket.last = number

    cdef inline void unlist(self, Bucket* bucket, Element* element) noexcept nogil:
        if element.previous:
            self.table.elements[element.previous].next = element.next
        else:
            bucket.first = element.next
        if element.next:
            self.table.elements[element.next].previous = element.previous
        else:
            bucket.last = element.previous

    cdef void sweep(self, Cooperator* me) noexcept nogil:
        """Remove marked buckets all along the list: those behind a bucket whose elements hardly ever come.

        Never waits, so it may own another bucket meanwhile.
        """
        cdef uint64_t word = 0
        cdef Bucket* bucket = self.minimum_bucket(me, &word)
        cdef Bucket* after
        cdef int64_t steps = 0, buckets = 0
        while bucket is not NULL and steps <= self.spare_buckets.n:
            steps += 1
            after = bucket.next.load(memory_order_acquire)
            word = bucket.word.load(memory_order_acquire)
            buckets += not is_marked(word)
            if (
                word & (OWNED | TOP) == 0
                and after is not NULL
                and is_marked(after.word.load(memory_order_acquire))
                and bucket.word.compare_exchange_strong(word, word | OWNED, memory_order_acq_rel, memory_order_relaxed)
            ):
                after = self.next_bucket(me, bucket)
                # Given up with what has come into its queue, which is seen to later.
                if bucket.word.fetch_and(~<uint64_t>OWNED, memory_order_acq_rel) & TOP:
                    append(me.unattended, bucket)
            bucket = after
        me.marked, me.sweep_at = 0, max(<int64_t>SWEEP_AFTER, buckets)

    cdef void look(self, Snapshot* out) noexcept nogil:
        cdef int64_t k, taken = 0
        cdef uint32_t number
        cdef uint64_t word
        cdef Element* element
        cdef Counter row
        out.counters.clear()
        out.n = 0
        for k in range(self.threads):
            out.n += self.cooperators[k].counted.load(memory_order_acquire)     # pairs with `add_to`
        for k in range(self.threads):
            taken += self.cooperators[k].taken.load(memory_order_acquire)
        out.in_flight = taken - out.n
        for number in range(1, ever_taken(self.table.spare) + 1):
            element = &self.table.elements[number]
            word = element.pending.load(memory_order_acquire)
            row.count = element.count.load(memory_order_acquire)
            row.error = element.error.load(memory_order_acquire)
            row.item = element.item.load(memory_order_acquire)
            # All three belong to one version, or are left out: then the item has been overwritten, at the floor or below.
            if row.count > 0 and not word & DELETED and (element.pending.load(memory_order_acquire) ^ word) < DELETED:
                append(out.counters, row)
        out.floor = self.lowest() if self.placed.value.load(memory_order_acquire) >= self.counters else 0
        keep_largest(out, self.counters)

    cdef int64_t lowest(self) noexcept nogil:
        """The lowest frequency. It never falls once all counters are in use."""
        cdef int64_t minimum, frequency
        cdef Bucket* bucket
        while True:
            minimum = self.minimum.value.load(memory_order_acquire)
            bucket = &self.buckets[<uint32_t>minimum]
            while bucket is not NULL and is_marked(bucket.word.load(memory_order_acquire)):
                bucket = bucket.next.load(memory_order_acquire)
            if bucket is NULL:
                continue
            frequency = bucket.frequency.load(memory_order_acquire)
            yield_point()
            if self.minimum.value.load(memory_order_acquire) == minimum:
                return frequency

    def statistics(self) -> dict:
        """What was delegated so far: see the stub."""
        cdef int64_t k, counted = 0, delegated = 0, left = 0, depths = 0, deepest = 0, slept = 0
        for k in range(self.threads):
            counted += self.cooperators[k].taken.load(memory_order_relaxed)
            delegated += self.cooperators[k].delegated.load(memory_order_relaxed)
            left += self.cooperators[k].left.load(memory_order_relaxed)
            depths += self.cooperators[k].depths.load(memory_order_relaxed)
            deepest = max(deepest, self.cooperators[k].deepest.load(memory_order_relaxed))
            slept += self.cooperators[k].slept.load(memory_order_relaxed)
        return {
            "delegated share": <double>delegated / max(counted, 1),
            "average queue": <double>depths / max(left, 1),
            "largest queue": <double>deepest,
            "throttled": <double>slept,
        }

    def profile(self) -> dict:
        """Seconds by operation, summed over threads: all 0 unless the module was compiled to measure them."""
        return in_seconds(self.times, self.threads)

    @property
    def nbytes(self) -> int:
        """Memory that it holds: all of it from the beginning."""
        return (
            sizeof(Element) * (self.table.spare.n + 1) + sizeof(Bucket) * (self.spare_buckets.n + 1)
            + 8 * self.table.n + 8 * (self.table.spare.n + self.spare_buckets.n + 2) + sizeof(Cooperator) * self.threads
        )
