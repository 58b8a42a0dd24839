"""For the engine `ordered`: a controller that changes its mind all the time, and drivers of the
parts of plans and choices."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.tuples.apply cimport PARTITIONED, STATELESS, kind_of
from streambench.pyx.ordered.controller cimport Controller
from streambench.pyx.ordered.meter cimport METER_FIELDS, METER_IN, METER_TICKS, METER_TIMED, Metered, count, sum_meters
from streambench.pyx.machine.padded cimport CounterLine, delete_counter_lines, new_counter_lines
from streambench.pyx.ordered.plan cimport Cuts, Plan, completed, delete_plan, new_plan, ready_for, turn_of, whole
from streambench.pyx.tuples.unit cimport MAX_OPERATORS


cdef class Fickle(Controller):
    """At its first look and one in ``one_in`` of those that follow it chooses a plan, and 1 to
    ``largest`` tuples to a unit.

    Looks come with units that are timed, which are drawn, by whoever admits them: how many there are is chance. The
    first unit of all is timed.
    """
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
        cdef int32_t k, end = 0
        cdef bint is_whole = self.draw(4) == 0
        if self.draw(self.one_in) != 0 and self.changes > 0:
            return False
        self.cuts.heads = self.cuts.sharded = 0
        for k in range(1, self.pipeline.n):
            if k < end or is_whole or self.pipeline.operators[k].kind == STATELESS or self.draw(2) == 0:
                continue
            self.cuts.heads |= <uint32_t>1 << k
            if self.pipeline.operators[k].dealt > 0 and self.draw(2) == 0:
                end = self.pipeline.operators[k].dealt
                self.cuts.sharded |= (<uint32_t>1 << end) - (<uint32_t>1 << k)
                continue
            if self.pipeline.operators[k].kind == PARTITIONED and self.draw(2) == 0:
                self.cuts.sharded |= <uint32_t>1 << k
        self.unit = 1 + self.draw(self.largest)
        self.terms.interval = 1.0       # `in_flight` asks for it
        self.sizing.allowance = 1 + self.draw(self.terms.credit)
        self.changes += 1
        return True


cdef class Restless(Fickle):
    """As it, and with each look it lets workers leave their cores, or binds them again; with the first it lets them.
    With each plan some of them rest, two work at least."""
    cdef readonly int64_t moves, rests

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        self.crowd.bound = not self.crowd.bound
        cdef bint changed = Fickle.decide(self, now, position, meters, workers)
        self.moves += 1
        if changed:
            self.cuts.resting = <int32_t>self.draw(max(1, workers - 1)) if self.cuts.heads else 0
            self.rests += self.cuts.resting > 0
        return changed


cdef class Generous(Controller):
    """It has the plan whole, and with its first look it lets workers leave their cores."""

    cdef void begin(self, int64_t now) noexcept nogil:
        Controller.begin(self, now)
        self.next_decision = 0

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        self.crowd.bound = False
        return False


cdef class Enlarging(Controller):
    """It has the plan whole, and wants 512 tuples to a unit from its first look on, which comes with the
    first unit that is timed."""

    cdef void begin(self, int64_t now) noexcept nogil:
        Controller.begin(self, now)
        self.next_decision = 0

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        self.unit = 512
        return False


cdef class Listener(Controller):
    """It never decides anything, and keeps what it is told. It looks once, with the 20th unit that is timed."""
    cdef int64_t units

    cdef bint is_due(self, int64_t now, int64_t waiting) noexcept nogil:
        self.units += 1
        return self.units == 20

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        return False

    @property
    def in_full_units(self):
        """Stream tuples so far."""
        return self.full


cdef class Meters:
    """What workers have metered, filled in by Python."""
    cdef CounterLine** lines
    cdef int32_t workers

    def __cinit__(self, int operators, int workers):
        cdef int32_t w
        self.workers = workers
        self.lines = <CounterLine**>calloc(workers, sizeof(CounterLine*))
        for w in range(workers):
            self.lines[w] = new_counter_lines(operators)

    def __dealloc__(self):
        cdef int32_t w
        for w in range(self.workers):
            delete_counter_lines(self.lines[w])
        free(self.lines)

    def count(self, int worker, int place, int64_t ticks, int64_t rows_in, int64_t rows_out):
        """A call of an operator that took so long; negative ticks: the clock was not read."""
        count(self.lines[worker], place, ticks, rows_in, rows_out)

    def sums(self, int place):
        """Over all workers: ticks, rows timed, given, emitted, and calls."""
        cdef Metered total
        sum_meters(self.lines, self.workers, place, &total)
        return [total.value[k] for k in range(METER_FIELDS)]


def live(Controller controller, totals, double now, double end, double admitted, costs, double whole, double cut,
         double gap, double interval):
    """Look and decide from ``now`` to ``end``, in microseconds, as Simulated.run does, some million times a second.

    ``totals``: (ticks, rows timed, rows) of each operator so far; a tick is a nanosecond. ``costs``: ns of each per
    stream tuple. ``whole``, ``cut``: ns per stream tuple of one worker and of any plan with segments. Tuples come every
    ``interval`` ns since the start; 0: one by one, every ``gap`` ns. Returns the time, the tuples admitted, the time
    that was spent with the plan whole, how often the plan changed, and the totals.
    """
    cdef Meters meters = Meters(len(costs), 1)
    cdef double each, span, arrived, spent = 0.0
    cdef double cost[MAX_OPERATORS]
    cdef int64_t changes = 0, position = <int64_t>admitted, tuples
    cdef int32_t k, n = <int32_t>len(costs)
    cdef bint saturated
    for k in range(n):
        cost[k] = costs[k]
        meters.lines[0][k].value[METER_TICKS].store(totals[k][0])
        meters.lines[0][k].value[METER_TIMED].store(totals[k][1])
        meters.lines[0][k].value[METER_IN].store(totals[k][2])
    while now < end:
        each = cut if controller.cuts.heads else whole
        span = max(controller.next_decision / 1e3 - now, 0.0) + controller.unit * max(each, gap, interval) / 1e3
        now += span
        if interval > 0:
            arrived = now * 1e3 / interval
            admitted = min(admitted + span * 1e3 / each, arrived)
            saturated = arrived - admitted > controller.unit
            controller.waiting = <int64_t>(arrived - admitted)
        else:
            admitted += span * 1e3 / max(each, gap)
            saturated = each > gap
        tuples = <int64_t>admitted - position
        position += tuples
        spent += 0.0 if controller.cuts.heads else span
        for k in range(n):
            count(meters.lines[0], k, <int64_t>(tuples * cost[k]), tuples, tuples)
        controller.full += tuples if saturated else 0
        changes += controller.decide(<int64_t>(now * 1e3), position, meters.lines, 1)
    return now, admitted, spent, changes, [meters.sums(k)[:3] for k in range(n)]


def age(Controller controller, int64_t looks):
    """Let it have counted so many looks in all that counts them."""
    cdef int32_t k
    for k in range(controller.pipeline.n):
        controller.looks.counts[k] = looks
    controller.behind = controller.trials.unusual_stretches = looks


def bits(places):
    return sum(1 << place for place in places)


def completed_heads(list operators, heads, sharded, dealt=()):
    """The places of the heads that a plan has in the end."""
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t ends[MAX_OPERATORS]
    cdef Cuts cuts
    cdef int32_t k
    for k in range(<int32_t>len(operators)):
        kinds[k] = kind_of(operators[k])
        ends[k] = dict(dealt).get(k, 0)
    cuts.heads, cuts.sharded, cuts.resting = bits(heads), bits(sharded), 0
    cuts = completed(cuts, kinds, ends, <int32_t>len(operators))
    return [k for k in range(len(operators)) if cuts.heads >> k & 1]


def segments(list operators, heads, sharded, list partitions, int64_t serial=0, dealt=()):
    """The segments of a plan: (head, tail, end, sharded, the unit that each turn stands at); None for a whole one."""
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t counts[MAX_OPERATORS]
    cdef int32_t ends[MAX_OPERATORS]
    cdef Cuts cuts
    cdef Plan* plan
    cdef int32_t j, k
    for k in range(<int32_t>len(operators)):
        kinds[k] = kind_of(operators[k])
        counts[k] = partitions[k]
        ends[k] = dict(dealt).get(k, 0)
    cuts.heads, cuts.sharded, cuts.resting = bits(heads), bits(sharded), 0
    plan = new_plan(cuts, 0, serial, kinds, counts, ends, <int32_t>len(operators))
    found = None
    if not whole(plan):
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
