"""Times the decisions of a pipeline's scheduler, alone and while another thread changes what it looks at."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.threads cimport pause_briefly, pin_to_core, thread, yield_core
from streambench.pyx.schemes.scheduler cimport Asker, Heuristic
from streambench.pyx.schemes.stage cimport WORKERS, Stage, Tally, new_tally
from streambench.pyx.schemes.stage_scheduler cimport StageScheduler

from streambench.pyx.engine.egress import Egress
from streambench.pyx.engine.stop_token import StopToken
from streambench.pyx.schemes.source_stage import SourceStage
from streambench.pyx.schemes.stateful_stage import StatefulStage
from streambench.pyx.schemes.stateless_stage import StatelessStage
from streambench.pyx.tuples.operator import Sink, Stateless

cdef enum:
    SPINS = 64              # then yield: the other thread may be waiting for this very core
    VISIT = 100             # ticks that a visit to a stage counts; the k-th stage's k more


cdef class Scheduled:
    """The stages of ``source``, ``n`` - 2 stateless operators and a sink, all with work, and their scheduler.

    Costs and selectivities differ from stage to stage.
    """

    cdef readonly Ingress ingress
    cdef readonly list stages
    cdef StageScheduler scheduler
    cdef atomic[int64_t] arrived            # of two threads, that both begin at once
    cdef atomic[int64_t] decided            # by which the other thread knows that it may stop
    cdef int64_t times, threads, chosen, spent
    cdef int core[2]

    def __init__(self, source, int n, Heuristic heuristic):
        cdef int k
        cdef Tally tally
        egress = Egress(StopToken(), 1000)
        self.ingress = Ingress(source, egress, 1, 1024)
        behind = [StatelessStage(Stateless(), k, [], egress, 1024) for k in range(1, n - 1)]
        behind.append(StatefulStage(Sink(), n - 1, [], egress, 1024, True))
        self.stages = [SourceStage(self.ingress, [], egress, behind), *behind]
        self.scheduler = StageScheduler(self.stages, heuristic, 1000.0, 1 << 40)
        for k in range(n):
            tally = new_tally()
            self.visit(k, 1500, 1000, 900 + k, 50_000 + 1000 * k, &tally)

    cdef void visit(self, int place, int64_t enqueued, int64_t taken, int64_t made, int64_t ticks,
                    Tally* tally) noexcept nogil:
        """A worker's stay at a stage: so many tuples come to its worklist, are taken out, and come of them."""
        cdef void* stage = self.scheduler.stage_at[place]
        (<Stage>stage).counters.value[WORKERS].fetch_add(1, memory_order_relaxed)
        (<Stage>stage).count_enqueued(enqueued)
        (<Stage>stage).count_dequeued(tally, taken)
        tally.tuples_in += taken
        tally.tuples_out += made
        (<Stage>stage).account(ticks, tally)
        (<Stage>stage).counters.value[WORKERS].fetch_sub(1)

    cdef void meet(self) noexcept nogil:
        cdef int64_t spins = 0
        self.arrived.fetch_add(1)
        while self.arrived.load() < self.threads:
            spins += 1
            pause_briefly()
            if spins % SPINS == 0:
                yield_core()

    cdef void decide(self) noexcept nogil:
        cdef int64_t i, begun
        cdef Asker asker = Asker(0, self.core[0], 0)
        pin_to_core(self.core[0])
        self.meet()
        begun = nanoseconds()
        for i in range(self.times):
            self.chosen += self.scheduler.choose(0, 1, &asker)
        self.spent = nanoseconds() - begun
        self.decided.store(1, memory_order_relaxed)

    cdef void hammer(self) noexcept nogil:
        """Visits of one tuple to every stage but the source, until all has been decided."""
        cdef int32_t k
        cdef Tally tally
        pin_to_core(self.core[1])
        self.meet()
        while self.decided.load(memory_order_relaxed) == 0:
            for k in range(1, self.scheduler.n_stages):
                tally = new_tally()
                self.visit(k, 1, 1, 1, VISIT + k, &tally)

    def time(self, int64_t times, list cores):
        """Nanoseconds per decision, of so many, on the first of ``cores``; on a second one all stages are visited."""
        cdef thread* deciding
        cdef thread* visiting = NULL
        cdef int64_t k
        self.times, self.threads = times, min(2, len(cores))
        for k in range(self.threads):
            self.core[k] = cores[k]
        self.arrived.store(0)
        self.decided.store(0)
        deciding = new thread(start_deciding, <void*>self)
        if self.threads == 2:
            visiting = new thread(start_hammering, <void*>self)
        with nogil:
            deciding.join()
            del deciding
            if visiting is not NULL:
                visiting.join()
                del visiting
        return self.spent / <double>times


cdef void start_deciding(void* scheduled) noexcept nogil:
    (<Scheduled>scheduled).decide()


cdef void start_hammering(void* scheduled) noexcept nogil:
    (<Scheduled>scheduled).hammer()
