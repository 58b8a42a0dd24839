"""The sharded engine: whole units through segments, each where and by whom the controller finds it fastest.

Of the paper's scheme (000, sections 2 to 5) this keeps the operators, the serial numbers and the order of the output, and
replaces worklists and reorder buffers: a ring of unit slots bounded by credit, a word per unit that says which segment
may take it, and per segment and shard one word that says which unit is next and whether somebody has taken the turn (the
travelling turn of paper 003). Nothing waits for a turn; who finds it taken does something else.

A plan (``plan``) says where the pipeline is cut. It changes only when no unit is in flight.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport (
    atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst,
)
from libcpp.vector cimport vector
from streambench.pyx.apply cimport PARTITIONED, STATELESS, apply, kind_of
from streambench.pyx.clock cimport ticks, ticks_per_second
from streambench.pyx.columns cimport reset
from streambench.pyx.controller cimport Controller
from streambench.pyx.crew cimport Crew
from streambench.pyx.group cimport gather_groups, process_group
from streambench.pyx.idle cimport Idle, busy, rest, resume
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.meter cimport METER_FIELDS, Metered, count, sum_meters
from streambench.pyx.operator cimport Operator, PartitionedStateful
from streambench.pyx.padded cimport (
    CounterLine, PaddedCounter, delete_counter_lines, delete_counters, new_counter_lines, new_counters,
)
from streambench.pyx.parking cimport wake_all, wake_one
from streambench.pyx.partitioning cimport Partitioning
from streambench.pyx.plan cimport Plan, Segment, delete_plan, fused, new_plan, ready_for, turn_of
from streambench.pyx.unit cimport MAX_OPERATORS, Unit, begin_unit, clear_unit, enter_unit, init_unit, swap
from streambench.pyx.yield_points cimport yield_point

cdef enum:
    FIRST_OPERATOR = 1          # behind the source
    MOST_FINISHED = 16          # units whose turn a worker passes on before it finishes them
    BACKLOG = 2                 # units that wait at least where a stream counts as saturated
    SMALL = 64                  # tuples: of smaller units the clock is read for one of eight

cdef struct Mine:
    # What a worker knows by itself.
    int32_t number
    CounterLine* meters         # by operator
    int32_t segment             # where it worked last, and looks first: its state is in the cache
    uint64_t drawn              # a linear congruential generator (Knuth): whether the clock is read
    Unit* finished[MOST_FINISHED]
    int32_t n_finished


cdef inline bint is_timed(Mine* mine, int64_t rows) noexcept nogil:
    """Whether to read the clock: for small units it would cost more than the operators, so one of eight is drawn."""
    if rows >= SMALL:
        return True
    mine.drawn = mine.drawn * <uint64_t>6364136223846793005 + <uint64_t>1442695040888963407
    return mine.drawn >> 61 == 0


cdef class ShardedEngine(Crew):
    """One execution of a pipeline.

    ``operators``: source, operators, sink, prepared for ``partitions`` (one number per operator). ``unit_size``: 0 for the controller to choose.
    ``cuts``: None, or the (heads, sharded) bits of a plan fixed by hand. ``latency_target`` in seconds.
    """

    cdef readonly Ingress ingress
    cdef public Controller controller           # public: a test puts one in that changes its mind all the time
    cdef list operators
    cdef void* at[MAX_OPERATORS]                # borrowed, by place
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t partitions[MAX_OPERATORS]
    cdef void* partitioning[MAX_OPERATORS]      # borrowed Partitioning of partitioned operators
    cdef bint free[MAX_OPERATORS]               # takes rows of any partitions
    cdef bint shared[MAX_OPERATORS]             # as the operator was last told
    cdef list kept
    cdef int32_t n
    cdef PaddedCounter* current                 # the Plan; changed under the ingress lock with no unit in flight
    cdef vector[Plan*] plans                    # all there have been: a worker may still look at an old one
    cdef bint replanned                         # under the lock: wait until no unit is in flight, then change
    cdef Unit alone                             # the unit of a fused plan: always the same memory
    cdef PaddedCounter* saturated               # 1: the last unit was as large as it may be
    cdef bint flushing                          # under the lock: the operator at `phase` has begun to
    cdef int64_t phase                          # under the lock: -1, then the operator that is flushed at end of stream
    cdef vector[CounterLine*] meters            # by worker, then by operator

    def __cinit__(self, *args, **kwargs):
        self.current = new_counters(1)
        self.saturated = new_counters(1)
        init_unit(&self.alone)

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit_size, int64_t credit,
                 int64_t marker_interval, double rate=0.0, double latency_target=1e-3, cuts=None,
                 bint by_range=False, tuple cores=()):
        cdef int32_t k
        cdef PartitionedStateful keyed
        Crew.__init__(self, workers, cores, marker_interval)
        self.operators = operators
        self.n = self.egress.operators = <int32_t>len(operators)
        self.kept = []
        for k in range(self.n):
            self.at[k] = <void*>operators[k]
            self.kinds[k] = kind_of(operators[k])
            self.partitions[k] = partitions[k] if self.kinds[k] == PARTITIONED else 1
            self.free[k] = self.shared[k] = True
            if self.kinds[k] == PARTITIONED:
                keyed = operators[k]
                self.free[k] = partitions[k] == 1 or (keyed.partition_free and not by_range)
                partitioning = Partitioning(partitions[k], by_range and keyed.high_key > keyed.low_key, keyed.low_key,
                                            keyed.high_key)
                self.kept.append(partitioning)
                self.partitioning[k] = <void*>partitioning
        for k in range(workers):
            self.meters.push_back(new_counter_lines(self.n))
        self.controller = Controller(operators, [self.partitions[k] for k in range(self.n)], workers=workers,
                                     unit=unit_size, free_plan=cuts is None, credit=credit, latency_target=latency_target,
                                     interval=1e9 / rate if rate else 0.0)
        if cuts is not None:
            self.controller.cuts.heads, self.controller.cuts.sharded = cuts
        self.ingress = Ingress(operators[0], self.egress, self.controller.unit, credit, rate)
        self.phase = -1
        self.install(0)

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.plans.size()):
            delete_plan(self.plans[k])
        for k in range(self.meters.size()):
            delete_counter_lines(self.meters[k])
        delete_counters(self.current)
        delete_counters(self.saturated)
        clear_unit(&self.alone)

    cdef void install(self, int64_t serial) noexcept nogil:
        """Put the controller's plan into effect, from unit ``serial`` on; under the ingress lock, nothing in flight."""
        cdef Plan* plan = new_plan(self.controller.cuts, <int64_t>self.plans.size(), serial, self.kinds, self.partitions,
                                   self.n)
        cdef int32_t k
        cdef bint shared
        self.plans.push_back(plan)
        for k in range(self.n):
            if self.kinds[k] == PARTITIONED and self.free[k] and self.partitions[k] > 1:
                shared = plan.cuts.sharded >> k & 1
                if shared != self.shared[k]:
                    self.shared[k] = shared
                    (<PartitionedStateful>self.at[k]).share(shared)
        self.current.value.store(<int64_t>plan, memory_order_seq_cst)       # pairs with the load in work
        self.replanned = False

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
        mine.number = number
        mine.meters = self.meters[number]
        mine.segment = 1
        mine.drawn = mine.n_finished = 0
        while self.egress.stopped.value.load(memory_order_seq_cst) == 0 and not self.ingress.finished():
            plan = <Plan*>self.current.value.load(memory_order_seq_cst)
            yield_point()
            if self.admit(plan, &mine) if fused(plan) else self.step(plan, &mine):
                resume(&idle)
            else:
                rest(&idle, self.ingress.until_due())
        wake_all(self.egress.parking)           # the others shall see that it is over

    cdef bint step(self, Plan* plan, Mine* mine) noexcept nogil:
        """Find something to do and do it. False: there was nothing."""
        cdef int32_t j
        cdef int64_t in_flight
        if mine.segment > 0 and mine.segment < plan.n_segments and self.visit(plan, mine.segment, mine):
            return True
        if self.saturated.value.load(memory_order_relaxed) != 0:
            # First work for everybody: half of the credit, so that turns are taken for several units at a time and rarely
            # pass from core to core.
            in_flight = (self.ingress.next_serial.value.load(memory_order_relaxed)
                         - self.egress.done.value.load(memory_order_relaxed))
            if 2 * in_flight <= self.ingress.mask and self.admit(plan, mine):
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
        if turn & 1 or not self.is_ready(plan, j, serial) or not self.take_turn(segment, 0, turn):
            return False
        # Looked at with the turn: who takes it from one who met a refused tuple sees that nothing may follow.
        while self.egress.stopped.value.load(memory_order_relaxed) == 0:
            unit = &self.ingress.units[serial & self.ingress.mask]
            self.operate(unit, segment.head, segment.tail, mine)
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
        return True

    cdef bint visit_shard(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Of the shards that nobody has and that have work, take the one that is behind most, and bring it on."""
        cdef Segment* segment = &plan.segments[j]
        cdef int64_t turn, taken = -1, serial
        cdef int32_t k, shard = -1
        cdef int64_t rows = 0, whole
        cdef Unit* unit
        for k in range(segment.shards):
            turn = turn_of(segment, k).load(memory_order_seq_cst)
            if turn & 1 == 0 and (shard < 0 or turn < taken) and self.is_ready(plan, j, turn >> 1):
                shard = k
                taken = turn
        if shard < 0 or not self.take_turn(segment, shard, taken):
            return False
        serial = taken >> 1
        while True:
            unit = &self.ingress.units[serial & self.ingress.mask]
            serial += 1
            rows += unit.groups[shard].end - unit.groups[shard].begin
            whole = unit.now.n
            self.process_shard(segment.head, unit, shard, mine)
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
        return True

    cdef void process_shard(self, int32_t place, Unit* unit, int32_t shard, Mine* mine) noexcept nogil:
        cdef int32_t n = unit.groups[shard].end - unit.groups[shard].begin
        cdef int64_t begun
        if n == 0:
            process_group(<PartitionedStateful>self.at[place], &unit.groups[shard])    # empties what it may have held
            return
        begun = ticks() if is_timed(mine, n) else -1
        if place == FIRST_OPERATOR:
            enter_unit(unit)
        process_group(<PartitionedStateful>self.at[place], &unit.groups[shard])
        # The outputs are counted when they are gathered.
        count(mine.meters, place, ticks() - begun if begun >= 0 else -1, n, 0)

    cdef bint needs_finish(self, Plan* plan, int32_t j) noexcept nogil:
        """Is there anything to do for a unit between this segment's turn and the next segment?"""
        return plan.segments[j].end > plan.segments[j].tail or plan.segments[j + 1].sharded

    cdef void finish_all(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        cdef int32_t k
        for k in range(mine.n_finished):
            if plan.segments[j].sharded:
                gather_groups(<PartitionedStateful>self.at[plan.segments[j].head], plan.segments[j].head, mine.finished[k])
            self.finish(plan, j, mine.finished[k], mine)
        mine.n_finished = 0

    cdef void finish(self, Plan* plan, int32_t j, Unit* unit, Mine* mine) noexcept nogil:
        """Outside any turn: the segment's last operators, the index for the next segment, and on to that."""
        self.operate(unit, plan.segments[j].tail, plan.segments[j].end, mine)
        if plan.segments[j + 1].sharded:
            self.scatter(plan.segments[j + 1].head, unit)
        self.publish(plan, j + 1, unit)

    cdef void scatter(self, int32_t place, Unit* unit) noexcept nogil:
        unit.tuples_in[place] = unit.now.n
        (<Partitioning>self.partitioning[place]).scatter_to_all(<PartitionedStateful>self.at[place], unit)

    cdef void publish(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil:
        """Let segment ``j`` take the unit: from here on it is another's."""
        yield_point()
        # A read-modify-write, seq_cst: before the look for sleepers (see parking). Pairs with is_ready.
        unit.ready.value.exchange(ready_for(plan, unit.serial, j), memory_order_seq_cst)
        wake_one(self.egress.parking)

    # ---------------------------------------------------------------------------------------------- operators

    cdef void operate(self, Unit* unit, int32_t begin, int32_t end, Mine* mine) noexcept nogil:
        """Call the operators ``begin`` .. ``end`` - 1 on the whole unit."""
        cdef int32_t k, given
        cdef bint timed = is_timed(mine, unit.now.n)
        cdef int64_t begun = ticks() if timed else 0, ended = begun - 1
        if begin <= FIRST_OPERATOR < end:
            enter_unit(unit)
        for k in range(begin, end):
            if k == self.n - 1 and unit.marked:
                unit.operated = ticks()
            given = unit.now.n
            if self.free[k]:
                apply(<Operator>self.at[k], self.kinds[k], k, unit)
            else:
                self.apply_by_partition(k, unit)
            if timed:
                ended = ticks()
            count(mine.meters, k, ended - begun, given, unit.now.n)
            if timed:
                begun = ended

    cdef void apply_by_partition(self, int32_t k, Unit* unit) noexcept nogil:
        """One worker has the operator, but its state is by partition."""
        cdef int32_t g
        self.scatter(k, unit)
        for g in range(unit.n_groups):
            process_group(<PartitionedStateful>self.at[k], &unit.groups[g])
        gather_groups(<PartitionedStateful>self.at[k], k, unit)

    # ---------------------------------------------------------------------------------------------- admission

    cdef bint admit(self, Plan* plan, Mine* mine) noexcept nogil:
        """Take the next unit in and bring it to the first segment; in a fused plan, units to the sink. False: nothing."""
        cdef Unit* unit
        cdef int32_t entry = 0
        cdef bint worked = False
        if self.ingress.ended.value.load(memory_order_relaxed) != 0 or not self.ingress.has_credit():
            return False
        if not self.ingress.try_lock():
            return False
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
                self.operate(unit, entry, self.n, mine)
                self.egress.leave(unit)
                worked = True
            self.ingress.unlock()
            return worked
        if (not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0
                or self.egress.stopped.value.load(memory_order_relaxed) != 0):      # by who had the lock before, perhaps
            self.ingress.unlock()
            return worked
        unit = NULL
        if self.ingress.rate == 0.0 or not self.is_too_little():
            unit = self.take(plan, NULL, &entry, mine)
        if unit is NULL:
            self.ingress.unlock()
            return worked
        return self.enter(plan, unit, entry, mine)

    cdef bint is_too_little(self) noexcept nogil:
        """Under the lock: should what has arrived wait, because too many tuples are under way in too many units?

        Behind a large unit all credit would go to tiny ones: their workers would be idle until it is done, the stream would
        meanwhile make the next large one, and so for ever. What is left waiting could not overtake what is under way.
        """
        cdef int64_t units = (self.ingress.next_serial.value.load(memory_order_relaxed)
                              - self.egress.done.value.load(memory_order_relaxed))
        cdef int64_t tuples = (self.ingress.position.value.load(memory_order_relaxed)
                               - self.egress.tuples.value.load(memory_order_relaxed))
        return self.phase < 0 and units > 0 and self.ingress.arrived() * (self.ingress.mask + 1) < units * tuples

    cdef bint enter(self, Plan* plan, Unit* unit, int32_t entry, Mine* mine) noexcept nogil:
        """A unit of the stream (``entry`` 1), or one that operator ``entry`` - 1 flushed; with the lock, which it returns."""
        cdef int32_t j = 0
        if entry == 1:
            self.ingress.unlock()
            yield_point()
            self.ingress.source.fill(unit)
            self.finish(plan, 0, unit, mine)
            return True
        while entry > plan.segments[j].end:
            j += 1
        # What is left of the segment's turn is done under the lock: nobody else is in this segment any more.
        if entry < plan.segments[j].tail:
            self.operate(unit, entry, plan.segments[j].tail, mine)
            entry = plan.segments[j].tail
        if j + 1 == plan.n_segments:
            self.egress.leave(unit)
            self.ingress.unlock()
            return True
        self.ingress.unlock()
        self.operate(unit, entry, plan.segments[j].end, mine)
        if plan.segments[j + 1].sharded:
            self.scatter(plan.segments[j + 1].head, unit)
        self.publish(plan, j + 1, unit)
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
            timed = is_timed(mine, self.ingress.unit_size)
            begun = ticks() if timed else 0
            n = self.ingress.admit(unit)
            if n > 0:
                entry[0] = 1
                if alone is not NULL:
                    self.ingress.source.fill(unit)
                now = ticks() if timed else -1
                count(mine.meters, 0, now - begun, n, n)
                self.controller.full += n if n == self.ingress.unit_size else 0
                self.note_saturation(n == self.ingress.unit_size and self.ingress.waiting() > BACKLOG * n)
                if timed and now >= self.controller.next_decision:
                    self.replanned = self.controller.decide(now, unit.first + n, self.meters.data(), self.workers)
                    self.ingress.unit_size = self.controller.unit
                return unit
            if n == 0:
                return NULL
            self.phase = 1
        while self.phase < self.n - 1:
            if self.kinds[self.phase] != STATELESS:
                if not self.quiescent() and not self.flushing:
                    return NULL                 # units from before may still be in it
                self.flushing = True
                reset(unit.spare, (<Operator>self.at[self.phase]).emitted_width)
                if (<Operator>self.at[self.phase]).flush(unit.spare, <int32_t>self.ingress.unit_size) > 0:
                    swap(unit)
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

    def profile(self) -> list:
        """Return a mapping per operator: worker time in ticks (estimated where the clock was not read), tuples, visits."""
        cdef int32_t k
        cdef Metered total
        found = []
        for k in range(self.n):
            sum_meters(self.meters.data(), self.workers, k, &total)
            ticks_, timed, given, emitted, visits = [total.value[f] for f in range(METER_FIELDS)]
            found.append({"operators": [self.operators[k].name], "ticks": int(ticks_ * given / timed) if timed else 0,
                          "tuples_in": given, "tuples_out": emitted, "visits": visits, "reorder": {}})
        return found

    def traces(self) -> dict:
        """Return no digest: only the sink sees all units in order."""
        return {}

    def plans_chosen(self) -> list:
        """Return (seconds since the start, unit, places of heads, places of sharded heads) of every choice."""
        return [((at - self.begun_ticks) / ticks_per_second(), *chosen) for at, *chosen in self.controller.chosen()]
