"""The way of an item through the search structure (paper 002, section 4.3.1): to its
element, and with that to a bucket.

In a .pxd so that each module that counts compiles it with its own clocks.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from streambench.pyx.topk.bucket_requests cimport attend, request
from streambench.pyx.topk.element cimport Element, own
from streambench.pyx.topk.monitored_set cimport Hand, MonitoredSet, add_to, increment, minimum_bucket, sweep
from streambench.pyx.topk.operation_times cimport ELEMENT_SYNCHRONISATION, HASH, REST, SUMMARY, operate
from streambench.pyx.topk.search_structure cimport find, insert, spare
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    IN_FLIGHT = 1 << 14             # items on their way into the monitored set at most: then
                                    # who brings another one waits

cdef inline uint32_t ask_element(MonitoredSet* set, Hand* me, uint64_t item) noexcept nogil:
    """Own the item's element and increment it, or leave that to its owner: only that one has it in the
    Stream Summary (Invariant 4.2).

    A new element's number: it is owned by the caller, who gives it a count. Else 0.
    """
    cdef uint64_t word = 0
    cdef uint32_t number
    cdef Element* element
    cdef bint delegated = False
    while True:
        operate(&me.times, HASH)
        number = find(&set.table, item, &word)
        if number == 0:
            number = insert(&set.table, &me.elements, spare(&set.table, &me.elements), item, &word)
            if word == 0:
                return number
        operate(&me.times, ELEMENT_SYNCHRONISATION)
        element = &set.table.elements[number]
        if own(element, &word, &delegated):
            if delegated:
                add_to(&me.delegated, 1)
            else:
                increment(me, element, 1)
                request(set, me, element.bucket, number)
            return 0
        yield_point()

cdef inline void ask_minimum(MonitoredSet* set, Hand* me, uint32_t number) noexcept nogil:
    """For the element's owner: it is to get into the minimum's bucket, or behind or before that."""
    cdef uint64_t word = 0
    operate(&me.times, SUMMARY)
    while not request(set, me, minimum_bucket(set, me, &word), number):
        yield_point()

cdef inline void settle(MonitoredSet* set, Hand* me, int64_t rho, int64_t slice_ns) noexcept nogil:
    """After an item: what falls to the thread itself. It sleeps for ``slice_ns`` where it has left a request in a
    queue of more than ``rho``, unless 0."""
    operate(&me.times, REST)
    if me.marked >= me.sweep_at:
        sweep(set, me)
    while not me.unattended.empty():
        attend(set, me)
    if me.depth > rho > 0:
        me.depth = 0
        add_to(&me.slept, 1)
        sleep_ns(slice_ns)
