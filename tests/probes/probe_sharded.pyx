"""For the sharded engine: a controller that changes its mind all the time, and drivers of what plans and choices are made of."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.apply cimport PARTITIONED, STATELESS, kind_of
from streambench.pyx.clock cimport ticks_per_second
from streambench.pyx.controller cimport Controller
from streambench.pyx.meter cimport METER_FIELDS, Metered, count, sum_meters
from streambench.pyx.padded cimport CounterLine, delete_counter_lines, new_counter_lines
from streambench.pyx.plan cimport Cuts, Plan, completed, delete_plan, fused, new_plan, ready_for, turn_of
from streambench.pyx.unit cimport MAX_OPERATORS


cdef class Fickle(Controller):
    """Of so many units admitted, at ``one_in`` on average it chooses another plan, and 1 to ``largest`` tuples to a unit."""
    cdef uint64_t state
    cdef int64_t one_in, largest
    cdef readonly int64_t changes

    def vary(self, uint64_t seed, int64_t one_in, int64_t largest):
        self.state, self.one_in, self.largest = seed, one_in, largest

    cdef int64_t draw(self, int64_t below) noexcept nogil:
        cdef uint64_t drawn
        self.state += <uint64_t>0x9E3779B97F4A7C15
        drawn = (self.state ^ (self.state >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
        drawn = (drawn ^ (drawn >> 27)) * <uint64_t>0x94D049BB133111EB
        return <int64_t>((drawn ^ (drawn >> 31)) % <uint64_t>below)

    cdef void begin(self, int64_t now) noexcept nogil:
        Controller.begin(self, now)
        self.next_decision = 0

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        cdef int32_t k
        cdef bint is_fused = self.draw(4) == 0
        if self.draw(self.one_in) != 0:
            return False
        self.cuts.heads = self.cuts.sharded = 0
        for k in range(1, self.pipeline.n):
            if is_fused or self.kinds[k] == STATELESS or self.draw(2) == 0:
                continue
            self.cuts.heads |= <uint32_t>1 << k
            if self.kinds[k] == PARTITIONED and self.draw(2) == 0:
                self.cuts.sharded |= <uint32_t>1 << k
        self.unit = 1 + self.draw(self.largest)
        self.interval = 1.0         # `in_flight` asks for it
        self.allowance = 1 + self.draw(self.credit)
        self.changes += 1
        return True


cdef class Listener(Controller):
    """It never decides anything, and keeps what it is told."""

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        return False

    @property
    def in_full_units(self):
        """Stream tuples so far."""
        return self.full


cdef class Observed:
    """A controller over meters that Python fills in, at times that Python says: microseconds since the start."""
    cdef Controller controller
    cdef CounterLine** meters
    cdef int32_t workers, n

    def __init__(self, operators, partitions, int workers, **how):
        cdef int32_t w
        self.workers, self.n = workers, <int32_t>len(operators)
        self.meters = <CounterLine**>calloc(workers, sizeof(CounterLine*))
        for w in range(workers):
            self.meters[w] = new_counter_lines(self.n)
        self.controller = Controller(operators, partitions, workers=workers, **how)
        self.controller.begin(0)

    def __dealloc__(self):
        cdef int32_t w
        if self.meters is not NULL:
            for w in range(self.workers):
                delete_counter_lines(self.meters[w])
            free(self.meters)

    def count(self, int worker, int place, double microseconds, int64_t rows_in, int64_t rows_out):
        """A call of an operator that took so long; a negative time: the clock was not read."""
        count(self.meters[worker], place, <int64_t>(microseconds * 1e-6 * ticks_per_second()), rows_in, rows_out)

    def metered(self, int place):
        """The sums over all workers, ticks left out: rows timed, given, emitted, and calls."""
        cdef Metered total
        sum_meters(self.meters, self.workers, place, &total)
        return [total.value[k] for k in range(1, METER_FIELDS)]

    def decide(self, double microseconds, int64_t position, int64_t full, int64_t waiting=0):
        """Whether the plan has changed; ``full``: stream tuples since the last time that came in full units.

        ``waiting``: tuples that have arrived and are not admitted.
        """
        self.controller.full += full
        self.controller.waiting = waiting
        return self.controller.decide(<int64_t>(microseconds * 1e-6 * ticks_per_second()), position, self.meters, self.workers)

    def live(self, double now, double end, double admitted, costs, double fused, double cut, double gap, double interval):
        """Look and decide from ``now`` to ``end``, as Simulated.run does, some million times a second.

        ``fused``, ``cut``: ns per stream tuple of one worker and of any plan with segments. Tuples come every ``interval`` ns since
        the start; 0: one by one, every ``gap`` ns. Returns the time, the tuples admitted, the time that was spent fused, and
        how often the plan changed.
        """
        cdef double per_us = ticks_per_second() * 1e-6, each, span, arrived, spent = 0.0
        cdef double cost[MAX_OPERATORS]
        cdef int64_t changes = 0, position = <int64_t>admitted, tuples
        cdef int32_t k
        cdef bint saturated
        for k in range(self.n):
            cost[k] = costs[k]
        while now < end:
            each = cut if self.controller.cuts.heads else fused
            span = max(self.controller.next_decision / per_us - now, 0.0) + self.controller.unit * max(each, gap, interval) / 1e3
            now += span
            if interval > 0:
                arrived = now * 1e3 / interval
                admitted = min(admitted + span * 1e3 / each, arrived)
                saturated = arrived - admitted > self.controller.unit
                self.controller.waiting = <int64_t>(arrived - admitted)
            else:
                admitted += span * 1e3 / max(each, gap)
                saturated = each > gap
            tuples = <int64_t>admitted - position
            position += tuples
            spent += 0.0 if self.controller.cuts.heads else span
            for k in range(self.n):
                count(self.meters[k % self.workers], k, <int64_t>(tuples * cost[k] * 1e-3 * per_us), tuples, tuples)
            self.controller.full += tuples if saturated else 0
            changes += self.controller.decide(<int64_t>(now * per_us), position, self.meters, self.workers)
        return now, admitted, spent, changes

    def age(self, int64_t looks):
        """Let it have counted so many looks in all that counts them."""
        cdef int32_t k
        for k in range(self.n):
            self.controller.looks[k] = looks
        self.controller.behind = self.controller.slow = looks

    def chosen(self):
        """What is kept of its choices: (number, tick, unit, units in flight, heads, sharded heads)."""
        return self.controller.chosen()

    @property
    def due(self):
        """When it wants to decide next."""
        return self.controller.next_decision * 1e6 / ticks_per_second()

    @property
    def unit(self):
        return self.controller.unit

    @property
    def in_flight(self):
        return self.controller.in_flight()

    @property
    def heads(self):
        return [k for k in range(self.n) if self.controller.cuts.heads >> k & 1]

    @property
    def sharded(self):
        return [k for k in range(self.n) if self.controller.cuts.sharded >> k & 1]


def bits(places):
    return sum(1 << place for place in places)


def completed_heads(list operators, heads, sharded):
    """The places of the heads that a plan has in the end."""
    cdef int kinds[MAX_OPERATORS]
    cdef Cuts cuts
    cdef int32_t k
    for k in range(<int32_t>len(operators)):
        kinds[k] = kind_of(operators[k])
    cuts.heads, cuts.sharded = bits(heads), bits(sharded)
    cuts = completed(cuts, kinds, <int32_t>len(operators))
    return [k for k in range(len(operators)) if cuts.heads >> k & 1]


def segments(list operators, heads, sharded, list partitions, int64_t serial=0):
    """The segments of a plan: (head, tail, end, sharded, the unit that each turn stands at); None for a fused one."""
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t counts[MAX_OPERATORS]
    cdef Cuts cuts
    cdef Plan* plan
    cdef int32_t j, k
    for k in range(<int32_t>len(operators)):
        kinds[k] = kind_of(operators[k])
        counts[k] = partitions[k]
    cuts.heads, cuts.sharded = bits(heads), bits(sharded)
    plan = new_plan(cuts, 0, serial, kinds, counts, <int32_t>len(operators))
    found = None
    if not fused(plan):
        found = [(0, plan.segments[0].tail, plan.segments[0].end, False, [])]
        for j in range(1, plan.n_segments):
            turns = [turn_of(&plan.segments[j], k).load() for k in range(plan.segments[j].shards)]
            found.append((plan.segments[j].head, plan.segments[j].tail, plan.segments[j].end,
                          bool(plan.segments[j].sharded), turns))
    delete_plan(plan)
    return found


def readiness(int64_t epoch, int64_t serial, int32_t segment):
    """What a unit's ``ready`` holds for a segment of the plan of this epoch."""
    cdef Plan plan
    plan.epoch = epoch
    return ready_for(&plan, serial, segment)
