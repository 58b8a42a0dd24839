"""The sharded engine: whole units through segments, each where and by whom the controller finds it fastest.

Of the paper's scheme (000, sections 2 to 5) this keeps the operators, the serial numbers and the order of the output, and
replaces worklists and reorder buffers: a ring of unit slots bounded by credit, a word per unit that says which segment
may take it, and per segment and shard one word that says which unit is next and whether somebody has taken the turn (the
travelling turn of paper 003). Nothing waits for a turn; who finds it taken does something else.

A plan (``plan``) says where the pipeline is cut. It changes only when no unit is in flight.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst,
)
from libcpp.vector cimport vector
from streambench.pyx.apply cimport STATELESS
from streambench.pyx.clock cimport ticks, ticks_per_second
from streambench.pyx.controller cimport Controller
from streambench.pyx.crew cimport Crew
from streambench.pyx.idle cimport Idle, busy, rest, resume
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.meter cimport count
from streambench.pyx.metered_operators cimport MeteredOperators, Stopwatch, is_timed
from streambench.pyx.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.parking cimport wake_all, wake_one
from streambench.pyx.plan cimport Plan, Segment, delete_plan, fused, new_plan, ready_for, turn_of
from streambench.pyx.unit cimport Unit, begin_unit, clear_unit, init_unit
from streambench.pyx.worker_log cimport FLUSHED, WHOLE_UNITS, WorkerLog, WorkerLogs, begin_span, end_span
from streambench.pyx.yield_points cimport yield_point

cdef enum:
    MOST_FINISHED = 16          # units whose turn a worker passes on before it finishes them
    BACKLOG = 2                 # units that wait at least where a stream counts as saturated

cdef struct Mine:
    # What a worker knows by itself.
    Stopwatch watch
    PaddedCounter* held         # see `present`
    int32_t segment             # where it worked last, and looks first: its state is in the cache
    Unit* finished[MOST_FINISHED]
    int32_t n_finished
    WorkerLog* log              # NULL: nothing is recorded


cdef class ShardedEngine(Crew):
    """One execution of a pipeline.

    ``operators``: source, operators, sink, prepared for ``partitions`` (one number per operator). ``unit_size``: 0 for the
    controller to choose. ``cuts``: None, or the (heads, sharded) bits of a plan fixed by hand. ``latency_target`` in seconds.
    """

    cdef readonly Ingress ingress
    cdef public Controller controller           # public: a test puts one in that changes its mind all the time
    cdef public WorkerLogs logs                 # None unless profiled; public: a test puts one in that is soon full
    cdef MeteredOperators operators
    cdef int32_t n                              # of them
    cdef PaddedCounter* current                 # the Plan; changed under the ingress lock with no unit in flight
    cdef PaddedCounter* held                    # by worker: the plan that it may look at, which is not freed meanwhile
    cdef vector[Plan*] plans                    # the present one, and those before it that were held at the last change
    cdef int64_t installed                      # plans so far
    cdef bint replanned                         # under the lock: wait until no unit is in flight, then change
    cdef Unit alone                             # the unit of a fused plan: always the same memory
    cdef PaddedCounter* saturated               # 1: the last unit was as large as it may be, with more behind it
    cdef bint flushing                          # under the lock: the operator at `phase` has begun to
    cdef int64_t phase                          # under the lock: -1, then the operator that is flushed at end of stream

    def __cinit__(self, *args, **kwargs):
        self.current = new_counters(1)
        self.saturated = new_counters(1)
        init_unit(&self.alone)

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit_size, int64_t credit,
                 int64_t marker_interval, double rate=0.0, double latency_target=1e-3, cuts=None,
                 bint by_range=False, bint free_credit=True, bint profiled=False, tuple cores=()):
        cdef int32_t k
        Crew.__init__(self, workers, cores, marker_interval)
        self.operators = MeteredOperators(operators, partitions, workers, by_range)
        self.n = self.egress.operators = self.operators.n
        self.held = new_counters(workers)
        self.controller = Controller(operators, [self.operators.partitions[k] for k in range(self.n)], workers=workers,
                                     unit=unit_size, free_plan=cuts is None, credit=credit, latency_target=latency_target,
                                     interval=1e9 / rate if rate else 0.0, free_credit=free_credit)
        if cuts is not None:
            self.controller.cuts.heads, self.controller.cuts.sharded = cuts
        self.ingress = Ingress(operators[0], self.egress, self.controller.unit, credit, rate)
        if profiled:
            self.logs = WorkerLogs(workers)
        self.phase = -1
        self.install(0)

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.plans.size()):
            delete_plan(self.plans[k])
        delete_counters(self.current)
        delete_counters(self.held)
        delete_counters(self.saturated)
        clear_unit(&self.alone)

    cdef void install(self, int64_t serial) noexcept nogil:
        """Put the controller's plan into effect, from unit ``serial`` on; under the ingress lock, nothing in flight."""
        cdef Plan* plan = new_plan(self.controller.cuts, self.installed, serial, self.operators.kinds,
                                   self.operators.partitions, self.n)
        self.installed += 1
        self.operators.share(plan.cuts.sharded)
        self.current.value.store(<int64_t>plan, memory_order_seq_cst)       # pairs with the loads in present
        self.replanned = False
        self.free_old_plans()
        self.plans.push_back(plan)

    cdef void free_old_plans(self) noexcept nogil:
        """Free the plans that no worker holds. They are not current, so nobody ever will: one a worker stays at most."""
        cdef size_t k, left = 0
        for k in range(self.plans.size()):
            if self.is_held(self.plans[k]):
                self.plans[left] = self.plans[k]
                left += 1
            else:
                delete_plan(self.plans[k])
        self.plans.resize(left)

    cdef bint is_held(self, Plan* plan) noexcept nogil:
        cdef int32_t k
        for k in range(self.workers):
            if self.held[k].value.load(memory_order_seq_cst) == <int64_t>plan:      # pairs with the store in present
                return True
        return False

    def begin(self):
        """As a run begins."""
        self.ingress.started = self.begun_ns
        self.controller.begin(self.begun_ticks)

    # ------------------------------------------------------------------------------------------------ workers

    cdef void work(self, int number) noexcept nogil:
        """A worker's life."""
        cdef Mine mine
        cdef Plan* plan
        cdef Idle idle = busy(self.egress.parking)
        mine.watch.meters = self.operators.meters[number]
        mine.watch.drawn = 0
        mine.held = &self.held[number]
        mine.segment = 1
        mine.n_finished = 0
        mine.log = NULL
        if self.logs is not None:
            mine.log = self.logs.of(number)
        while self.egress.stopped.value.load(memory_order_seq_cst) == 0 and not self.ingress.finished():
            plan = self.present(&mine)
            yield_point()
            if self.admit(plan, &mine) if fused(plan) else self.step(plan, &mine):
                resume(&idle)
            else:
                rest(&idle, self.ingress.until_due())
        wake_all(self.egress.parking)           # the others shall see that it is over

    cdef Plan* present(self, Mine* mine) noexcept nogil:
        """The plan in effect: the worker's to look at until it asks again, though it be preempted and plans change.

        With the lock, or a unit that is in flight, a worker may look at the plan in effect without this: no other comes.
        """
        cdef int64_t plan = self.current.value.load(memory_order_seq_cst)
        while mine.held.value.load(memory_order_relaxed) != plan:
            # A hazard pointer (Michael, 2004). seq_cst, before the second look: if that finds the plan still current, then
            # who replaces it finds it held.
            yield_point()
            mine.held.value.store(plan, memory_order_seq_cst)
            yield_point()
            plan = self.current.value.load(memory_order_seq_cst)
        return <Plan*>plan

    cdef bint step(self, Plan* plan, Mine* mine) noexcept nogil:
        """Find something to do and do it. False: there was nothing."""
        cdef int32_t j
        cdef int64_t in_flight
        if mine.segment > 0 and mine.segment < plan.n_segments and self.visit(plan, mine.segment, mine):
            return True
        if self.saturated.value.load(memory_order_relaxed) != 0:
            # First work for everybody: half of what may be in flight, so that turns are taken for several units at a time and rarely
            # pass from core to core.
            in_flight = (self.ingress.next_serial.value.load(memory_order_relaxed)
                         - self.egress.done.value.load(memory_order_relaxed))
            if 2 * in_flight < self.ingress.allowed.value.load(memory_order_relaxed) and self.admit(plan, mine):
                return True
        for j in range(plan.n_segments - 1, 0, -1):
            if self.visit(plan, j, mine):
                mine.segment = j
                return True
        return self.admit(plan, mine)

    cdef bint is_ready(self, Plan* plan, int32_t j, int64_t serial) noexcept nogil:
        # Pairs with `publish`: acquire for what the unit holds, seq_cst for a worker that looks before it sleeps.
        return (self.ingress.units[serial & self.ingress.mask].ready.value.load(memory_order_seq_cst)
                == ready_for(plan, serial, j))

    cdef bint visit(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        if plan.segments[j].sharded:
            return self.visit_shard(plan, j, mine)
        return self.visit_serial(plan, j, mine)

    cdef bint take_turn(self, Segment* segment, int32_t shard, int64_t turn) noexcept nogil:
        yield_point()
        # Acquire pairs with the release in pass_turn: the operators' state is as the last holder left it.
        return turn_of(segment, shard).compare_exchange_strong(turn, turn | 1, memory_order_acquire, memory_order_relaxed)

    cdef void pass_turn(self, Segment* segment, int32_t shard, int64_t serial) noexcept nogil:
        yield_point()
        # Release pairs with take_turn. A read-modify-write, seq_cst, before the look for sleepers: there may be more to do.
        turn_of(segment, shard).exchange(serial << 1, memory_order_seq_cst)
        wake_one(self.egress.parking)

    cdef bint visit_serial(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Take the turn of a serial segment, if it is there with a unit to process, for all units that are ready."""
        cdef Segment* segment = &plan.segments[j]
        cdef int64_t turn = turn_of(segment, 0).load(memory_order_seq_cst), serial = turn >> 1
        cdef Unit* unit
        cdef bint last = j + 1 == plan.n_segments
        cdef int64_t first = serial, begun
        if turn & 1 or not self.is_ready(plan, j, serial) or not self.take_turn(segment, 0, turn):
            return False
        begun = begin_span(mine.log)
        # Looked at with the turn: who takes it from one who met a refused tuple sees that nothing may follow.
        while self.egress.stopped.value.load(memory_order_relaxed) == 0:
            unit = &self.ingress.units[serial & self.ingress.mask]
            self.operators.operate(unit, segment.head, segment.tail, &mine.watch)
            serial += 1
            if last:
                self.egress.leave(unit)
            elif self.needs_finish(plan, j):
                mine.finished[mine.n_finished] = unit
                mine.n_finished += 1
            else:
                self.publish(plan, j + 1, unit)
            if mine.n_finished == MOST_FINISHED or not self.is_ready(plan, j, serial):
                break
        self.pass_turn(segment, 0, serial)
        self.finish_all(plan, j, mine)
        end_span(mine.log, begun, segment.head, segment.end, WHOLE_UNITS, serial - first)
        return True

    cdef bint visit_shard(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Of the shards that nobody has and that have work, take the one that is behind most, and bring it on."""
        cdef Segment* segment = &plan.segments[j]
        cdef int64_t turn, taken = -1, serial
        cdef int32_t k, shard = -1
        cdef int64_t rows = 0, whole, begun
        cdef Unit* unit
        for k in range(segment.shards):
            turn = turn_of(segment, k).load(memory_order_seq_cst)
            if turn & 1 == 0 and (shard < 0 or turn < taken) and self.is_ready(plan, j, turn >> 1):
                shard = k
                taken = turn
        if shard < 0 or not self.take_turn(segment, shard, taken):
            return False
        begun = begin_span(mine.log)
        serial = taken >> 1
        while True:
            unit = &self.ingress.units[serial & self.ingress.mask]
            serial += 1
            rows += unit.groups[shard].end - unit.groups[shard].begin
            whole = unit.now.n
            self.operators.process_shard(segment.head, unit, shard, &mine.watch)
            yield_point()
            # acq_rel: the last one sees what the others wrote. From here on the unit is the last one's.
            if unit.pending.value.fetch_sub(1, memory_order_acq_rel) == 1:
                mine.finished[mine.n_finished] = unit
                mine.n_finished += 1
            if (rows > whole or mine.n_finished == MOST_FINISHED        # as much as one unit has for all shards
                    or self.egress.stopped.value.load(memory_order_relaxed) != 0 or not self.is_ready(plan, j, serial)):
                break
        self.pass_turn(segment, shard, serial)
        self.finish_all(plan, j, mine)
        end_span(mine.log, begun, segment.head, segment.end, shard, serial - (taken >> 1))
        return True

    cdef bint needs_finish(self, Plan* plan, int32_t j) noexcept nogil:
        """Is there anything to do for a unit between this segment's turn and the next segment?"""
        return plan.segments[j].end > plan.segments[j].tail or plan.segments[j + 1].sharded

    cdef void finish_all(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        cdef int32_t k
        for k in range(mine.n_finished):
            if plan.segments[j].sharded:
                self.operators.gather(plan.segments[j].head, mine.finished[k], &mine.watch)
            self.finish(plan, j, mine.finished[k], mine)
        mine.n_finished = 0

    cdef void finish(self, Plan* plan, int32_t j, Unit* unit, Mine* mine) noexcept nogil:
        """Outside any turn: the segment's last operators, the index for the next segment, and on to that."""
        self.operators.operate(unit, plan.segments[j].tail, plan.segments[j].end, &mine.watch)
        if plan.segments[j + 1].sharded:
            self.operators.scatter(plan.segments[j + 1].head, unit)
        self.publish(plan, j + 1, unit)

    cdef void publish(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil:
        """Let segment ``j`` take the unit: from here on it is another's."""
        yield_point()
        # A read-modify-write, seq_cst: before the look for sleepers (see parking). Pairs with is_ready.
        unit.ready.value.exchange(ready_for(plan, unit.serial, j), memory_order_seq_cst)
        wake_one(self.egress.parking)

    # ---------------------------------------------------------------------------------------------- admission

    cdef bint admit(self, Plan* plan, Mine* mine) noexcept nogil:
        """Take the next unit in and bring it to the first segment; in a fused plan, units to the sink. False: nothing."""
        cdef Unit* unit
        cdef int32_t entry = 0
        cdef int64_t begun
        cdef bint worked = False
        if self.ingress.ended.value.load(memory_order_relaxed) != 0 or not self.ingress.has_credit():
            return False
        if not self.ingress.try_lock():
            return False
        begun = begin_span(mine.log)
        plan = <Plan*>self.current.value.load(memory_order_relaxed)     # it changes under the lock only
        if self.replanned:
            if not self.quiescent():
                self.ingress.unlock()
                return False
            self.install(self.ingress.next_serial.value.load(memory_order_relaxed))
            plan = <Plan*>self.current.value.load(memory_order_relaxed)
            wake_all(self.egress.parking)
            worked = True
        if fused(plan):
            while self.egress.stopped.value.load(memory_order_relaxed) == 0 and not self.replanned:
                unit = self.take(plan, &self.alone, &entry, mine)
                if unit is NULL:
                    break
                self.operators.operate(unit, entry, self.n, &mine.watch)
                self.egress.leave(unit)
                end_span(mine.log, begun, entry - 1, self.n, WHOLE_UNITS if entry == 1 else FLUSHED, 1)
                begun = begin_span(mine.log)
                worked = True
            self.ingress.unlock()
            return worked
        if (not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0
                or self.egress.stopped.value.load(memory_order_relaxed) != 0):      # by who had the lock before, perhaps
            self.ingress.unlock()
            return worked
        unit = NULL
        if self.phase >= 0 or self.ingress.rate == 0.0 or not self.ingress.is_too_little():
            unit = self.take(plan, NULL, &entry, mine)
        if unit is NULL:
            self.ingress.unlock()
            return worked
        return self.enter(plan, unit, entry, begun, mine)

    cdef bint enter(self, Plan* plan, Unit* unit, int32_t entry, int64_t begun, Mine* mine) noexcept nogil:
        """A unit of the stream (``entry`` 1), or one that operator ``entry`` - 1 flushed; with the lock, which it returns.

        ``begun``: the tick at which its admission began, where that is recorded.
        """
        cdef int32_t j = 0, head = entry - 1, end
        if entry == 1:
            self.ingress.unlock()
            yield_point()
            self.ingress.source.fill(unit)
            end = plan.segments[0].end          # read while the unit is in flight: then the plan may be gone
            self.finish(plan, 0, unit, mine)
            end_span(mine.log, begun, 0, end, WHOLE_UNITS, 1)
            return True
        while entry > plan.segments[j].end:
            j += 1
        # What is left of the segment's turn is done under the lock: nobody else is in this segment any more.
        if entry < plan.segments[j].tail:
            self.operators.operate(unit, entry, plan.segments[j].tail, &mine.watch)
            entry = plan.segments[j].tail
        if j + 1 == plan.n_segments:
            self.egress.leave(unit)
            self.ingress.unlock()
            end_span(mine.log, begun, head, self.n, FLUSHED, 1)
            return True
        self.ingress.unlock()
        end = plan.segments[j].end
        self.operators.operate(unit, entry, end, &mine.watch)
        if plan.segments[j + 1].sharded:
            self.operators.scatter(plan.segments[j + 1].head, unit)
        self.publish(plan, j + 1, unit)
        end_span(mine.log, begun, head, end, FLUSHED, 1)
        return True

    cdef bint quiescent(self) noexcept nogil:
        """Has everything that was admitted reached the sink? Acquire: all that was done to it is seen."""
        return (self.egress.done.value.load(memory_order_acquire)
                == self.ingress.next_serial.value.load(memory_order_relaxed))

    cdef Unit* take(self, Plan* plan, Unit* alone, int32_t* entry, Mine* mine) noexcept nogil:
        """Under the lock: the next unit, and the operator that is to have it first. NULL: none has come.

        ``alone``: use this memory, and fill it. At end of stream: what the operators still hold, one after the other.
        """
        cdef Unit* unit = alone
        cdef int64_t n, now, begun
        cdef bint timed
        if unit is NULL:
            unit = self.ingress.next_unit()
        else:
            begin_unit(unit, self.ingress.next_serial.value.load(memory_order_relaxed))
        if self.phase < 0:
            timed = is_timed(&mine.watch, self.ingress.unit_size)
            begun = ticks() if timed else 0
            n = self.ingress.admit(unit)
            if n > 0:
                entry[0] = 1
                if alone is not NULL:
                    self.ingress.source.fill(unit)
                now = ticks() if timed else -1
                count(mine.watch.meters, 0, now - begun, n, n)
                self.controller.full += n if n == self.ingress.unit_size else 0
                if alone is NULL:               # a fused plan does not ask
                    self.note_saturation(n == self.ingress.unit_size
                                         and (self.ingress.rate == 0.0 or self.ingress.arrived() > BACKLOG * n))
                if timed and now >= self.controller.next_decision:
                    self.controller.waiting = self.ingress.waiting()
                    self.replanned = self.controller.decide(now, unit.first + n, self.operators.meters.data(), self.workers)
                    self.ingress.unit_size = self.controller.unit
                    self.ingress.allowed.value.store(self.controller.in_flight(), memory_order_relaxed)
                return unit
            if n == 0:
                return NULL
            self.phase = 1
        while self.phase < self.n - 1:
            if self.operators.kinds[self.phase] != STATELESS:
                if not self.quiescent() and not self.flushing:
                    return NULL                 # units from before may still be in it
                self.flushing = True
                if self.operators.flush(<int32_t>self.phase, unit, <int32_t>self.ingress.unit_size):
                    entry[0] = <int32_t>self.phase + 1
                    self.ingress.next_serial.value.store(unit.serial + 1, memory_order_relaxed)
                    return unit
            self.phase += 1
            self.flushing = False
        self.ingress.ended.value.store(1, memory_order_release)         # pairs with Ingress.finished
        return NULL

    cdef void note_saturation(self, bint full) noexcept nogil:
        if self.saturated.value.load(memory_order_relaxed) != full:     # a look first: it is read by all
            self.saturated.value.store(full, memory_order_relaxed)

    # ------------------------------------------------------------------------------------------------- results

    @property
    def plans_in_memory(self) -> int:
        """The present plan and those that a worker may still look at."""
        return self.plans.size()

    def profile(self) -> list:
        """Return a mapping per operator: see ``MeteredOperators``."""
        return self.operators.profile()

    def traces(self) -> dict:
        """Return no digest: only the sink sees all units in order."""
        return {}

    def sampled(self):
        """Return what each worker did when, see ``WorkerLogs.to_dict``; None unless profiled."""
        return None if self.logs is None else self.logs.to_dict(self.begun_ticks)

    def plans_chosen(self) -> list:
        """Return (number, seconds since the start, unit, units in flight, places of heads, of sharded heads) of the
        choices that were kept."""
        return [(number, (at - self.begun_ticks) / ticks_per_second(), *chosen)
                for number, at, *chosen in self.controller.chosen()]
