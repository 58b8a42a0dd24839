"""The scheduler of a pipeline (paper 000, section 6): from the stages' counters, by a heuristic, to a stage.

A decision takes no lock and writes nothing that is shared. Of each stage it reads two cache lines, of which one changes
with every enqueue and the other with every visit; so of the lines it reads, only those are not in its cache that other
workers have written since the last one.
"""

from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport COUNTERS, look
from streambench.pyx.schemes.scheduler cimport OperatorState
from streambench.pyx.schemes.stage cimport COST, Stage, from_bits, read_state


cdef class StageScheduler:
    """Of ``stages``, from source to sink; ``time_slice`` and ``window`` in ticks."""

    def __cinit__(self, list stages, Heuristic heuristic, double time_slice, int64_t window):
        cdef Stage stage
        self.stages = stages
        self.heuristic = heuristic
        self.time_slice = time_slice
        self.window = window
        self.window_end = new_counters(1)
        for stage in stages:
            self.stage_at[self.n_stages] = <void*>stage
            self.watched[self.n_stages].counters = stage.counters
            self.watched[self.n_stages].enqueued = stage.enqueued
            self.watched[self.n_stages].max_workers = stage.max_workers
            self.n_stages += 1

    def __dealloc__(self):
        delete_counters(self.window_end)

    cdef int32_t choose(self, int64_t vain, int64_t now, const Asker* asker) noexcept nogil:
        """The stage to work on, or -1; ``vain``: a bit per stage that is out of the question. ``now`` in ticks.

        ``asker``: the worker that is to have it.
        """
        cdef OperatorState states[MAX_OPERATORS]
        cdef int32_t k
        if now > self.window_end.value.load(memory_order_relaxed):
            self.begin_window(now)
        for k in range(self.n_stages):
            look(COUNTERS, self.watched[k].counters)
            look(COUNTERS, self.watched[k].enqueued)
        (<Stage>self.stage_at[0]).state(&states[0])         # the source's depends on credit, too
        for k in range(1, self.n_stages):
            read_state(self.watched[k].counters, self.watched[k].enqueued.value.load(memory_order_relaxed),
                       self.watched[k].max_workers, &states[k])
        if vain != 0:
            for k in range(self.n_stages):
                if vain >> k & 1:
                    states[k].schedulable = False
        return self.heuristic.choose(states, self.n_stages, self.time_slice, asker)

    cdef void begin_window(self, int64_t now) noexcept nogil:
        cdef int64_t end = self.window_end.value.load(memory_order_relaxed)
        cdef int32_t k
        if now > end and self.window_end.value.compare_exchange_strong(end, now + self.window):
            for k in range(self.n_stages):
                (<Stage>self.stage_at[k]).fade()

    cdef int64_t budget(self, int32_t chosen, int64_t unit_size) noexcept nogil:
        """Tuples for a visit: a time slice's by the measured cost; before there is one, or
        to walk on with it, a unit."""
        cdef double cost = from_bits(self.watched[chosen].counters.value[COST].load(memory_order_relaxed))
        if cost <= 0.0 or self.heuristic.walks:
            return unit_size
        return <int64_t>(self.time_slice / cost) + 1
