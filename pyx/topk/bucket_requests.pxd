"""What is done at a bucket by its owner: its own request, and all that others have left (paper 002, section 4.3.2).

Algorithms 4.1 and 4.2, Overwrite, bulk increments. Where the paper leaves the details to a technical
report, they are settled so:

- A thread owns one bucket at most (Principle 4.2). What it moves to another bucket it leaves in that one's queue, while
  it still owns its own: an element on its way lies in a queue, and a bucket with a queue is not removed. So nothing
  that is on its way has a lower count than the minimum. If nobody owns the other bucket, the thread sees to it once it
  has given up its own; whoever owns it earlier does the request too (Fulfillment Guarantee 4.1).
- Overwrite requests that find all elements of the minimum busy stay with the bucket. Each busy element has a
  request that has to come to this bucket, since an element of a bucket gets idle only while the bucket is owned;
  whoever does that one tries again.
- The minimum is a number with a version. Only its owner puts a bucket before it; once it is
  marked, anybody may move it on.

Functions call each other in a circle, and stand in a .pxd so that each module that counts
compiles them with its own clocks.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.topk.element cimport REQUESTS, Element, delete_idle, own, relinquish
from streambench.pyx.topk.frequency_bucket cimport (
    OWNED, TOP, Bucket, Requests, is_marked, leave_bucket, own_bucket,
)
from streambench.pyx.topk.monitored_set cimport (
    Hand, MonitoredSet, add_to, enlist, increment, is_minimum, lowest, minimum_bucket, next_bucket, number_of,
    overwrite, put_before_minimum, restock, unlist,
)
from streambench.pyx.topk.number_pool cimport give, take
from streambench.pyx.topk.operation_times cimport (
    BUCKET_SYNCHRONISATION, ELEMENT_SYNCHRONISATION, HASH, QUEUE, SUMMARY, operate,
)
from streambench.pyx.topk.request_queue cimport REFUSED, UNATTENDED, leave, prepend, single, take_queue
from streambench.pyx.topk.search_structure cimport take_out
from streambench.pyx.machine.memory cimport append

cdef inline void leave_to_minimum(MonitoredSet* set, Hand* me, Requests requests) noexcept nogil:
    cdef uint64_t word = 0
    cdef Bucket* bucket = minimum_bucket(set, me, &word)
    while not delegate(set, me, bucket, word, requests):
        bucket = minimum_bucket(set, me, &word)

cdef inline bint request(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
    """Do the request at a bucket, or leave it to the bucket's owner; for one that owns none.
    False where it is marked."""
    cdef uint64_t word
    word = bucket.word.load(memory_order_acquire)
    operate(&me.times, BUCKET_SYNCHRONISATION)
    while not is_marked(word):
        if own_bucket(bucket, &word):
            serve(set, me, bucket, number, <uint32_t>(word & TOP))
            return True
        if delegate(set, me, bucket, word, single(number)):
            return True
        word = bucket.word.load(memory_order_acquire)
    return False

cdef inline bint delegate(MonitoredSet* set, Hand* me, Bucket* bucket, uint64_t word, Requests requests) noexcept nogil:
    cdef uint32_t depth = 0
    cdef Element* first = &set.table.elements[requests.first]
    operate(&me.times, QUEUE)
    if first.count.load(memory_order_relaxed) == 0:
        first.previous, first.next = requests.last, requests.n      # not in a list: the bucket takes them as one
    cdef int left = leave(bucket, word, set.table.elements, requests, &depth)
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
        if depth > me.depth:
            me.depth = depth
    return True

cdef inline void attend(MonitoredSet* set, Hand* me) noexcept nogil:
    """See to a bucket where a request was left while nobody owned it (Invariant 4.1). Another
    bucket by now: then to that."""
    cdef Bucket* bucket = me.unattended.back()
    cdef uint64_t word = bucket.word.load(memory_order_acquire)
    me.unattended.pop_back()
    operate(&me.times, BUCKET_SYNCHRONISATION)
    while word & TOP and not word & OWNED:
        if own_bucket(bucket, &word):
            serve(set, me, bucket, 0, <uint32_t>(word & TOP))
            return

cdef inline void serve(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t own_request,
                       uint32_t queue) noexcept nogil:
    """For the bucket's owner: do all requests, and give it up. What it could not overwrite
    goes on to the next minimum."""
    cdef Requests deferred
    cdef uint64_t word = 0
    operate(&me.times, SUMMARY)
    if own_request:
        do(set, me, bucket, own_request)
    deferred = finish(set, me, bucket, queue)
    while deferred.first:
        # The bucket is marked. To have the next one do this would take them from queue to queue, one by one each time.
        bucket = minimum_bucket(set, me, &word)
        if own_bucket(bucket, &word):
            prepend(&bucket.deferred, set.table.elements, deferred)
            deferred = finish(set, me, bucket, <uint32_t>(word & TOP))
        elif delegate(set, me, bucket, word, deferred):
            return

cdef inline Requests finish(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t queue) noexcept nogil:
    """For the bucket's owner: do all requests, and give it up, or mark it (Principle 4.1, Algorithm 4.2).

    If it is marked, the result is what was to overwrite one of its elements.
    """
    cdef uint32_t request
    cdef Element* element
    cdef Requests deferred, none
    none.first = none.last = none.n = 0
    while True:
        while queue:
            element = &set.table.elements[queue]
            if element.count.load(memory_order_relaxed) == 0:
                deferred.first, deferred.last, deferred.n = queue, element.previous, element.next
                queue = set.table.elements[deferred.last].link
                prepend(&bucket.deferred, set.table.elements, deferred)
            else:
                request = queue
                queue = element.link
                do(set, me, bucket, request)
        if set.round_end:
            end_rounds(set, me, bucket)
        elif bucket.deferred.first and bucket.first:
            overwrite_deferred(set, me, bucket)
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

cdef inline void do(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
    """A request: to move an element of the bucket's on (IncrementCounter), to put one in (AddElement), or Overwrite."""
    cdef Element* element = &set.table.elements[number]
    if element.bucket is bucket:
        remove(set, bucket, element)
    elif element.count.load(memory_order_relaxed) == 0:
        prepend(&bucket.deferred, set.table.elements, single(number))
        return
    add_element(set, me, bucket, number)

