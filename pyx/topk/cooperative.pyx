"""Space-Saving by thread cooperation (paper 002, section 4): who finds an element or a bucket owned leaves its request
to the owner.

An item goes through the search structure (`item_requests`): its element is owned by whoever's request is the first
(Invariant 4.6), so that one thread at a time has it in the Stream Summary (Boundary Invariant 4.2). There the element
is its own request (`bucket_requests`).

- No Overwrite before all counters are in use: none could be lower than the minimum later on, so no
  error is above N / counters.
- A query reads the elements, not the buckets: an element is never out of its place, while
  one on its way is in no bucket.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from streambench.pyx.topk.element cimport Element
from streambench.pyx.topk.item_requests cimport IN_FLIGHT, ask_element, ask_minimum, settle
from streambench.pyx.topk.monitored_set cimport Hand, increment, reserve
from streambench.pyx.topk.monitored_summary cimport MonitoredSummary
from streambench.pyx.topk.operation_times cimport REST, begin, operate


@cython.final
cdef class Cooperative(MonitoredSummary):
    """See the module. ``rho``: a thread that leaves a request in a queue of more than so many sleeps for ``sleep``
    seconds (auto-tuning, section 4.3.3; the paper's rho is 500), 0 for never. Raises ValueError where ``rho`` is
    negative or ``sleep`` not from 0 to 1, and as ``Summary`` does.
    """

    cdef readonly int64_t rho
    cdef int64_t slice_ns               # the paper's time slice, for which a thread sleeps

    def __init__(self, int64_t counters, int32_t threads=1, int64_t rho=0, double sleep=5e-05):
        if rho < 0:
            raise ValueError(f"rho is a queue's size from which on threads sleep, or 0 for never, not {rho}")
        if not 0 <= sleep <= 1:
            raise ValueError(f"a thread sleeps for 0 to 1 second, not {sleep:g}")
        super().__init__(counters, threads, counters, IN_FLIGHT)
        self.rho = rho
        self.slice_ns = <int64_t>(sleep * 1e9)

    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil:
        cdef uint32_t new
        cdef int64_t k
        begin(&me.times)
        for k in range(n):
            new = ask_element(&self.set, me, items[k])
            if new:
                self.monitor(me, new)
            settle(&self.set, me, self.rho, self.slice_ns)
        operate(&me.times, REST)

    cdef void monitor(self, Hand* me, uint32_t number) noexcept nogil:
        """A new element gets a counter that is left, or overwrites (Algorithm 2.1)."""
        cdef Element* element = &self.set.table.elements[number]
        element.increment = 1
        if reserve(&self.set):
            increment(me, element, 1)
        ask_minimum(&self.set, me, number)
