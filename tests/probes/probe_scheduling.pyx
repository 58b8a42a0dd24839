"""A pipeline's scheduler without its workers: Python says what visits would have counted, and asks for decisions."""

from libc.stdint cimport int64_t
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.schemes.scheduler cimport Asker, Heuristic, OperatorState
from streambench.pyx.schemes.stage cimport WORKERS, Stage, Tally, new_tally
from streambench.pyx.schemes.stage_scheduler cimport StageScheduler
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

from streambench.pyx.engine.egress import Egress
from streambench.pyx.engine.stop_token import StopToken
from streambench.pyx.tuples.operator import Sink, Stateless
from streambench.pyx.schemes.source_stage import SourceStage
from streambench.pyx.schemes.stateful_stage import StatefulStage
from streambench.pyx.schemes.stateless_stage import StatelessStage


cdef class Scheduled:
    """The stages of ``source``, ``n`` - 2 stateless operators and a sink, and their scheduler; times in ticks."""
    cdef readonly Ingress ingress
    cdef readonly list stages
    cdef StageScheduler scheduler
    cdef Tally tallies[MAX_OPERATORS]       # of the visits to a stage

    def __init__(self, source, int n, Heuristic heuristic, double time_slice=1000.0, int64_t window=1 << 40):
        cdef int k
        egress = Egress(StopToken(), 1000)
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
        cdef Asker asker = Asker(0, -1, -1)
        return self.scheduler.choose(vain, now, &asker)

    def budget(self, int place, int64_t unit_size):
        return self.scheduler.budget(place, unit_size)

    def state(self, int place):
        """What a heuristic is told of a stage, as ``Heuristic.choose_from`` takes it."""
        cdef OperatorState found
        (<Stage>self.stages[place]).state(&found)
        return {"schedulable": bool(found.schedulable), "worklist": found.worklist, "workers": found.workers,
                "max_workers": found.max_workers, "cost": found.cost, "selectivity": found.selectivity,
                "window_time": found.window_time}
