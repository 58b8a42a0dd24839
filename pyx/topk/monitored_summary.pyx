"""See the declarations."""

from libc.stdint cimport int32_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.topk.monitored_set cimport (
    add_to, begin_monitored_set, end_monitored_set, in_seconds, look_at, size_of,
)
from streambench.pyx.topk.summary cimport Snapshot

cdef enum:
    BLOCK = 64                      # items that a thread says to have taken at a time


cdef class MonitoredSummary(Summary):
    """``monitored``: items that the set holds at most. ``in_flight``: items that may be on their way into
    it: then who brings another one waits. Raises what ``Summary`` does, and MemoryError where the system
    refuses the addresses for so many.
    """

    def __init__(self, int64_t counters, int32_t threads, int64_t monitored, int64_t in_flight):
        super().__init__(counters, threads)
        begin_monitored_set(
            &self.set, monitored, in_flight, threads, min(monitored, 2 * counters) + in_flight
        )

    def __dealloc__(self):
        end_monitored_set(&self.set)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef Hand* me = &self.set.hands[thread]
        cdef int64_t at = 0, some
        while at < n:
            some = min(<int64_t>BLOCK, n - at)
            add_to(&me.taken, some)
            self.count_some(me, items + at, some)
            at += some

    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil:
        """Count the items, which the thread has said to have taken. Designs differ in this."""
        pass

    cdef void look(self, Snapshot* out) noexcept nogil:
        look_at(&self.set, out)

    def statistics(self) -> dict:
        """What was delegated so far: the share of items left at their element, sizes of queues,
        how often a thread slept."""
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
        """Seconds by operation, summed over threads: all 0 unless the design's module was compiled to measure them."""
        return in_seconds(self.set.hands, self.threads)

    @property
    def nbytes(self) -> int:
        """Memory that it holds: it grows with the most elements and buckets that have been in use at a time."""
        return size_of(&self.set)
