"""The ordered engine: workers, the only threads, that ask the scheduler for an operator and work on it for a time slice.

Paper 000, sections 2.2 and 6. With n workers allowed, n threads run; a worker with nothing to do pauses, yields and then
sleeps until others have done something, so that more workers than cores do no harm.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.clock cimport nanoseconds, ticks, ticks_per_second
from streambench.pyx.egress cimport Egress
from streambench.pyx.idle cimport Idle, busy, rest, resume
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.operator cimport Operator, PartitionedStateful, Sink, Source, Stateful, Stateless
from streambench.pyx.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.parking cimport wake_all, wake_one
from streambench.pyx.partitioning cimport Partitioning
from streambench.pyx.scheduler cimport Heuristic
from streambench.pyx.source_stage cimport SourceStage
from streambench.pyx.stage cimport WORKERS, Stage, Tally, new_tally
from streambench.pyx.stage_scheduler cimport StageScheduler
from streambench.pyx.threads cimport be_punctual, pin_to_core, thread
from streambench.pyx.timeline cimport Timeline
from streambench.pyx.unit cimport MAX_OPERATORS
from streambench.pyx.yield_points cimport yield_point

import errno

from streambench.pyx import heuristics
from streambench.pyx.hybrid_queue import HybridQueue
from streambench.pyx.lock_based_reorder_buffer import LockBasedReorderBuffer
from streambench.pyx.partitioned_queue import PartitionedQueue
from streambench.pyx.partitioned_stage import PartitionedStage
from streambench.pyx.reorder_buffer import NonBlockingReorderBuffer
from streambench.pyx.shared_queue import SharedQueue
from streambench.pyx.stateful_stage import StatefulStage
from streambench.pyx.stateless_stage import StatelessStage
from streambench.pyx.ticket_reorder_buffer import TicketReorderBuffer

REORDERS = {"nonblocking": NonBlockingReorderBuffer, "lock": LockBasedReorderBuffer, "ticket": TicketReorderBuffer}
PARTITIONINGS = {"hybrid": HybridQueue, "partitioned": PartitionedQueue, "shared": SharedQueue}


cdef extern from *:
    """
    #include <thread>
    namespace streambench {
    template <class T> inline T* new_array(int n) { return new T[n](); }
    template <class T> inline void delete_array(T* items) { delete[] items; }
    inline void start_thread(std::thread* threads, int k, void (*body)(void*), void* argument) {
        threads[k] = std::thread(body, argument);
    }
    }
    """
    thread* new_threads "streambench::new_array<std::thread>"(int n) except +
    void delete_threads "streambench::delete_array<std::thread>"(thread* threads) noexcept nogil
    void start_thread "streambench::start_thread"(thread* threads, int k, void (*body)(void*) noexcept nogil,
                                                  void* argument) except +


cdef struct Worker:
    void* engine        # borrowed OrderedEngine, which joins the thread before it goes
    int core            # -1: not pinned


cdef void work(void* argument) noexcept nogil:
    cdef Worker* worker = <Worker*>argument
    if worker.core >= 0:
        pin_to_core(worker.core)
    be_punctual()
    (<OrderedEngine>worker.engine).work()


cdef class OrderedEngine:
    """One execution of a pipeline.

    ``operators``: source, operators, sink, already prepared. ``partitions``: one number per operator (ignored where it is
    not partitioned). ``cores``: where to pin the workers, empty for not at all. ``window`` and ``time_slice`` in seconds.
    ``capacity``: of QST, in tuples. ``profiled``: sample the stages' state over time.
    """

    cdef readonly Egress egress
    cdef readonly Ingress ingress
    cdef list stages
    cdef void* stage_at[MAX_OPERATORS]
    cdef int32_t n_stages
    cdef Heuristic heuristic
    cdef StageScheduler stage_scheduler
    cdef Timeline timeline              # None unless profiled
    cdef PaddedCounter* running         # workers that have not returned yet
    cdef int workers
    cdef tuple cores
    cdef readonly int64_t begun_ns      # the start, by both clocks
    cdef readonly int64_t begun_ticks
    cdef int64_t ended_ns

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit_size, int64_t credit,
                 int64_t marker_interval, double rate=0.0, str scheduler="ct", str reorder="nonblocking",
                 str partitioning="hybrid", double time_slice=1e-4, double window=1e-2, double capacity=8192.0,
                 bint segments=True, bint by_range=False, bint traced=False, bint profiled=False, tuple cores=()):
        self.workers = workers
        self.cores = cores
        self.heuristic = heuristics.make(scheduler, capacity)
        self.egress = Egress(marker_interval)
        self.ingress = Ingress(operators[0], self.egress, unit_size, credit, rate)
        self.running = new_counters(1)
        self.build(operators, partitions, credit, PARTITIONINGS[partitioning], REORDERS[reorder], segments, by_range, traced)
        self.stage_scheduler = StageScheduler(self.stages, self.heuristic, time_slice * ticks_per_second(),
                                              <int64_t>(window * ticks_per_second()))
        if profiled:
            self.timeline = Timeline(self.n_stages)

    def __dealloc__(self):
        delete_counters(self.running)

    def build(self, list operators, list partitions, int64_t credit, worklist_of, reorder_buffer_of, bint segments,
              bint by_range, bint traced):
        """Cut the pipeline into stages and connect them; the two schemes are given as their classes."""
        cdef int32_t place, after
        cdef Stage stage
        cdef PartitionedStateful keyed
        self.stages = []
        place = 1
        after = self.end_of_run(operators, 1, segments)
        first_fused = operators[1:after]
        place = after
        while place < len(operators):
            operator = operators[place]
            after = place + 1
            if isinstance(operator, PartitionedStateful) or isinstance(operator, Stateless):
                after = self.end_of_run(operators, place + 1, segments)
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
        (<Stage>self.stages[0 if first_fused else 1]).enters = True
        for place in range(self.n_stages):
            stage = self.stages[place]
            stage.traced = traced
            self.stage_at[place] = <void*>stage
            if place + 1 < self.n_stages:
                stage.next = self.stages[place + 1]
                stage.before_sink = place + 2 == self.n_stages
                stage.reorder = reorder_buffer_of(stage, credit)
                if isinstance(stage.next.operator, PartitionedStateful):
                    keyed = stage.next.operator
                    stage.scatter_for = Partitioning(partitions[stage.next.place], by_range and keyed.high_key > keyed.low_key,
                                                     keyed.low_key, keyed.high_key)

    def end_of_run(self, list operators, int32_t place, bint segments):
        """Return the end of the run of stateless operators from ``place`` on that may be fused."""
        while segments and place < len(operators) and isinstance(operators[place], Stateless):
            place += 1
        return place

    cdef void work(self) noexcept nogil:
        """A worker's life."""
        cdef Idle idle = busy(self.egress.parking)
        cdef int32_t chosen
        cdef int64_t used, now
        cdef int64_t at = 0             # the tick at which the visit just before ended, 0: it is long ago
        cdef int32_t walk_to = -1       # where a heuristic that walks goes on with the unit just produced
        cdef int64_t vain = 0           # a bit per stage visited for nothing since work was last found: try the others first
        while self.egress.stopped.value.load(memory_order_seq_cst) == 0:    # before a sleep it pairs with Egress.stop
            used = 0
            if idle.announced:
                self.see_visits()
            chosen = walk_to if walk_to >= 0 else self.stage_scheduler.choose(vain, at if at > 0 else ticks())
            at = 0
            walk_to = -1
            yield_point()               # others may change what the choice was made of
            if chosen >= 0:
                used = self.visit(chosen, &at)
            if used > 0:
                resume(&idle)
                vain = 0
                if (self.heuristic.walks and chosen + 1 < self.n_stages
                        and (<Stage>self.stage_at[chosen + 1]).schedulable()):
                    walk_to = chosen + 1
            elif chosen >= 0:
                # What a stage holds can be out of reach: delegated to another worker, or a source that has nothing yet.
                vain |= <int64_t>1 << chosen
            elif self.ingress.finished():
                break
            else:
                vain = 0
                rest(&idle, self.ingress.until_due())
        now = nanoseconds()
        wake_all(idle.parking)              # the others shall see that it is over
        if self.egress.sign_off(self.running):
            self.ended_ns = now

    cdef void see_visits(self) noexcept nogil:
        """Before the look that a worker takes before it sleeps: what was done in visits that have ended is seen from here
        on, or their workers see the sleeper."""
        cdef int32_t k
        for k in range(self.n_stages):
            (<Stage>self.stage_at[k]).counters.value[WORKERS].load(memory_order_seq_cst)

    cdef int64_t visit(self, int32_t chosen, int64_t* ended) noexcept nogil:
        """Work on one stage for a time slice. Two clock reads a visit, however many tuples it is."""
        cdef Tally tally = new_tally()
        cdef int64_t begun, used, budget = self.stage_scheduler.budget(chosen, self.ingress.unit_size)
        cdef void* stage = self.stage_at[chosen]        # borrowed
        (<Stage>stage).counters.value[WORKERS].fetch_add(1, memory_order_relaxed)
        begun = ticks()
        used = (<Stage>stage).visit(budget, &tally)
        ended[0] = ticks()
        (<Stage>stage).account(ended[0] - begun, &tally)
        # Publishes the visit: pairs with see_visits.
        (<Stage>stage).counters.value[WORKERS].fetch_sub(1, memory_order_seq_cst)
        if used >= budget:
            wake_one(self.egress.parking)       # there is more than a time slice of work; what is less a worker does by itself
        if self.timeline is not None and self.timeline.is_due(ended[0]):
            self.timeline.sample(self.stage_at, ended[0])
        return used

    def run(self, watch=None):
        """Run to the end of the stream, or until an operator refuses a tuple.

        ``watch`` is called some ten times a second with the number of stream tuples that have reached the sink; what it
        raises (and Ctrl-C) stops the workers and is raised again when all have returned.
        """
        cdef thread* threads = new_threads(self.workers)
        cdef Worker* arguments = <Worker*>calloc(self.workers, sizeof(Worker))
        cdef int k, started = 0
        try:
            self.running.value.store(self.workers)
            self.begun_ns = nanoseconds()
            self.begun_ticks = ticks()
            self.ingress.started = self.begun_ns
            for k in range(self.workers):
                arguments[k].engine = <void*>self
                arguments[k].core = self.cores[k % len(self.cores)] if self.cores else -1
                try:
                    start_thread(threads, k, work, &arguments[k])
                except Exception as error:
                    raise OSError(errno.EAGAIN, f"only {k} of {self.workers} workers could be started ({error}): "
                                                "use fewer, or allow this process more threads") from error
                started += 1
            self.egress.watch_while(self.running, watch)
        finally:
            with nogil:
                if self.running.value.load(memory_order_acquire) > 0:
                    self.egress.stop()
                for k in range(started):
                    threads[k].join()
            delete_threads(threads)
            free(arguments)

    @property
    def seconds(self) -> float:
        """From the start of the first worker to the return of the last."""
        return (self.ended_ns - self.begun_ns) * 1e-9

    def profile(self) -> list:
        """Return a mapping per stage, from source to sink: see ``Stage.profile``."""
        return [(<Stage>stage).profile() for stage in self.stages]

    def sampled(self):
        """Return the samples over time, see ``Timeline.to_dict``; None unless profiled."""
        return None if self.timeline is None else self.timeline.to_dict(self.begun_ticks)

    def traces(self) -> dict:
        """Return the digest of the ordered output of each stage but the sink, by the place of its last operator."""
        return dict((<Stage>stage).output_digest() for stage in self.stages[:self.n_stages - 1])
