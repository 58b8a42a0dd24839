"""The controller decides, while a pipeline runs: where it is cut (the plan), how many tuples make a unit, how many
units are under way, and when to look again.

It runs where units are admitted, under that lock, so it needs no lock of its own. Its parts,
each in a file with its reasons:

- ``looks``: what is known of the operators, from the workers' meters;
- ``cost_model``: what a plan would cost;
- ``sizing``: tuples to a unit, and units under way;
- ``trials``: which plan a saturated stream has, by trials that an account of time pays;
- ``waiting``: workers that wait for a core, because somebody else is on it;
- ``keeping_up``: which plan a stream has that cannot tell how fast a plan is, or must not try;
- ``controller_constants``: the numbers that all of them take for granted;
- ``core_costs``: what cores take to share, on this machine;
- ``terms``: what the run is given; ``choice_log``: what is kept of the choices.

A run begins with the plan whole, one worker, where costs are measured best, and with small units that soon grow. Each
look decides sizes or the plan, not both: costs of small units say little of large ones. The controller goes on for as
long as the run. A plan changes when no unit is in flight, some 0.1 ms: that is the engine's to wait for.

A test or a simulator drives it from Python: meters and time are what it says they are.

>>> from streambench.pyx.operator import Sink, Source, Stateful
>>> from streambench.pyx.ordered.controller import Controller
>>> operators = [Source(), Stateful(), Sink()]
>>> for each in operators:
...     each.columns = ("value",)
>>> controller = Controller(operators, [4, 4, 4], workers=2, unit=0, free_plan=True, credit=16, latency_target=1e-3,
...                         ns_per_tick=1.0)
>>> controller.begin_at(0)
>>> controller.full = 4000      # all that has come was in full units: the stream is saturated
>>> controller.decide_on(400_000, 4000, [(0, 4000, 4000), (360_000, 4000, 4000), (40_000, 4000, 4000)])
False
>>> controller.unit, controller.plan, controller.units_in_flight, controller.next_decision
(2200, ([], []), 16, 1000000)
"""

from libc.math cimport INFINITY
from streambench.pyx.ordered.choice_log cimport Choice, keep, kept
from streambench.pyx.ordered.controller_constants cimport constants_with
from streambench.pyx.ordered.core_costs cimport costs_of
from streambench.pyx.ordered.cost_model cimport whole_time
from streambench.pyx.ordered.terms cimport in_ticks
from streambench.pyx.ordered.keeping_up cimport expect_one_worker, is_calm, is_tried, keep_up, one_worker_again
from streambench.pyx.ordered.looks cimport least_time, look, tells_something
from streambench.pyx.ordered.meter cimport METER_IN, METER_TICKS, METER_TIMED, sum_meters
from streambench.pyx.ordered.sizing cimport allow, ideal_unit, units_under_way
from streambench.pyx.ordered.trials cimport (
    RESTING, TRYING, WHOLE, compete, expect_trials, forget, give_up, is_curious, let_rest, same,
)
from streambench.pyx.ordered.waiting cimport (
    DISTURBED, NOTHING_NEW, Heeded, expect_no_waiting, heed, is_open, trial_span,
)
from streambench.pyx.tuples.apply cimport kind_of
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

from streambench.pyx.machine.simulated import ticks_of_a_second

cdef int64_t NEVER = <int64_t>1 << 62       # more tuples than ever wait


