"""The engine `schemes`: workers, the only threads, that ask the scheduler for an operator and
work on it for a time slice.

Paper 000, sections 2.2 and 6. With n workers allowed, n threads run; a worker with nothing to do pauses, yields, naps
and then sleeps until others have done something (`idle`), so that more workers than cores do no harm.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.engine.engine cimport Engine
from streambench.pyx.machine.simulated cimport COUNTERS, present, touch
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.pyx.machine.parking cimport wake_all, wake_one
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.schemes.python_failure cimport PythonFailure
from streambench.pyx.schemes.scheduler cimport Asker, Heuristic
from streambench.pyx.schemes.source_stage cimport SourceStage
from streambench.pyx.schemes.stage cimport WORKERS, Stage, Tally, new_tally
from streambench.pyx.schemes.stage_scheduler cimport StageScheduler
from streambench.pyx.schemes.stateful_stage cimport StatefulStage
from streambench.pyx.schemes.timeline cimport Timeline
from streambench.pyx.tuples.unit cimport FAR_PIECE, MAX_OPERATORS
from streambench.pyx.machine.yield_points cimport yield_point

from streambench.pyx.machine.simulated import ticks_of_a_second
from streambench.pyx.tuples.errors import OptionError
from streambench.pyx.schemes.heuristics import make
from streambench.pyx.schemes.hybrid_queue import HybridQueue
from streambench.pyx.schemes.lock_based_reorder_buffer import LockBasedReorderBuffer
from streambench.pyx.schemes.partitioned_queue import PartitionedQueue
from streambench.pyx.schemes.partitioned_stage import PartitionedStage
from streambench.pyx.schemes.reorder_buffer import NonBlockingReorderBuffer
from streambench.pyx.schemes.shared_queue import SharedQueue
from streambench.pyx.schemes.stateless_stage import StatelessStage
from streambench.pyx.schemes.ticket_reorder_buffer import TicketReorderBuffer

REORDERS = {"nonblocking": NonBlockingReorderBuffer, "lock": LockBasedReorderBuffer, "ticket": TicketReorderBuffer}
PARTITIONINGS = {"hybrid": HybridQueue, "partitioned": PartitionedQueue, "shared": SharedQueue}


cdef class SchemesEngine(Engine):
    """One execution of a pipeline.

    ``operators``: source, operators, sink, already prepared. ``partitions``: one number per operator (ignored where it
    is not partitioned). ``cores``: where to pin the workers, empty for not at all; ``nodes``: of these, by worker.
    ``heuristic``: a name, or a Heuristic; ``reorder`` and ``partitioning``: names, or what makes one, called as their
    classes are. ``failure``: that of the schemes that are written in Python. ``routing``: ``early``, or ``in-order``:
    serially, behind each reorder buffer. ``window`` and ``time_slice`` in seconds. ``capacity``: of
    QST, in tuples. ``fuse``: stateless operators belong to the stage before them. ``profiled``: sample the stages'
    state over time.
    """

    cdef readonly Ingress ingress
    cdef list stages
    cdef void* stage_at[MAX_OPERATORS]
    cdef int32_t n_stages
    cdef StatefulStage sink
    cdef Heuristic heuristic
    cdef PythonFailure failure
    cdef StageScheduler stage_scheduler
    cdef vector[Asker] askers           # by worker
    cdef vector[int64_t] in_visits      # ticks by worker, each written by it as it ends
    cdef public Timeline timeline       # None unless profiled; public: a test puts one in that is soon full

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit_size, int64_t credit,
                 int64_t marker_interval, double rate=0.0, tuple schedule=None, heuristic="ct",
                 reorder="nonblocking", partitioning="hybrid", str routing="early", double time_slice=1e-4,
                 double window=1e-2, double capacity=8192.0, bint fuse=True, bint by_range=False, dict bounds={},
                 bint traced=False, bint profiled=False, tuple cores=(), tuple nodes=(), PythonFailure failure=None):
        cdef int64_t slot
        Engine.__init__(self, workers, cores, marker_interval)
        self.failure = failure or PythonFailure()
        self.failure.token = self.token
        self.heuristic = heuristic if isinstance(heuristic, Heuristic) else make(heuristic, capacity)
        self.askers = [Asker(number, cores[number] if cores else -1, nodes[number] if nodes else -1)
                       for number in range(workers)]
        self.in_visits.resize(workers)
        self.ingress = Ingress(operators[0], self.egress, unit_size, credit, rate, schedule)
        for slot in range(self.ingress.mask + 1):
            self.ingress.units[slot].most = FAR_PIECE
        self.build(operators, partitions, credit, PARTITIONINGS.get(partitioning, partitioning),
                   REORDERS.get(reorder, reorder), routing == "in-order", fuse, by_range, bounds, traced)
        second = ticks_of_a_second()
        self.stage_scheduler = StageScheduler(self.stages, self.heuristic, time_slice * second,
                                              <int64_t>(window * second))
        if profiled:
            self.timeline = Timeline(self.n_stages)

    def build(self, list operators, list partitions, int64_t credit, worklist_of, reorder_buffer_of,
              bint routes_in_order, bint fuse, bint by_range, dict bounds, bint traced):
        """Cut the pipeline into stages and connect them; the two schemes are given as what makes them."""
        cdef int32_t place, after
        cdef Stage stage
        cdef PartitionedStateful keyed
        self.stages = []
        place = 1
        after = self.end_of_run(operators, 1, fuse)
        first_fused = operators[1:after]
        place = after
        while place < len(operators):
            operator = operators[place]
            after = place + 1
            if isinstance(operator, PartitionedStateful) or isinstance(operator, Stateless):
                after = self.end_of_run(operators, place + 1, fuse)
            fused = operators[place + 1:after]
            if isinstance(operator, PartitionedStateful):
                stage = PartitionedStage(operator, place, fused, self.egress, worklist_of(partitions[place], credit))
            elif isinstance(operator, Stateless):
                stage = StatelessStage(operator, place, fused, self.egress, credit)
            else:
                stage = StatefulStage(operator, place, fused, self.egress, credit, place == len(operators) - 1)
            self.stages.append(stage)
            place = after
        self.stages.insert(0, SourceStage(self.ingress, first_fused, self.egress, self.stages))
        self.n_stages = <int32_t>len(self.stages)
        self.sink = self.stages[self.n_stages - 1]
        (<Stage>self.stages[0 if first_fused else 1]).enters = True
        for place in range(self.n_stages):
            stage = self.stages[place]
            stage.traced = traced
            self.stage_at[place] = <void*>stage
            stage.before = self.stage_at[place - 1] if place > 0 else NULL
            if place + 1 < self.n_stages:
                stage.next = self.stages[place + 1]
                stage.before_sink = place + 2 == self.n_stages
                stage.reorder = reorder_buffer_of(stage, credit)
                if isinstance(stage.next.operator, PartitionedStateful):
                    keyed = stage.next.operator
                    stage.routes_in_order = routes_in_order
                    stage.scatter_for = Partitioning(partitions[stage.next.place],
                                                     by_range and keyed.high_key > keyed.low_key,
                                                     keyed.low_key, keyed.high_key,
                                                     bounds.get(stage.next.place, ()))

    def end_of_run(self, list operators, int32_t place, bint fuse):
        """Return the end of the run of stateless operators from ``place`` on that may be fused."""
        while fuse and place < len(operators) and isinstance(operators[place], Stateless):
            place += 1
        return place

    def begin(self):
        """As a run begins."""
        self.ingress.started = self.begun_ns

    cdef void work(self, int number) noexcept nogil:
        """A worker's life."""
        cdef Idle idle = busy(self.parking)
        cdef const Asker* asker = self.askers.data() + number
        cdef int32_t chosen
        cdef int64_t used, worked = 0
        cdef int64_t at = 0             # the tick at which the visit just before ended, 0: it is long ago
        cdef int32_t walk_to = -1       # where a heuristic that walks goes on with the unit just produced
        cdef int64_t vain = 0           # a bit per stage visited for nothing since work was
                                        # last found: try the others first
        while self.stopped.value.load(memory_order_seq_cst) == 0:   # before a sleep it pairs with StopToken.stop
            used = 0
            if idle.announced:
                self.see_visits()
            chosen = walk_to if walk_to >= 0 else self.stage_scheduler.choose(
                vain, at if at > 0 else present(), asker)
            at = 0
            walk_to = -1
            yield_point()               # others may change what the choice was made of
            if chosen >= 0:
                used = self.visit(chosen, &at, &worked)
            if used > 0:
                resume(&idle)
                vain = 0
                if (self.heuristic.walks and chosen + 1 < self.n_stages
                        and (<Stage>self.stage_at[chosen + 1]).schedulable()):
                    walk_to = chosen + 1
            elif chosen >= 0:
                # What a stage holds can be out of reach: delegated to another worker, or a source that has nothing yet.
                vain |= <int64_t>1 << chosen
            elif self.sink.sweep():
                resume(&idle)
                vain = 0
            elif self.ingress.finished():
                break
            elif self.ingress.source.work_ahead():
                resume(&idle)
                vain = 0
            else:
                vain = 0
                rest(&idle, self.ingress.until_due())
        self.in_visits[number] = worked
        wake_all(idle.parking)              # the others shall see that it is over

    cdef void see_visits(self) noexcept nogil:
        """Before the look that a worker takes before it sleeps: what was done in visits that have ended is seen from
        here on, or their workers see the sleeper."""
        cdef int32_t k
        for k in range(self.n_stages):
            (<Stage>self.stage_at[k]).counters.value[WORKERS].load(memory_order_seq_cst)

    cdef int64_t visit(self, int32_t chosen, int64_t* ended, int64_t* worked) noexcept nogil:
        """Work on one stage for a time slice. Two clock reads a visit, however many tuples it is. Adds its ticks to
        ``worked`` where there was anything to do."""
        cdef Tally tally = new_tally()
        cdef int64_t begun, used, budget = self.stage_scheduler.budget(chosen, self.ingress.unit_size)
        cdef void* stage = self.stage_at[chosen]        # borrowed
        touch(COUNTERS, (<Stage>stage).counters)
        (<Stage>stage).counters.value[WORKERS].fetch_add(1, memory_order_relaxed)
        begun = present()
        used = (<Stage>stage).visit(budget, &tally)
        ended[0] = present()
        (<Stage>stage).account(ended[0] - begun, &tally)
        if used > 0:
            worked[0] += ended[0] - begun
        # Publishes the visit: pairs with see_visits.
        (<Stage>stage).counters.value[WORKERS].fetch_sub(1, memory_order_seq_cst)
        if used >= budget:
            wake_one(self.parking)       # there is more than a time slice of work; what is less a worker does by itself
        if self.timeline is not None and self.timeline.is_due(ended[0]):
            self.timeline.sample(self.stage_at, ended[0])
        return used

    def run(self, watch=None):
        """As for any crew. Raises OptionError where a scheme in Python raises, or breaks its rules."""
        Engine.run(self, watch)
        if self.failure.interrupt is not None:
            raise self.failure.interrupt
        if self.failure.sentence is not None:
            raise OptionError(self.failure.sentence)

    def profile(self) -> list:
        """Return a mapping per stage, from source to sink: see ``Stage.profile``."""
        return [(<Stage>stage).profile() for stage in self.stages]

    def worked(self) -> list:
        """Return the ticks that each worker has spent in visits to stages that had something for it."""
        return list(self.in_visits)

    def worklists_now(self) -> list:
        """Return (tuples that wait, workers) of each stage; a guess while the engine runs, at any
        time and from any thread."""
        return [(<Stage>stage).worklist_now() for stage in self.stages]

    def sampled(self):
        """Return the samples over time, see ``Timeline.to_dict``; None unless profiled."""
        return None if self.timeline is None else self.timeline.to_dict(self.begun_ticks)

    def traces(self) -> dict:
        """Return the digest of the ordered output of each stage but the sink, by the place of its last operator."""
        return dict((<Stage>stage).output_digest() for stage in self.stages[:self.n_stages - 1])
