"""Lossy Counting by thread cooperation (paper 002, section 4.4): the design "cooperative-lossy".

As in "cooperative", but who is new overwrites nobody. All threads together cut what they take into rounds of w = 1 /
epsilon items. A new element's error is `rounds`, the number of those that have ended by then: so often at most its item
had been counted, and dropped. The end of a round is a request by an element that stands for no item. It goes to the
minimum, and removes the elements there whose count is not above `rounds`. If the next round ends meanwhile, that is
left at this element, as with any item that comes again.

- `rounds` is raised before elements are deleted for it, and read after a new one has been
  inserted. So no error is too low.
- A query reads `rounds` after the elements: what it does not find there any more had not been counted more often.
- An element may get to its place when its round has ended already. Whoever puts it there makes that
  request, too. Until then all that is on its way may be in its place, and have a bucket of its own: so
  there are as many buckets as elements.
"""

cimport cython
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.topk.element cimport Element, own
from streambench.pyx.topk.item_requests cimport IN_FLIGHT, ask_element, ask_minimum, settle
from streambench.pyx.topk.monitored_set cimport Hand, look_at, overwrite, reserve_round_end
from streambench.pyx.topk.monitored_summary cimport MonitoredSummary
from streambench.pyx.topk.operation_times cimport REST, begin, operate
from streambench.pyx.topk.summary cimport Snapshot
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters


def most_monitored(int64_t width):
    """Items that rounds of ``width`` leave of 2^63 at most (Manku and Motwani, 2002), and those of
    the round under way twice."""
    return int(width * (log(2.0 ** 63 / width) + 2))


@cython.final
cdef class CooperativeLossy(MonitoredSummary):
    """Lossy Counting in rounds of ``counters`` items. Raises what ``Summary`` does."""

    cdef PaddedCounter* items               # that threads have taken, to know who ends a round

    def __cinit__(self, *args, **kwargs):
        self.items = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.items)

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads, most_monitored(max(counters, 1)) + IN_FLIGHT, threads)
        reserve_round_end(&self.set)

    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t first = self.items.value.fetch_add(n, memory_order_relaxed)
        cdef int64_t last = self.counters - 1 - first % self.counters           # of a round, from here
        cdef uint32_t new
        cdef int64_t k
        begin(&me.times)
        for k in range(n):
            new = ask_element(&self.set, me, items[k])
            if new:
                self.monitor(me, new)
            settle(&self.set, me, 0, 0)
            if k == last:
                self.end_round(me)
                settle(&self.set, me, 0, 0)
                last += self.counters
        operate(&me.times, REST)

    cdef void monitor(self, Hand* me, uint32_t number) noexcept nogil:
        """A new element may have been dropped in any round that has ended (acquire: pairs with
        the raise in `end_round`)."""
        cdef Element* element = &self.set.table.elements[number]
        element.increment = 1
        overwrite(me, element, self.set.rounds.value.load(memory_order_acquire))
        ask_minimum(&self.set, me, number)

    cdef void end_round(self, Hand* me) noexcept nogil:
        """Have the minimum's elements removed that are infrequent, or leave that to whoever is at it."""
        cdef Element* end = &self.set.table.elements[self.set.round_end]
        cdef uint64_t word = end.pending.load(memory_order_relaxed)
        cdef bint delegated = False
        self.set.rounds.value.fetch_add(1, memory_order_acq_rel)
        own(end, &word, &delegated)     # it is never deleted: this cannot fail
        if not delegated:
            ask_minimum(&self.set, me, self.set.round_end)

    cdef void look(self, Snapshot* out) noexcept nogil:
        look_at(&self.set, out)
        out.floor = max(out.floor, self.set.rounds.value.load(memory_order_acquire))
