"""Space-Saving by thread cooperation (paper 002, section 4): who finds an element or a bucket owned leaves its request
to the owner.

An item goes through the search structure: its element is owned by whoever's request is the first (Invariant 4.6), so that one
thread at a time has it in the Stream Summary (Boundary Invariant 4.2). There the element is its own request: see `bucket_requests`.

- No Overwrite before all counters are in use: none could be lower than the minimum later on, so no error is above N / counters.
- A query reads the elements, not the buckets: an element is never out of its place, while one on its way is in no bucket.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from streambench.pyx.heavy_hitters.bucket_requests cimport attend, request
from streambench.pyx.heavy_hitters.element cimport Element, own
from streambench.pyx.heavy_hitters.monitored_set cimport Hand, add_to, increment, minimum_bucket, reserve, sweep
from streambench.pyx.heavy_hitters.monitored_summary cimport MonitoredSummary
from streambench.pyx.heavy_hitters.operation_times cimport ELEMENT_SYNCHRONISATION, HASH, REST, SUMMARY, begin, operate
from streambench.pyx.heavy_hitters.search_structure cimport find, insert
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    IN_FLIGHT = 1 << 14             # items on their way into the monitored set at most: then who brings another one waits
    SLICE = 50_000                  # ns that a throttled thread sleeps

@cython.final
cdef class Cooperative(MonitoredSummary):
    """See the module. ``rho``: a thread that leaves a request in a queue of more than so many sleeps a little (auto-tuning, section
    4.3.3; the paper's is 500), 0 for never. Raises ValueError where it is negative, and as ``Summary`` does.
    """

    cdef readonly int64_t rho

    def __init__(self, int64_t counters, int32_t threads=1, int64_t rho=0):
        if rho < 0:
            raise ValueError(f"rho is a queue's size from which on threads sleep, or 0 for never, not {rho}")
        super().__init__(counters, threads, IN_FLIGHT)
        self.rho = rho

    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t k
        begin(&me.times)
        for k in range(n):
            self.count(me, items[k])
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
                    request(&self.set, me, element.bucket, number)
                break
            yield_point()
        operate(&me.times, REST)
        if me.marked >= me.sweep_at:
            sweep(&self.set, me)
        while not me.unattended.empty():
            attend(&self.set, me)
        if me.depth > self.rho > 0:
            me.depth = 0
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
        while not request(&self.set, me, minimum_bucket(&self.set, me, &word), number):
            yield_point()
