"""A pipeline's scheduler without its workers: Python says what visits would have counted, and asks for decisions."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from probe_threads cimport Threads
from streambench.pyx.clock cimport nanoseconds
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.scheduler cimport Heuristic, OperatorState
from streambench.pyx.stage cimport WORKERS, Stage, Tally, new_tally
from streambench.pyx.stage_scheduler cimport StageScheduler
from streambench.pyx.threads cimport pin_to_core
from streambench.pyx.unit cimport MAX_OPERATORS

from streambench.pyx.egress import Egress
from streambench.pyx.operator import Sink, Stateless
from streambench.pyx.source_stage import SourceStage
from streambench.pyx.stateful_stage import StatefulStage
from streambench.pyx.stateless_stage import StatelessStage


cdef class Scheduled(Threads):
    """The stages of ``source``, ``n`` - 2 stateless operators and a sink, and their scheduler; times in ticks."""
    cdef readonly Ingress ingress
    cdef readonly list stages
    cdef StageScheduler scheduler
    cdef Tally tallies[MAX_OPERATORS]       # of the visits to a stage
    cdef atomic[int64_t] decided            # by which the other thread knows that it may stop
    cdef int64_t times, chosen
    cdef readonly double ns_per_decision
    cdef readonly double ns_per_visit       # of the other thread

    def __init__(self, source, int n, Heuristic heuristic, double time_slice=1000.0, int64_t window=1 << 40):
        cdef int k
        egress = Egress(1000)
        self.ingress = Ingress(source, egress, 1, 1024)
        behind = [StatelessStage(Stateless(), k, [], egress, 1024) for k in range(1, n - 1)]
        behind.append(StatefulStage(Sink(), n - 1, [], egress, 1024, True))
        self.stages = [SourceStage(self.ingress, [], egress, behind), *behind]
        self.scheduler = StageScheduler(self.stages, heuristic, time_slice, window)
        for k in range(n):
            self.tallies[k] = new_tally()

    def enqueue(self, int place, int64_t tuples):
        (<Stage>self.stages[place]).count_enqueued(tuples)

    def begin(self, int place):
        (<Stage>self.stages[place]).counters.value[WORKERS].fetch_add(1)

    def take(self, int place, int64_t tuples, int64_t made):
        """In a visit: so many tuples are taken out of the worklist, and so many come of them."""
        cdef Tally* tally = &self.tallies[place]
        (<Stage>self.stages[place]).count_dequeued(tally, tuples)
        tally.tuples_in += tuples
        tally.tuples_out += made

    def end(self, int place, int64_t elapsed):
        (<Stage>self.stages[place]).account(elapsed, &self.tallies[place])
        self.tallies[place] = new_tally()
        (<Stage>self.stages[place]).counters.value[WORKERS].fetch_sub(1)

    def choose(self, int64_t now, int64_t vain=0):
        return self.scheduler.choose(vain, now)

    def budget(self, int place, int64_t unit_size):
        return self.scheduler.budget(place, unit_size)

    def state(self, int place):
        """What a heuristic is told of a stage, as ``Heuristic.choose_from`` takes it."""
        cdef OperatorState found
        (<Stage>self.stages[place]).state(&found)
        return {"schedulable": bool(found.schedulable), "worklist": found.worklist, "workers": found.workers,
                "max_workers": found.max_workers, "cost": found.cost, "selectivity": found.selectivity,
                "window_time": found.window_time}

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t i, begun, rounds = 0
        pin_to_core(<int>me)
        self.meet(1)
        begun = nanoseconds()
        if me == 0:
            for i in range(self.times):
                self.chosen += self.scheduler.choose(0, 1)
            self.decided.store(1, memory_order_relaxed)
            self.ns_per_decision = (nanoseconds() - begun) / <double>self.times
        else:
            while self.decided.load(memory_order_relaxed) == 0:
                self.visit_all()
                rounds += 1
            self.ns_per_visit = (nanoseconds() - begun) / <double>(max(rounds, 1) * (self.scheduler.n_stages - 1))

    cdef void visit_all(self) noexcept nogil:
        """One visit of one tuple to every stage but the source."""
        cdef int32_t k
        cdef Tally tally
        for k in range(1, self.scheduler.n_stages):
            tally = new_tally()
            (<Stage>self.scheduler.stage_at[k]).counters.value[WORKERS].fetch_add(1, memory_order_relaxed)
            (<Stage>self.scheduler.stage_at[k]).count_enqueued(1)
            (<Stage>self.scheduler.stage_at[k]).count_dequeued(&tally, 1)
            tally.tuples_in = tally.tuples_out = 1
            (<Stage>self.scheduler.stage_at[k]).account(100 + k, &tally)
            (<Stage>self.scheduler.stage_at[k]).counters.value[WORKERS].fetch_sub(1)

    def time(self, int64_t times, bint hammered):
        """Measure ``times`` decisions, with another thread that makes visits all the time, or without."""
        self.times = times
        self.decided.store(0)
        self.run(2 if hammered else 1)
        return self.ns_per_decision
