"""Space-Saving by one thread: the design "sequential", which the others are measured against (paper 002, section 2.2).

The elements that are monitored are in buckets, one for each count, and these in a list by count (the Stream-Summary of
Metwally, Agrawal and El Abbadi, 2005). A search structure, here a hash table with chains, finds an item's element. So
each item takes constant time. Elements and buckets are places in arrays, linked by index: no item causes an allocation.

Of the elements that have the least count the one is overwritten that has had it for the longest time.
"""

from streambench.pyx.topk.summary cimport Snapshot
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.ticket_lock cimport acquire, release
from streambench.pyx.state.count_table cimport hash_of

cdef enum:
    MOST_COUNTERS = 1 << 24             # they take 1.2 GB; indices are 32 bits


cdef class StreamSummary(OneThreadSummary):
    """Space-Saving with ``counters`` counters, updated by one thread.

    The sum of all counts is the number of items. Raises ValueError for more threads, and for more than 2^24 counters.
    """

    def __init__(self, int64_t counters, int32_t threads=1):
        cdef int32_t bucket
        cdef uint64_t places = 2
        super().__init__(counters, threads)
        if counters > MOST_COUNTERS:
            raise ValueError(f"a Stream-Summary has up to {MOST_COUNTERS} counters, not {counters}")
        while places < 2 * <uint64_t>counters:
            places *= 2
        self.places.assign(places, NONE)
        self.mask = places - 1
        self.elements.resize(counters)
        self.buckets.resize(counters)
        for bucket in range(counters):
            self.buckets[bucket].higher = bucket + 1 if bucket + 1 < counters else NONE
        self.spare = 0
        self.lowest = self.highest = NONE

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays, from its making on."""
        return (
            self.elements.size() * sizeof(Element) + self.buckets.size() * sizeof(Bucket)
            + self.places.size() * sizeof(int32_t)
        )

    cdef void look(self, Snapshot* out) noexcept nogil:
        lengthen(out.counters, self.counters)       # outside the lock, under which nothing is then allocated
        acquire(&self.lock)
        self.copy_descending(&out.counters)
        out.floor = self.floor()
        out.n = self.n
        release(&self.lock)
        out.in_flight = 0                           # an update returns when its items are counted

    cdef void count(self, const uint64_t* items, int64_t n) noexcept nogil:
        """Algorithm 2.1. For who is alone: takes no lock."""
        cdef int64_t k
        cdef int32_t element
        for k in range(n):
            element = self.lookup(items[k])
            if element != NONE:
                self.increment_counter(element)
            elif self.monitored < self.counters:
                self.add_element(items[k])
            else:
                self.overwrite(self.buckets[self.lowest].first, items[k])
        self.n += n

    cdef void count_often(self, uint64_t item, int64_t times) noexcept nogil:
        """Bulk increment (paper 002, section 4.3.1): as if the item came so many times in a row, at least once."""
        cdef int32_t element, bucket, lower, higher
        cdef int64_t count
        self.count(&item, 1)
        if times == 1:
            return
        self.n += times - 1
        element = self.lookup(item)
        bucket = lower = self.elements[element].bucket
        count = self.buckets[bucket].count + times - 1
        higher = self.buckets[bucket].higher
        while higher != NONE and self.buckets[higher].count <= count:
            lower = higher
            higher = self.buckets[higher].higher
        self.detach(element)
        if self.buckets[bucket].first == NONE:      # first, so that there is a spare bucket
            if lower == bucket:
                lower = self.buckets[bucket].lower
            self.remove_bucket(bucket)
        if lower == NONE or self.buckets[lower].count < count:
            lower = self.insert_bucket(count, lower)
        self.append(element, lower)

    cdef void copy_descending(self, vector[Counter]* out) noexcept nogil:
        """Replace what is in ``out`` by what is monitored, highest count first. For who is alone."""
        cdef int32_t bucket = self.highest, element
        cdef Counter counter
        out.clear()
        while bucket != NONE:
            element = self.buckets[bucket].first
            while element != NONE:
                counter.item = self.elements[element].item
                counter.count = self.buckets[bucket].count
                counter.error = self.elements[element].error
                out.push_back(counter)
                element = self.elements[element].after
            bucket = self.buckets[bucket].lower

    cdef int64_t floor(self) noexcept nogil:
        """An item that is not monitored has occurred this often at most: the least count, or
        never where there is room."""
        return 0 if self.monitored < self.counters else self.buckets[self.lowest].count

    # The operations of Table 1.

    cdef int32_t lookup(self, uint64_t item) noexcept nogil:
        """LOOKUP: the element that counts the item, or NONE."""
        cdef int32_t* place = &self.places[hash_of(item) & self.mask]
        cdef int32_t element
        element = place[0]
        while element != NONE:
            if self.elements[element].item == item:
                break
            element = self.elements[element].chained
        return element

    cdef void increment_counter(self, int32_t element) noexcept nogil:
        """IncrementCounter: into the next higher bucket, if that has just one more; else a bucket is made for it."""
        cdef int32_t bucket = self.elements[element].bucket
        cdef int32_t higher = self.buckets[bucket].higher
        cdef int64_t count = self.buckets[bucket].count + 1
        cdef bint alone = self.buckets[bucket].first == self.buckets[bucket].last
        if higher != NONE and self.buckets[higher].count == count:
            self.detach(element)
            self.append(element, higher)
            if alone:
                self.remove_bucket(bucket)
        elif alone:
            self.buckets[bucket].count = count      # it becomes the bucket that would be made
        else:
            self.detach(element)
            self.append(element, self.insert_bucket(count, bucket))

    cdef void add_element(self, uint64_t item) noexcept nogil:
        """AddElement, with frequency 1."""
        cdef int32_t element = self.monitored
        self.monitored += 1
        self.elements[element].item = item
        self.elements[element].error = 0
        self.chain(element)
        if self.lowest == NONE or self.buckets[self.lowest].count > 1:
            self.insert_bucket(1, NONE)
        self.append(element, self.lowest)

    cdef void overwrite(self, int32_t element, uint64_t item) noexcept nogil:
        """Overwrite: the item takes over an element of the lowest bucket; what that had counted is its error."""
        self.unchain(element)
        self.elements[element].item = item
        self.elements[element].error = self.buckets[self.lowest].count
        self.chain(element)
        self.increment_counter(element)

    # Of the search structure.

    cdef void chain(self, int32_t element) noexcept nogil:
        cdef int32_t* place = &self.places[hash_of(self.elements[element].item) & self.mask]
        self.elements[element].chained = place[0]
        place[0] = element

    cdef void unchain(self, int32_t element) noexcept nogil:
        cdef int32_t* link = &self.places[hash_of(self.elements[element].item) & self.mask]
        while link[0] != element:
            link = &self.elements[link[0]].chained
        link[0] = self.elements[element].chained

    # Of the Stream-Summary.

    cdef void append(self, int32_t element, int32_t bucket) noexcept nogil:
        cdef int32_t last = self.buckets[bucket].last
        self.elements[element].bucket = bucket
        self.elements[element].before = last
        self.elements[element].after = NONE
        self.buckets[bucket].last = element
        if last == NONE:
            self.buckets[bucket].first = element
        else:
            self.elements[last].after = element

    cdef void detach(self, int32_t element) noexcept nogil:
        cdef int32_t bucket = self.elements[element].bucket
        cdef int32_t before = self.elements[element].before, after = self.elements[element].after
        if before == NONE:
            self.buckets[bucket].first = after
        else:
            self.elements[before].after = after
        if after == NONE:
            self.buckets[bucket].last = before
        else:
            self.elements[after].before = before

    cdef int32_t insert_bucket(self, int64_t count, int32_t lower) noexcept nogil:
        """An empty bucket above ``lower``, or below all; one is spare because none of those in use is empty."""
        cdef int32_t bucket = self.spare
        cdef int32_t higher = self.lowest if lower == NONE else self.buckets[lower].higher
        self.spare = self.buckets[bucket].higher
        self.buckets[bucket] = Bucket(count, NONE, NONE, lower, higher)
        if lower == NONE:
            self.lowest = bucket
        else:
            self.buckets[lower].higher = bucket
        if higher == NONE:
            self.highest = bucket
        else:
            self.buckets[higher].lower = bucket
        return bucket

    cdef void remove_bucket(self, int32_t bucket) noexcept nogil:
        cdef int32_t lower = self.buckets[bucket].lower, higher = self.buckets[bucket].higher
        if lower == NONE:
            self.lowest = higher
        else:
            self.buckets[lower].higher = higher
        if higher == NONE:
            self.highest = lower
        else:
            self.buckets[higher].lower = lower
        self.buckets[bucket].higher = self.spare
        self.spare = bucket
