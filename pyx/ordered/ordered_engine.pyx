"""The engine `ordered`: whole units through segments, each where and by whom the controller finds it fastest.

Of the paper's scheme (000, sections 2 to 5) this keeps the operators, the serial numbers and the order of the
output, and replaces worklists and reorder buffers: a ring of unit slots bounded by credit, a word per unit
that says which segment may take it, and turns (``segments``). Workers, the only threads, visit segments and
admit units (``admission``).

A plan (``plan``) says where the pipeline is cut. It changes only when no unit is in flight.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.engine.end_of_stream cimport EndOfStream
from streambench.pyx.engine.engine cimport Engine
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.engine.worker_log cimport WorkerLogs
from streambench.pyx.machine.idle cimport Idle, busy, nap_no_more, rest, resume
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport wake_all, wake_one
from streambench.pyx.machine.run_queue cimport RunQueues
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.ordered.admission cimport Admission
from streambench.pyx.ordered.controller cimport Controller
from streambench.pyx.ordered.metered_operators cimport MeteredOperators, Stopwatch
from streambench.pyx.ordered.plan cimport Plan, Segment, turn_of, whole
from streambench.pyx.ordered.plans_in_force cimport PlansInForce
from streambench.pyx.ordered.seats cimport Seats
from streambench.pyx.ordered.segments cimport Mine, Segments

from streambench.pyx.ordered.recorded_controller import RecordedController


cdef class OrderedEngine(Engine):
    """One execution of a pipeline.

    ``operators``: source, operators, sink, prepared for ``partitions`` (one number per operator). ``unit_size``: 0
    for the controller to choose. ``cuts``: None, or the (heads, sharded) bits of a plan fixed by hand.
    ``latency_target`` in seconds. ``recorded``: the controller writes down its decisions. ``costs``: what cores take
    to share, as of ``Controller``.
    """

    cdef readonly Ingress ingress
    cdef MeteredOperators operators
    cdef PlansInForce plans
    cdef Segments segments
    cdef Admission admission
    cdef Seats seats
    cdef readonly dict how                      # the controller was made
    cdef public WorkerLogs logs                 # None unless profiled; public: a test puts one in that is soon full

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit_size, int64_t credit,
                 int64_t marker_interval, double rate=0.0, tuple schedule=None, double latency_target=1e-3, cuts=None,
                 bint by_range=False, bint free_credit=True, bint profiled=False, bint recorded=False, tuple cores=(),
                 costs=None, dict bounds={}):
        cdef int32_t k
        cdef Controller controller
        Engine.__init__(self, workers, cores, marker_interval)
        self.operators = MeteredOperators(operators, partitions, workers, by_range, bounds, self.token)
        self.egress.operators = self.operators.n
        self.how = {"unit": unit_size, "free_plan": cuts is None, "credit": credit, "latency_target": latency_target,
                    "interval": 1e9 / rate if rate else 0.0, "free_credit": free_credit, "cuts": cuts or (0, 0),
                    "dealt": self.operators.dealt_places(),
                    "costs": costs, "row_bytes": [each.row_bytes for each in operators]}
        controller = (RecordedController if recorded else Controller)(
            operators, [self.operators.partitions[k] for k in range(self.operators.n)], workers=workers, **self.how)
        self.ingress = Ingress(operators[0], self.egress, controller.unit, credit, rate, schedule)
        if profiled:
            self.logs = WorkerLogs(workers)
        self.plans = PlansInForce(workers + 1)  # the last one is who looks on, see `segments_now`
        self.segments = Segments(self.ingress, self.operators)
        self.seats = Seats(workers, cores)
        self.admission = Admission(self.segments, self.plans, controller, EndOfStream(operators, self.token),
                                   self.pauses, self.seats, workers)

    @property
    def controller(self) -> Controller:
        """Who chooses the plan; a test puts one in that changes its mind all the time."""
        return self.admission.controller

    @controller.setter
    def controller(self, Controller controller):
        self.admission.controller = controller

    @property
    def run_queues(self) -> RunQueues:
        """What tells how long workers wait for their cores; a test puts one in that tells it something."""
        return self.admission.run_queues

    @run_queues.setter
    def run_queues(self, RunQueues queues):
        self.admission.run_queues = queues

    def settle(self) -> bool:
        self.admission.deal(False)
        return self.admission.end.cut

    def begin(self):
        """As a run begins."""
        self.ingress.started = self.begun_ns
        self.seats.begin()
        self.admission.controller.begin(self.begun_ticks)

    cdef void work(self, int number) noexcept nogil:
        """A worker's life."""
        cdef Mine mine
        cdef Plan* plan
        cdef Idle idle = busy(self.parking)
        memset(&mine.watch, 0, sizeof(Stopwatch))
        mine.watch.meters = self.operators.meters.lines[number]
        mine.held = &self.plans.held[number]
        mine.segment = 1
        mine.n_finished = 0
        mine.log = NULL
        if self.logs is not None:
            mine.log = self.logs.of(number)
        self.seats.sit(number)
        self.admission.run_queues.enter(number)
        while self.stopped.value.load(memory_order_seq_cst) == 0 and not self.ingress.finished():
            if self.seats.rests(number):
                resume(&idle)
                mine.held.value.store(0, memory_order_seq_cst)  # the plan may be freed: pairs with PlansInForce.is_held
                wake_one(self.parking)                              # what this one was woken for is another's to do
                self.seats.rest(number)
                continue
            plan = self.plans.present(mine.held)
            yield_point()
            if self.admission.admit(&mine) if whole(plan) else self.step(plan, &mine):
                resume(&idle)
            elif self.ingress.source.work_ahead():      # not metered: what it costs is no plan's doing
                resume(&idle)
            else:
                # One works, who has the lock: the others' cores are for others. Where nobody has it, the one has run
                # dry, and naps as ever, since no tuple that comes wakes it.
                if (whole(plan) and self.seats.may_move()
                        and self.ingress.lock.value.load(memory_order_relaxed) != 0):
                    nap_no_more(&idle)
                rest(&idle, self.ingress.until_due())
        self.seats.leave(number)
        wake_all(self.parking)           # the others shall see that it is over
        wake_all(self.seats.parking)

    cdef bint step(self, Plan* plan, Mine* mine) noexcept nogil:
        """Find something to do and do it. False: there was nothing."""
        cdef int32_t j
        cdef int64_t in_flight
        if mine.segment > 0 and mine.segment < plan.n_segments and self.segments.visit(plan, mine.segment, mine):
            return True
        if self.ingress.saturated.value.load(memory_order_relaxed) != 0:
            # First work for everybody: half of what may be in flight, so that turns are taken for several units at a
            # time and rarely pass from core to core.
            in_flight = (self.ingress.next_serial.value.load(memory_order_relaxed)
                         - self.egress.done.value.load(memory_order_relaxed))
            if 2 * in_flight < self.ingress.allowed.value.load(memory_order_relaxed) and self.admission.admit(mine):
                return True
        for j in range(plan.n_segments - 1, 0, -1):
            if self.segments.visit(plan, j, mine):
                mine.segment = j
                return True
        return self.admission.admit(mine)

    # ------------------------------------------------------------------------------------------------- results

    @property
    def plans_in_memory(self) -> int:
        """The present plan and those that a worker may still look at."""
        return self.plans.plans.size()

    def profile(self) -> list:
        """Return a mapping per operator: see ``MeteredOperators``."""
        return self.operators.profile()

    def worked(self) -> list:
        """Return the ticks that each worker has spent in operators, see ``Meters``."""
        return self.operators.meters.worked(self.operators.n)

    def segments_now(self) -> list:
        """Return (places of its operators, shards, units it is done with, units in it or before it) of each segment.

        While the engine runs, for one thread that looks on. A guess: workers go on meanwhile.
        The plan whole is one segment.
        """
        cdef PaddedCounter* held = &self.plans.held[self.plans.workers - 1]
        cdef Plan* plan = self.plans.present(held)
        cdef Segment* segment
        cdef int64_t units, before, after = 0
        cdef int32_t j, k
        done, segments = [], []
        if whole(plan):
            done.append((range(1, self.operators.n), 1, self.egress.done.value.load(memory_order_relaxed)))
        for j in range(plan.n_segments - 1, 0, -1):  # the last one first: those before it are ahead of it all the same
            segment = &plan.segments[j]
            # Relaxed: nothing is read by way of a turn here.
            units = turn_of(segment, 0).load(memory_order_relaxed) >> 1
            for k in range(1, segment.shards):
                units = min(units, turn_of(segment, k).load(memory_order_relaxed) >> 1)
            after = max(after, units)                   # what later operators are flushed of never comes here
            done.append((range(segment.head, segment.end), segment.shards, after))
        held.value.store(0, memory_order_seq_cst)       # the plan may be freed: pairs with PlansInForce.is_held
        before = self.ingress.next_serial.value.load(memory_order_relaxed)
        for places, shards, units in reversed(done):
            segments.append((places, shards, units, max(<int64_t>0, before - units)))
            before = units
        return segments

    def traces(self) -> dict:
        """Return no digest: only the sink sees all units in order."""
        return {}

    def sampled(self):
        """Return what each worker did when, see ``WorkerLogs.to_dict``; None unless profiled."""
        return None if self.logs is None else self.logs.to_dict(self.begun_ticks)

    def plans_chosen(self) -> list:
        """Return (number, seconds since the start, unit, units in flight, places of heads, of sharded heads, workers
        that rest, whether each worker is to stay on its core) of the choices that were kept."""
        return [(number, (at - self.begun_ticks) * (<Controller>self.controller).terms.ns_per_tick * 1e-9, *chosen)
                for number, at, *chosen in self.controller.chosen()]