cdef class Controller:
    """``operators`` prepared, ``partitions`` by place; ``unit`` 0 and ``free_plan`` let it choose; ``latency_target``
    in seconds; ``interval``: ns from arrival to arrival where tuples come at a rate, else 0; ``cuts``: (heads, sharded
    heads) of the first plan, bits by place; ``constants``: changes by name (``controller_constants.standard``);
    ``ns_per_tick``: 0 for this machine's; ``dealt``: (first place, end) of operators that can be dealt; ``costs``:
    what cores take to share, by name (None: ``core_costs.assumed``); ``row_bytes``: of a row that each operator emits,
    by place (None: 8 a column).

    Raises ValueError for constants and costs that cannot be.
    """

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit, bint free_plan, int64_t credit,
                 double latency_target, double interval=0.0, bint free_credit=True, tuple cuts=(0, 0), constants=None,
                 double ns_per_tick=0.0, dealt=(), costs=None, row_bytes=None):
        cdef int32_t k
        self.terms.constants = constants_with(constants)
        self.terms.cores = costs_of(costs)
        self.terms.ns_per_tick = ns_per_tick or 1e9 / ticks_of_a_second()
        self.terms.interval = interval
        self.terms.latency_target = latency_target * 1e9
        self.terms.credit = credit
        self.terms.free_plan = free_plan
        self.terms.free_unit = unit == 0
        self.terms.free_credit = free_credit
        self.pipeline.n = <int32_t>len(operators)
        self.terms.workers = self.pipeline.workers = workers
        self.pipeline.constants = &self.terms.constants
        self.pipeline.cores = &self.terms.cores
        for k in range(self.pipeline.n):
            self.pipeline.operators[k].kind = kind_of(operators[k])
            self.pipeline.operators[k].partitions = partitions[k]
            if k:
                self.looks.row_bytes[k] = 8 * len(operators[k - 1].emitted) if row_bytes is None else row_bytes[k - 1]
        for k, end in dealt:
            self.pipeline.operators[k].dealt = end
        self.cuts.heads, self.cuts.sharded = cuts
        self.unit = unit or self.terms.constants.first_unit
        self.sizing.allowance = 1
        self.sizing.spent = INFINITY
        expect_trials(&self.trials, &self.terms)

    cdef void begin(self, int64_t now) noexcept nogil:
        """As a run begins, at tick ``now``."""
        self.since = self.trials.accrued = self.looks.alone_at = now
        expect_no_waiting(&self.crowd, now)
        expect_one_worker(&self.alone, &self.terms, now)
        self.look_again(now, self.terms.constants.first_look)
        self.note(now, &self.plans)

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        """Look at the time since the last decision. True: ``cuts`` have changed, put them into effect.

        Called when ``next_decision`` has come, with how many stream tuples have been admitted so far.
        """
        cdef Metered totals[MAX_OPERATORS]
        cdef int32_t k
        if self.is_early(now, position):
            return False
        for k in range(self.pipeline.n):
            sum_meters(meters, workers, k, &totals[k])
        return self.decide_by(now, position, totals)

    cdef bint is_early(self, int64_t now, int64_t position) noexcept nogil:
        """Have too few units been admitted for a look to say anything? Then ``next_decision`` has been put off."""
        cdef int64_t filled = (self.terms.constants.filled if self.cuts.heads else self.terms.constants.filled_whole)
        if (<double>(position - self.since_position) >= filled * self.unit
                or (now - self.since) * self.terms.ns_per_tick >= self.terms.constants.long_look):
            return False
        self.look_again(now, self.terms.constants.early_look)
        return True

    cdef bint decide_by(self, int64_t now, int64_t position, const Metered* totals) noexcept nogil:
        """``totals``: what all workers have metered so far."""
        cdef double tuples = <double>(position - self.since_position)
        cdef bint changed = False
        if tuples > 0:
            if not tells_something(&self.looks, totals, self.pipeline.n):
                self.look_again(now, self.terms.constants.early_look)
                return False
            self.take_look(now, totals, tuples)
            changed = self.choose(now, (now - self.since) * self.terms.ns_per_tick, tuples)
        self.since = now
        self.since_position = position
        self.full = 0
        self.waited = 0
        self.look_again(now, self.pause())
        return changed

    cdef void take_look(self, int64_t now, const Metered* totals, double tuples) noexcept nogil:
        look(&self.looks, &self.pipeline, &self.terms, now, totals, tuples,
             self.cuts.heads == 0 or not self.terms.free_plan,
             self.terms.interval > 0 and not self.trials.has_chosen)
        self.pipeline.unit = <double>self.wanted_unit()

    cdef bint choose(self, int64_t now, double elapsed, double tuples) noexcept nogil:
        """Sizes, or the plan; ``tuples`` have been admitted in ``elapsed`` ns. True: the plan has changed."""
        cdef bint saturated = self.full >= tuples * (
            self.terms.constants.paced_full if self.terms.interval > 0 else self.terms.constants.full)
        cdef bint changed = False, resized = False, tries_plans = self.tries_plans(), bound = self.crowd.bound
        cdef double every
        cdef int64_t unit
        cdef Cuts cuts
        self.sizing.spent = elapsed / tuples * self.working()
        if self.terms.interval > 0 and ((self.trials.has_chosen and self.trials.phase == RESTING) or not tries_plans):
            resized = allow(&self.sizing, &self.terms, saturated, self.waiting)
        unit = self.wanted_unit()
        resized = resized or unit > 2 * self.unit or 2 * unit < self.unit
        if tries_plans and self.make_way(now, elapsed):
            changed = True
            unit = self.wanted_unit()
        elif tries_plans and not resized:
            every = self.terms.interval or elapsed / tuples         # a short stop of the machine is no lull
            cuts = self.next_plan(now, saturated, whole_time(&self.pipeline) / every)
            changed = not same(cuts, self.cuts)
            self.put_in_place(cuts)
            unit = self.wanted_unit() if changed else self.unit
        if changed or resized:
            self.unit = unit
            self.note(now, &self.plans if changed else &self.sizes)
        elif self.crowd.bound != bound:
            self.note(now, &self.plans)
        return changed

    cdef bint make_way(self, int64_t now, double elapsed) noexcept nogil:
        """Heed how often workers have waited for their cores. True: the plan has changed: one worker rests, or twice as
        many as did, or the plan is whole; or it is back when it is over.

        Not to whole where tuples come at a rate that one worker could not keep up with.
        """
        cdef Cuts cuts
        cdef Heeded heeded = heed(&self.crowd, &self.terms, now, elapsed, self.waited, self.working())
        if heeded == NOTHING_NEW:
            return False
        give_up(&self.trials, &self.terms, now, self.looks.worked)
        forget(&self.trials)
        if heeded == DISTURBED:
            self.shared = self.trials.best != WHOLE
            if self.shared and self.crowd.resting < self.terms.workers - 1:
                let_rest(&self.trials, self.trials.best, self.crowd.resting)
            elif self.terms.interval == 0 or whole_time(&self.pipeline) < self.alone.arrival_interval_ns:
                self.trials.best = WHOLE
        elif self.shared:
            let_rest(&self.trials, self.trials.latest, self.crowd.resting)
        cuts = self.trials.arms[self.trials.best].cuts
        if same(cuts, self.cuts):
            return False
        self.put_in_place(cuts)
        return True

    cdef void put_in_place(self, Cuts cuts) noexcept nogil:
        self.cuts = cuts
        self.pipeline.workers = self.terms.workers - cuts.resting

    cdef int32_t working(self) noexcept nogil:
        """How many workers the plan is for."""
        return self.pipeline.workers if self.cuts.heads else 1

    cdef Cuts next_plan(self, int64_t now, bint saturated, double load) noexcept nogil:
        """``load``: of one worker, as a part of its time."""
        self.behind = self.behind + 1 if saturated else 0
        self.trials.resting = self.crowd.resting
        if (one_worker_again(&self.alone, &self.trials, &self.terms, &self.looks, self.cuts, now,
                             least_time(&self.looks, &self.pipeline), self.behind, self.waiting)
                or self.alone.catching_up):
            give_up(&self.trials, &self.terms, now, self.looks.worked)
            return self.trials.arms[WHOLE if self.alone.has_stream else self.trials.best].cuts
        if self.terms.interval > 0 and self.trials.has_chosen:     # a rate that steps has a mean that it never has
            load = max(load, self.alone.load) if is_calm(&self.alone, &self.terms, now) else INFINITY
        if not saturated or (self.terms.interval > 0 and not self.trials.has_chosen):
            return keep_up(&self.trials, &self.terms, &self.pipeline, &self.looks, self.cuts, now, load, self.behind)
        return compete(&self.trials, &self.terms, &self.pipeline, self.cuts, now, self.looks.worked,
                       trial_span(&self.crowd, &self.terms), self.behind, self.alone.stuck_looks,
                       self.alone.arrival_interval_ns)

    cdef int64_t wanted_unit(self) noexcept nogil:
        if not self.terms.free_unit:
            return self.unit
        return ideal_unit(&self.sizing, &self.terms, &self.pipeline, self.cuts, self.sizing.allowance)

    cdef int64_t in_flight(self) noexcept nogil:
        """How many units may be under way."""
        return units_under_way(&self.sizing, &self.terms, &self.pipeline, self.cuts, self.unit)

    cdef double pause(self) noexcept nogil:
        """The ns to the next look."""
        cdef double span
        if not self.tries_plans():
            return self.terms.constants.calm_look
        span = trial_span(&self.crowd, &self.terms)
        if self.terms.interval > 0 and not self.trials.has_chosen:
            return self.terms.constants.paced_look * self.terms.constants.trial_look
        if ((self.crowd.spells > 0 and is_open(&self.crowd, &self.terms, self.working()))
                or (self.is_watched() and self.behind > 0)):
            return self.terms.constants.trial_look
        if self.trials.phase == TRYING or is_tried(&self.alone, &self.terms, &self.looks):
            # It may lose what it may before its time is over.
            return self.terms.constants.trial_look
        if self.alone.has_stream or self.trials.phase == RESTING and not is_curious(&self.trials, &self.terms, span):
            return self.terms.constants.calm_look
        return span / self.terms.constants.slices

    cdef bint tries_plans(self) noexcept nogil:
        """Is there more than one plan to choose from?"""
        return self.terms.free_plan and self.terms.workers > 1

    cdef int64_t overdue(self, int64_t now) noexcept nogil:
        """ns for which a look has not come though there were tuples: somebody holds a turn
        and does not come back with it.

        Not what the units that are under way may take.
        """
        if self.cuts.heads == 0:
            return 0
        return <int64_t>max(0.0, (now - self.next_decision) * self.terms.ns_per_tick
                            - <double>self.in_flight() * self.unit * self.sizing.spent)

    cdef bint is_due(self, int64_t now, int64_t waiting) noexcept nogil:
        """Is it time for a look, with so many tuples waiting?"""
        return now >= self.next_decision or (waiting > self.much and now >= self.soonest)

    cdef void look_again(self, int64_t now, double pause) noexcept nogil:
        """``pause`` ns from now; sooner where a plan falls behind a rate: a backlog is noticed while it is small."""
        self.next_decision = now + in_ticks(&self.terms, pause)
        self.soonest = min(self.next_decision, now + in_ticks(&self.terms, self.terms.constants.trial_look))
        self.much = <int64_t>(self.terms.constants.backlog / self.terms.interval) if self.is_watched() else NEVER

    cdef bint is_watched(self) noexcept nogil:
        """Does the stream come at a rate, and is another plan known for it, should this one fall behind?"""
        return self.terms.interval > 0 and (self.cuts.heads != 0 or self.alone.has_stream)

    cdef void note(self, int64_t now, ChoiceLog* log) noexcept nogil:
        cdef Choice choice
        choice.number = self.plans.count + self.sizes.count
        choice.at = now
        choice.unit = self.unit
        choice.in_flight = self.in_flight()
        choice.cuts = self.cuts
        choice.bound = self.crowd.bound
        keep(log, &choice)

    # --------------------------------------------------------------------------------------------- from Python

    def begin_at(self, int64_t now) -> None:
        """As a run begins, at tick ``now``."""
        self.begin(now)

    def decide_on(self, int64_t now, int64_t position, meters) -> bool:
        """Decide, at tick ``now``, with ``position`` stream tuples admitted so far. True: the plan has changed.

        ``meters``: of each operator, all workers' (ticks, rows timed, rows given) so far. ``full`` and ``waiting`` are
        set before. Raises ValueError for meters of more or fewer operators.
        """
        cdef Metered totals[MAX_OPERATORS]
        cdef int32_t k
        if len(meters) != self.pipeline.n:
            raise ValueError(f"there are meters of {len(meters)} operators, but the pipeline has {self.pipeline.n}.")
        if self.is_early(now, position):
            return False
        for k in range(self.pipeline.n):
            totals[k].value[METER_TICKS], totals[k].value[METER_TIMED], totals[k].value[METER_IN] = meters[k]
        return self.decide_by(now, position, totals)

    def due(self, int64_t now, int64_t waiting) -> bool:
        """Is it time for a look, at tick ``now``, with so many tuples waiting?"""
        return self.is_due(now, waiting)

    @property
    def plan(self) -> tuple:
        """The places of the operators that begin a segment, and of those among them that run by partition."""
        return self.places(self.cuts.heads), self.places(self.cuts.sharded)

    @property
    def resting(self) -> int:
        """How many workers are to rest, because somebody else is on so many cores."""
        return self.cuts.resting

    @property
    def units_in_flight(self) -> int:
        """How many units may be under way."""
        return self.in_flight()

    @property
    def bound(self) -> bool:
        """Whether each worker is to stay on its core."""
        return self.crowd.bound

    @property
    def constants(self) -> dict:
        """The constants of this controller, by name."""
        return self.terms.constants

    def chosen(self) -> list:
        """Return (number, tick, unit, units in flight, places of heads, of sharded ones, workers that rest, bound)
        of the choices kept, in order.

        The number counts all choices from 0: where one is missing, it was not kept.
        """
        return [(*choice, self.places(heads), self.places(sharded), resting, bound)
                for *choice, heads, sharded, resting, bound in sorted(kept(&self.plans) + kept(&self.sizes))]

    def places(self, bits) -> list:
        return [k for k in range(self.pipeline.n) if bits >> k & 1]
