"""Space-Saving by thread cooperation (paper 002, section 4): who finds an element or a bucket owned leaves its request
to the owner.

An item goes through the search structure: its element is owned by whoever's request is the first (Invariant 4.6), so that one
thread at a time has it in the Stream Summary (Boundary Invariant 4.2). There the element is its own request. Where the paper
leaves the details to a technical report, they are settled so:

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
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.heavy_hitters.element cimport REQUESTS, Element, delete_idle, own, relinquish
from streambench.pyx.heavy_hitters.frequency_bucket cimport OWNED, TOP, Bucket, Requests, is_marked, leave_bucket, own_bucket
from streambench.pyx.heavy_hitters.monitored_set cimport (
    Hand, MonitoredSet, add_to, delete_monitored_set, enlist, in_seconds, increment, is_minimum, look_at, minimum_bucket,
    new_monitored_set, next_bucket, overwrite, put_before_minimum, reserve, restock, size_of, sweep, unlist,
)
from streambench.pyx.heavy_hitters.number_pool cimport give, take
from streambench.pyx.heavy_hitters.operation_times cimport (
    BUCKET_SYNCHRONISATION, ELEMENT_SYNCHRONISATION, HASH, QUEUE, REST, SUMMARY, begin, operate,
)
from streambench.pyx.heavy_hitters.request_queue cimport REFUSED, UNATTENDED, leave, prepend, single, take_queue
from streambench.pyx.heavy_hitters.search_structure cimport find, insert, take_out
from streambench.pyx.heavy_hitters.summary cimport Snapshot, Summary
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    IN_FLIGHT = 1 << 14             # items on their way into the monitored set at most: then who brings another one waits
    BLOCK = 64                      # items that a thread says to have taken at a time
    SLICE = 50_000                  # ns that a throttled thread sleeps

@cython.final
cdef class Cooperative(Summary):
    """See the module. ``rho``: a thread that leaves a request in a queue of more than so many sleeps a little (auto-tuning, section
    4.3.3; the paper's is 500), 0 for never. Raises ValueError where it is negative, and as ``Summary`` does.
    """

    cdef readonly int64_t rho
    cdef MonitoredSet set

    def __init__(self, int64_t counters, int32_t threads=1, int64_t rho=0):
        super().__init__(counters, threads)
        if rho < 0:
            raise ValueError(f"rho is a queue's size from which on threads sleep, or 0 for never, not {rho}")
        self.rho = rho
        self.set = new_monitored_set(counters, IN_FLIGHT, threads)

    def __dealloc__(self):
        delete_monitored_set(&self.set)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef Hand* me = &self.set.hands[thread]
        cdef int64_t at = 0, end
        begin(&me.times)
        while at < n:
            end = min(at + BLOCK, n)
            add_to(&me.taken, end - at)
            while at < end:
                self.count(me, items[at])
                at += 1
        operate(&me.times, REST)

    cdef void count(self, Hand* me, uint64_t item) noexcept nogil:
        """One item: into its element, and from there into the Stream Summary unless another thread owns it (Invariant 4.2)."""
        cdef uint64_t word = 0
        cdef uint32_t number
        cdef Element* element
        cdef bint delegated = False
        while True:
            operate(&me.times, HASH)
            number = find(&self.set.table, item, &word)
            if number == 0:
                number = insert(&self.set.table, &me.elements, item, &word)
                if word == 0:
                    self.monitor(me, number)
                    break
            operate(&me.times, ELEMENT_SYNCHRONISATION)
            element = &self.set.table.elements[number]
            if own(element, &word, &delegated):
                if delegated:
                    add_to(&me.delegated, 1)
                else:
                    increment(me, element, 1)
                    self.request(me, element.bucket, number)
                break
            yield_point()
        operate(&me.times, REST)
        if me.marked >= me.sweep_at:
            sweep(&self.set, me)
        while not me.unattended.empty():
            self.attend(me)
        if me.throttled:
            me.throttled = False
            add_to(&me.slept, 1)
            sleep_ns(SLICE)

    cdef void monitor(self, Hand* me, uint32_t number) noexcept nogil:
        """A new element gets a counter that is left, or overwrites (Algorithm 2.1)."""
        cdef uint64_t word = 0
        cdef Element* element = &self.set.table.elements[number]
        element.increment = 1
        if reserve(&self.set):
            increment(me, element, 1)
        operate(&me.times, SUMMARY)
        while not self.request(me, minimum_bucket(&self.set, me, &word), number):
            yield_point()

    cdef void leave_to_minimum(self, Hand* me, Requests requests) noexcept nogil:
        cdef uint64_t word = 0
        cdef Bucket* bucket = minimum_bucket(&self.set, me, &word)
        while not self.delegate(me, bucket, word, requests):
            bucket = minimum_bucket(&self.set, me, &word)

    cdef bint request(self, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
        """Do the request at a bucket, or leave it to the bucket's owner; for one that owns none. False where it is marked."""
        cdef uint64_t word = bucket.word.load(memory_order_acquire)
        operate(&me.times, BUCKET_SYNCHRONISATION)
        while not is_marked(word):
            if own_bucket(bucket, &word):
                self.serve(me, bucket, number, <uint32_t>(word & TOP))
                return True
            if self.delegate(me, bucket, word, single(number)):
                return True
            word = bucket.word.load(memory_order_acquire)
        return False

    cdef bint delegate(
        self, Hand* me, Bucket* bucket, uint64_t word, Requests requests
    ) noexcept nogil:
        cdef uint32_t depth = 0
        cdef Element* first = &self.set.table.elements[requests.first]
        operate(&me.times, QUEUE)
        if first.count.load(memory_order_relaxed) == 0:
            first.previous, first.next = requests.last, requests.n      # not in a list: the bucket takes them as one
        cdef int left = leave(bucket, word, self.set.table.elements, requests, &depth)
        operate(&me.times, SUMMARY)
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

    cdef void attend(self, Hand* me) noexcept nogil:
        """See to a bucket where a request was left while nobody owned it (Invariant 4.1). Another bucket by now: then to that."""
        cdef Bucket* bucket = me.unattended.back()
        cdef uint64_t word = bucket.word.load(memory_order_acquire)
        me.unattended.pop_back()
        operate(&me.times, BUCKET_SYNCHRONISATION)
        while word & TOP and not word & OWNED:
            if own_bucket(bucket, &word):
                self.serve(me, bucket, 0, <uint32_t>(word & TOP))
                return

    cdef void serve(
        self, Hand* me, Bucket* bucket, uint32_t own_request, uint32_t queue
    ) noexcept nogil:
        """For the bucket's owner: do all requests, and give it up. What it could not overwrite goes on to the next minimum."""
        cdef Requests deferred
        cdef uint64_t word = 0
        operate(&me.times, SUMMARY)
        if own_request:
            self.do(me, bucket, own_request)
        deferred = self.finish(me, bucket, queue)
        while deferred.first:
            # The bucket is marked. To have the next one do this would take them from queue to queue, one by one each time.
            bucket = minimum_bucket(&self.set, me, &word)
            if own_bucket(bucket, &word):
                prepend(&bucket.deferred, self.set.table.elements, deferred)
                deferred = self.finish(me, bucket, <uint32_t>(word & TOP))
            elif self.delegate(me, bucket, word, deferred):
                return

    cdef Requests finish(self, Hand* me, Bucket* bucket, uint32_t queue) noexcept nogil:
        """For the bucket's owner: do all requests, and give it up, or mark it (Principle 4.1, Algorithm 4.2).

        If it is marked, the result is what was to overwrite one of its elements.
        """
        cdef uint32_t request
        cdef Element* element
        cdef Requests deferred, none
        none.first = none.last = none.n = 0
        while True:
            while queue:
                element = &self.set.table.elements[queue]
                if element.count.load(memory_order_relaxed) == 0:
                    deferred.first, deferred.last, deferred.n = queue, element.previous, element.next
                    queue = self.set.table.elements[deferred.last].link
                    prepend(&bucket.deferred, self.set.table.elements, deferred)
                else:
                    request = queue
                    queue = element.link
                    self.do(me, bucket, request)
            if bucket.deferred.first and bucket.first:
                self.overwrite_deferred(me, bucket)
            operate(&me.times, QUEUE)
            queue = take_queue(bucket)
            operate(&me.times, SUMMARY)
            if queue:
                continue
            operate(&me.times, BUCKET_SYNCHRONISATION)
            if bucket.first != 0 or bucket.next.load(memory_order_relaxed) is NULL:     # the last bucket stays
                if leave_bucket(bucket, False):
                    operate(&me.times, SUMMARY)
                    return none
            else:
                deferred = bucket.deferred
                bucket.deferred = none
                if leave_bucket(bucket, True):          # from now on another thread may remove it, and use it again
                    operate(&me.times, SUMMARY)
                    me.marked += 1
                    return deferred
                bucket.deferred = deferred
            operate(&me.times, SUMMARY)

    cdef void do(self, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
        """A request: to move an element of the bucket's on (IncrementCounter), to put one in (AddElement), or Overwrite."""
        cdef Element* element = &self.set.table.elements[number]
        if element.bucket is bucket:
            self.remove(bucket, element)
        elif element.count.load(memory_order_relaxed) == 0:
            prepend(&bucket.deferred, self.set.table.elements, single(number))
            return
        self.add_element(me, bucket, number)

    cdef void add_element(self, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
        """Algorithm 4.1, for the bucket's owner."""
        cdef Element* element = &self.set.table.elements[number]
        cdef int64_t more
        cdef bint is_new = element.increment != 0
        element.increment = 0
        while element.count.load(memory_order_relaxed) == bucket.frequency.load(memory_order_relaxed):
            self.add_to_list(bucket, number)
            operate(&me.times, ELEMENT_SYNCHRONISATION)
            more = relinquish(element)      # while the bucket is owned: see the module, of deferred requests
            operate(&me.times, SUMMARY)
            if more == 0:
                break
            increment(me, element, more)
            self.remove(bucket, element)
        else:
            if element.count.load(memory_order_relaxed) > bucket.frequency.load(memory_order_relaxed):
                self.find_destination(me, bucket, number)
            elif not self.put_in_front(me, bucket, number):
                element.increment = is_new
                self.leave_to_minimum(me, single(number))
                return
        if is_new:
            self.set.placed.value.fetch_add(1, memory_order_release)

    cdef void overwrite_deferred(self, Hand* me, Bucket* bucket) noexcept nogil:
        """Do Overwrite requests as long as there are idle elements; elsewhere if this is not the minimum."""
        cdef uint32_t number, victim
        cdef Element* element
        cdef Requests deferred
        cdef int64_t frequency = bucket.frequency.load(memory_order_relaxed)
        if not is_minimum(&self.set, bucket):
            deferred = bucket.deferred
            bucket.deferred.first = bucket.deferred.n = 0
            self.leave_to_minimum(me, deferred)
            return
        while bucket.deferred.first and bucket.first:
            number = bucket.deferred.first
            element = &self.set.table.elements[number]
            victim = self.idle_element(me, bucket)
            if victim == 0:
                return
            bucket.deferred.first = element.link
            bucket.deferred.n -= 1
            operate(&me.times, HASH)
            take_out(&self.set.table, &me.elements, victim)
            operate(&me.times, SUMMARY)
            overwrite(me, element, frequency)
            self.add_element(me, bucket, number)

    cdef uint32_t idle_element(self, Hand* me, Bucket* bucket) noexcept nogil:
        """One that nobody owns, deleted from the search structure; 0 where all are busy. Busy ones go to the list's end."""
        cdef uint32_t number = bucket.first, last = bucket.last
        cdef bint deleted
        while True:
            # Unlisted first: once it is deleted it may be used again. Of one that is busy its owner is reading `bucket`.
            unlist(&self.set, bucket, &self.set.table.elements[number])
            operate(&me.times, ELEMENT_SYNCHRONISATION)
            deleted = delete_idle(&self.set.table.elements[number])
            operate(&me.times, SUMMARY)
            if deleted:
                return number
            enlist(&self.set, bucket, number)
            if number == last:
                return 0
            number = bucket.first

    cdef void find_destination(self, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
        """FindDestBucket, for the bucket's owner: a bucket of its own next to this one, or a request to a later one."""
        cdef Element* element = &self.set.table.elements[number]
        cdef Bucket* after
        cdef uint64_t word = 0
        while True:
            if me.buckets.n == 0:
                restock(&self.set, me, bucket)        # before one looks for the next bucket: that one could be removed here
            after = next_bucket(&self.set, me, bucket)
            if after is NULL or after.frequency.load(memory_order_relaxed) > element.count.load(memory_order_relaxed):
                if self.put_between(me, bucket, after, number):
                    return
                continue
            after = self.last_up_to(after, element.count.load(memory_order_relaxed), &word)
            if after is not NULL and self.delegate(me, after, word, single(number)):
                return

    cdef Bucket* last_up_to(self, Bucket* at, int64_t frequency, uint64_t* word) noexcept nogil:
        """Optimistic traversal: a bucket from here on whose frequency is not higher, with its word; NULL: start again.

        All that links lead to are buckets, and stay so (Invariant 4.7). Each one's word is read before its frequency, and is good
        for this incarnation only: what is found is in the list as long as a request can be left with it. Ends before a marked
        bucket: its owner removes that, and goes on. (Behind one that has been removed a reader could go round in circles.)
        """
        cdef Bucket* found = NULL
        cdef uint64_t seen
        while at is not NULL:
            seen = at.word.load(memory_order_acquire)
            if is_marked(seen) or at.frequency.load(memory_order_acquire) > frequency:
                break
            found, word[0] = at, seen
            at = at.next.load(memory_order_acquire)
            if at is not NULL and at.frequency.load(memory_order_acquire) <= found.frequency.load(memory_order_acquire):
                break                   # one of the two is used again
        return found

    cdef bint put_between(
        self, Hand* me, Bucket* bucket, Bucket* after, uint32_t number
    ) noexcept nogil:
        """For the bucket's owner: a new bucket behind it, between both frequencies (Invariant 4.8).

        False where requests have come that take the element past ``after``.
        """
        cdef Bucket* fresh = &self.set.buckets[take(self.set.spare_buckets, &me.buckets)]
        cdef bint left
        if not self.furnish(me, fresh, after, number):
            return False
        left = self.open(me, fresh, number)
        bucket.next.store(fresh, memory_order_release)
        if left:
            self.delegate(me, fresh, fresh.word.load(memory_order_acquire), single(number))
        return True

    cdef bint put_in_front(self, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
        """For the bucket's owner: a new bucket before it, of a lower frequency, if it is the minimum (Invariant 4.8).

        False where the request belongs elsewhere.
        """
        cdef Bucket* fresh
        cdef bint left
        if not is_minimum(&self.set, bucket):
            return False
        if me.buckets.n == 0:
            restock(&self.set, me, bucket)
        fresh = &self.set.buckets[take(self.set.spare_buckets, &me.buckets)]
        if not self.furnish(me, fresh, bucket, number):
            self.add_element(me, bucket, number)
            return True
        left = self.open(me, fresh, number)
        put_before_minimum(&self.set, fresh)
        if left:
            self.delegate(me, fresh, fresh.word.load(memory_order_acquire), single(number))
        return True

    cdef bint furnish(
        self, Hand* me, Bucket* fresh, Bucket* after, uint32_t number
    ) noexcept nogil:
        """Put the element into the private bucket, whose frequency grows by all that has been left so far (bulk increment).

        From then on the frequency stays (Invariant 4.9). False where it comes up to the next one's: then the bucket is not needed.
        """
        cdef Element* element = &self.set.table.elements[number]
        cdef int64_t more
        while element.pending.load(memory_order_relaxed) & REQUESTS > 1:
            operate(&me.times, ELEMENT_SYNCHRONISATION)
            more = relinquish(element)
            operate(&me.times, SUMMARY)
            increment(me, element, more)
        if after is not NULL and element.count.load(memory_order_relaxed) >= after.frequency.load(memory_order_relaxed):
            give(self.set.spare_buckets, &me.buckets, fresh.number)
            return False
        fresh.frequency.store(element.count.load(memory_order_relaxed), memory_order_release)
        fresh.next.store(after, memory_order_release)
        fresh.first = fresh.last = fresh.deferred.first = fresh.deferred.n = 0
        self.add_to_list(fresh, number)
        return True

    cdef bint open(self, Hand* me, Bucket* fresh, uint32_t number) noexcept nogil:
        """Make the bucket public, and give its element up. True where the element is kept, and is to be moved on.

        All that before the bucket is in the list, where an Overwrite could find the element busy, and wait for its request in
        vain. Who owns the element next finds the bucket by it, and may go on from there, even mark it.
        """
        cdef Element* element = &self.set.table.elements[number]
        cdef int64_t more
        fresh.word.store(((fresh.word.load(memory_order_relaxed) >> 32) + 1) << 32, memory_order_release)
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        more = relinquish(element)
        operate(&me.times, SUMMARY)
        if more > 0:
            increment(me, element, more)
        return more > 0

    cdef inline void add_to_list(self, Bucket* bucket, uint32_t number) noexcept nogil:
        self.set.table.elements[number].bucket = bucket
        enlist(&self.set, bucket, number)

    cdef inline void remove(self, Bucket* bucket, Element* element) noexcept nogil:
        unlist(&self.set, bucket, element)
        element.bucket = NULL

    cdef void look(self, Snapshot* out) noexcept nogil:
        look_at(&self.set, out)

    def statistics(self) -> dict:
        """What was delegated so far: see the stub."""
        cdef int64_t k, counted = 0, delegated = 0, left = 0, depths = 0, deepest = 0, slept = 0
        for k in range(self.threads):
            counted += self.set.hands[k].taken.load(memory_order_relaxed)
            delegated += self.set.hands[k].delegated.load(memory_order_relaxed)
            left += self.set.hands[k].left.load(memory_order_relaxed)
            depths += self.set.hands[k].depths.load(memory_order_relaxed)
            deepest = max(deepest, self.set.hands[k].deepest.load(memory_order_relaxed))
            slept += self.set.hands[k].slept.load(memory_order_relaxed)
        return {
            "delegated share": <double>delegated / max(counted, 1),
            "average queue": <double>depths / max(left, 1),
            "largest queue": <double>deepest,
            "throttled": <double>slept,
        }

    def profile(self) -> dict:
        """Seconds by operation, summed over threads: all 0 unless the module was compiled to measure them."""
        return in_seconds(self.set.hands, self.threads)

    @property
    def nbytes(self) -> int:
        """Memory that it holds: all of it from the beginning."""
        return size_of(&self.set)