cdef inline void add_element(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
    """Algorithm 4.1, for the bucket's owner."""
    cdef Element* element = &set.table.elements[number]
    cdef int64_t more
    cdef bint is_new = element.increment != 0
    element.increment = 0
    while element.count.load(memory_order_relaxed) == bucket.frequency.load(memory_order_relaxed):
        add_to_list(set, bucket, number)
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        more = relinquish(element)      # while the bucket is owned: see the module, of deferred requests
        operate(&me.times, SUMMARY)
        if more == 0:
            break
        increment(me, element, more)
        remove(set, bucket, element)
    else:
        if element.count.load(memory_order_relaxed) > bucket.frequency.load(memory_order_relaxed):
            find_destination(set, me, bucket, number)
        elif not put_in_front(set, me, bucket, number):
            element.increment = is_new
            leave_to_minimum(set, me, single(number))
            return
    if is_new:
        set.placed.value.fetch_add(1, memory_order_release)

cdef inline void overwrite_deferred(MonitoredSet* set, Hand* me, Bucket* bucket) noexcept nogil:
    """Do Overwrite requests as long as there are idle elements; elsewhere if this is not the minimum."""
    cdef uint32_t number, victim
    cdef Element* element
    cdef Requests deferred
    cdef int64_t frequency = bucket.frequency.load(memory_order_relaxed)
    if not is_minimum(set, bucket):
        deferred = bucket.deferred
        bucket.deferred.first = bucket.deferred.n = 0
        leave_to_minimum(set, me, deferred)
        return
    while bucket.deferred.first and bucket.first:
        number = bucket.deferred.first
        element = &set.table.elements[number]
        victim = idle_element(set, me, bucket)
        if victim == 0:
            return
        bucket.deferred.first = element.link
        bucket.deferred.n -= 1
        operate(&me.times, HASH)
        take_out(&set.table, &me.elements, victim)
        operate(&me.times, SUMMARY)
        overwrite(me, element, frequency)
        add_element(set, me, bucket, number)

cdef inline void end_rounds(MonitoredSet* set, Hand* me, Bucket* bucket) noexcept nogil:
    """Lossy Counting (section 4.4), in place of Overwrite: at the minimum, rounds have ended, and
    elements go that count no more.

    Those that are busy bring a request to this bucket, and whoever does that one tries again. A bucket that is empty
    then is marked, and the request goes on to the next minimum, until that has a higher frequency. Whoever has put an
    element where its round has ended makes the request, too.
    """
    cdef Element* end = &set.table.elements[set.round_end]
    cdef uint64_t word = end.pending.load(memory_order_relaxed)
    cdef bint delegated = False
    cdef uint32_t victim
    if lowest(set) <= set.rounds.value.load(memory_order_acquire) and own(end, &word, &delegated) and not delegated:
        prepend(&bucket.deferred, set.table.elements, single(set.round_end))
    if bucket.deferred.first and not is_minimum(set, bucket):
        bucket.deferred.first = bucket.deferred.n = 0
        leave_to_minimum(set, me, single(set.round_end))
    while bucket.deferred.first and bucket.first:
        # Acquire: a round that has ended since, whose request has been left at the element, is done with this one.
        if bucket.frequency.load(memory_order_relaxed) > set.rounds.value.load(memory_order_acquire):
            if relinquish(end) == 0:
                bucket.deferred.first = bucket.deferred.n = 0
        else:
            victim = idle_element(set, me, bucket)
            if victim == 0:
                return
            operate(&me.times, HASH)
            take_out(&set.table, &me.elements, victim)
            operate(&me.times, SUMMARY)

cdef inline uint32_t idle_element(MonitoredSet* set, Hand* me, Bucket* bucket) noexcept nogil:
    """One that nobody owns, deleted from the search structure; 0 where all are busy. Busy ones go to the list's end."""
    cdef uint32_t number = bucket.first, last = bucket.last
    cdef bint deleted
    while True:
        # Unlisted first: once it is deleted it may be used again. Of one that is busy its owner is reading `bucket`.
        unlist(set, bucket, &set.table.elements[number])
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        deleted = delete_idle(&set.table.elements[number])
        operate(&me.times, SUMMARY)
        if deleted:
            return number
        enlist(set, bucket, number)
        if number == last:
            return 0
        number = bucket.first

cdef inline void find_destination(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
    """FindDestBucket, for the bucket's owner: a bucket of its own next to this one, or a request to a later one."""
    cdef Element* element = &set.table.elements[number]
    cdef Bucket* after
    cdef uint64_t word = 0
    while True:
        if me.buckets.n == 0:
            restock(set, me, bucket)        # before one looks for the next bucket: that one could be removed here
        after = next_bucket(set, me, bucket)
        if after is NULL or after.frequency.load(memory_order_relaxed) > element.count.load(memory_order_relaxed):
            if put_between(set, me, bucket, after, number):
                return
            continue
        after = last_up_to(after, element.count.load(memory_order_relaxed), &word)
        if after is not NULL and delegate(set, me, after, word, single(number)):
            return

cdef inline Bucket* last_up_to(Bucket* at, int64_t frequency, uint64_t* word) noexcept nogil:
    """Optimistic traversal: a bucket from here on whose frequency is not higher, with its word; NULL: start again.

    All that links lead to are buckets, and stay so (Invariant 4.7). Each one's word is read before its
    frequency, and is good for this incarnation only: what is found is in the list as long as a request can be
    left with it. Ends before a marked bucket: its owner removes that, and goes on. (Behind one that has been
    removed a reader could go round in circles.)
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

cdef inline bint put_between(MonitoredSet* set, Hand* me, Bucket* bucket, Bucket* after,
                             uint32_t number) noexcept nogil:
    """For the bucket's owner: a new bucket behind it, between both frequencies (Invariant 4.8).

    False where requests have come that take the element past ``after``.
    """
    cdef Bucket* fresh = &set.buckets[take(set.spare_buckets, &me.buckets)]
    cdef bint left
    if not furnish(set, me, fresh, after, number):
        return False
    left = make_public(set, me, fresh, number)
    bucket.next.store(fresh, memory_order_release)
    if left:
        delegate(set, me, fresh, fresh.word.load(memory_order_acquire), single(number))
    return True

cdef inline bint put_in_front(MonitoredSet* set, Hand* me, Bucket* bucket, uint32_t number) noexcept nogil:
    """For the bucket's owner: a new bucket before it, of a lower frequency, if it is the minimum (Invariant 4.8).

    False where the request belongs elsewhere.
    """
    cdef Bucket* fresh
    cdef bint left
    if not is_minimum(set, bucket):
        return False
    if me.buckets.n == 0:
        restock(set, me, bucket)
    fresh = &set.buckets[take(set.spare_buckets, &me.buckets)]
    if not furnish(set, me, fresh, bucket, number):
        add_element(set, me, bucket, number)
        return True
    left = make_public(set, me, fresh, number)
    put_before_minimum(set, fresh)
    if left:
        delegate(set, me, fresh, fresh.word.load(memory_order_acquire), single(number))
    return True

cdef inline bint furnish(MonitoredSet* set, Hand* me, Bucket* fresh, Bucket* after, uint32_t number) noexcept nogil:
    """Put the element into the private bucket, whose frequency grows by all that has been left so far (bulk increment).

    From then on the frequency stays (Invariant 4.9). False where it comes up to the next one's:
    then the bucket is not needed.
    """
    cdef Element* element = &set.table.elements[number]
    cdef int64_t more
    while element.pending.load(memory_order_relaxed) & REQUESTS > 1:
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        more = relinquish(element)
        operate(&me.times, SUMMARY)
        increment(me, element, more)
    if after is not NULL and element.count.load(memory_order_relaxed) >= after.frequency.load(memory_order_relaxed):
        give(set.spare_buckets, &me.buckets, number_of(set, fresh))
        return False
    fresh.frequency.store(element.count.load(memory_order_relaxed), memory_order_release)
    fresh.next.store(after, memory_order_release)
    fresh.first = fresh.last = fresh.deferred.first = fresh.deferred.n = 0
    add_to_list(set, fresh, number)
    return True

cdef inline bint make_public(MonitoredSet* set, Hand* me, Bucket* fresh, uint32_t number) noexcept nogil:
    """Make the bucket public, and give its element up. True where the element is kept, and is to be moved on.

    All that before the bucket is in the list, where an Overwrite could find the element busy, and wait for its request
    in vain. Who owns the element next finds the bucket by it, and may go on from there, even mark it.
    """
    cdef Element* element = &set.table.elements[number]
    cdef int64_t more
    fresh.word.store(((fresh.word.load(memory_order_relaxed) >> 32) + 1) << 32, memory_order_release)
    operate(&me.times, ELEMENT_SYNCHRONISATION)
    more = relinquish(element)
    operate(&me.times, SUMMARY)
    if more > 0:
        increment(me, element, more)
    return more > 0

cdef inline void add_to_list(MonitoredSet* set, Bucket* bucket, uint32_t number) noexcept nogil:
    set.table.elements[number].bucket = bucket
    enlist(set, bucket, number)

cdef inline void remove(MonitoredSet* set, Bucket* bucket, Element* element) noexcept nogil:
    unlist(set, bucket, element)
    element.bucket = NULL
