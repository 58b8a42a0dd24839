"""The controller of the sharded engine: it measures what every operator costs, and chooses plan and unit size.

It runs where tuples are admitted, under that lock, so it needs none of its own. A run begins fused: one worker, which is
where costs are measured best. From these the cost model picks the two most promising plans, one without sharded operators
and one with. Each is tried for some milliseconds, and the fastest of them and the fused worker stays. Now and then, and
when the winner becomes much slower, there is another tournament. A stream that does not keep one worker busy cannot tell
how fast a plan is: it is run fused, with the smallest delay, or else by the model. Where tuples come at a rate a trial is
a delay for those behind it: the model's plan is put to the test only if it falls behind. And no more is under way than
the stream takes to be kept up with: what waits outside can go on in smaller pieces, and behind less.
"""

from streambench.pyx.apply cimport kind_of
from streambench.pyx.choice_log cimport Choice, ChoiceLog, keep, kept
from streambench.pyx.clock cimport ticks_per_second
from streambench.pyx.cost_model cimport best_cuts, fused_time
from streambench.pyx.meter cimport METER_IN, METER_TICKS, METER_TIMED, sum_meters

cdef double ADVANTAGE = 0.97            # of the fused worker: a plan with segments must take less than this part of its time
cdef double HOPELESS = 0.97             # a plan is not tried if the model gives it more than this part of the fused time
cdef double OUTCLASSED = 1.5            # or more than so many times the time of the best
cdef double SLOWER = 1.25               # than the winner was when it won: time for another tournament
cdef double BUSY = 0.7                  # of one worker's time: below, one worker is enough
cdef double FULL = 0.5                  # of the tuples admitted in full units: more arrive than are processed. Units at
cdef double PACED_FULL = 0.95           # the end of a lap are not full; where tuples arrive one by one it can be told better
cdef double MOST_WORK = 220_000.0       # ns of one worker's time that a unit may take
cdef double PACED_WORK = 20_000.0       # and where tuples come at a rate, times the allowance
cdef double PACED_UNIT = 3072.0         # and so many tuples at most
cdef double PACED_LEAST = 128.0         # but so many may take longer
cdef int64_t MOST_ALLOWANCE = 4
cdef int64_t UNITS_AHEAD = 2            # a worker, there: one in work and one behind it
cdef int32_t LATE = 10                  # looks in a row that find more arrived than processed: one worker is not enough
cdef double BACKLOG = 2e6               # ns since the tuple arrived that is next to be admitted: the allowance is doubled
cdef double CAUGHT_UP = 0.2e6           # and ends
cdef int64_t FIRST_UNIT = 16            # a tuple may cost a tenth of a millisecond
cdef int64_t LARGEST_UNIT = 4096
cdef double UNIT_BYTES = 400_000.0      # of all columns that a unit's tuples go through: they stay in the L2 cache
cdef double TRIAL_LOOK = 600_000.0      # ns from look to look while plans are tried
cdef double CALM_LOOK = 5_000_000.0     # and afterwards
cdef int32_t UNCOUNTED = 1              # looks at a new plan: the pipeline fills
cdef int32_t COUNTED = 3
cdef int64_t FILLED = 8                 # units that a look must cover, where several workers have some in flight
cdef int64_t FUSED = 2                  # and where one has one
cdef double SMOOTHED = 0.25             # part of the latest look in what is known of an operator's rows per stream tuple
cdef double UNKNOWN = 1e30
cdef double YOUNG = 40e6                # ns: so long memory is touched for the first time, and costs say little
cdef double YOUNG_PATIENCE = 7e6        # ns to the next tournament until then
cdef double PATIENCE = 200e6            # ns to the next tournament, doubled by each that changes nothing
cdef double MOST_PATIENCE = 3.2e9       # and that after a winner that takes less than this part of the fused time
cdef double DECISIVE = 0.6
cdef double PERFECT = 1.15              # of the fused time, shared by all workers: a trial has little to gain
cdef double PERFECT_PATIENCE = 800e6
cdef double STALE = 5e9                 # ns without the fused plan until costs are those of another: longer than MOST_PATIENCE
cdef double SERIAL_WILL_DO = 1.1        # of the time between arrivals: costs of the first moments are too high


cdef class Controller:
    """``operators`` prepared, ``partitions`` by place; ``unit`` 0 and ``free_plan`` let it choose; ``latency_target`` in
    seconds; ``interval``: ns from arrival to arrival where tuples come at a rate, else 0."""

    def __init__(self, list operators, list partitions, *, int workers, int64_t unit, bint free_plan, int64_t credit,
                 double latency_target, double interval=0.0, bint free_credit=True):
        cdef int32_t k
        self.pipeline.n = <int32_t>len(operators)
        self.pipeline.workers = workers
        for k in range(self.pipeline.n):
            self.kinds[k] = self.pipeline.operators[k].kind = kind_of(operators[k])
            self.pipeline.operators[k].partitions = partitions[k]
            self.widths[k] = <int32_t>len(operators[k - 1].columns) if k else 0
        self.free_plan = free_plan
        self.free_unit = unit == 0
        self.unit = unit or FIRST_UNIT
        self.credit = credit
        self.free_credit = free_credit
        self.allowance = 1
        self.latency_target = latency_target * 1e9
        self.interval = interval
        self.full_share = PACED_FULL if interval > 0 else FULL
        self.ns_per_tick = 1e9 / ticks_per_second()
        self.trying = 0
        self.n_candidates = 1
        self.candidates[0].time = self.fastest = self.spent = UNKNOWN
        self.patience = <int64_t>(YOUNG_PATIENCE / self.ns_per_tick)

    cdef void begin(self, int64_t now) noexcept nogil:
        self.since = self.begun = self.alone_at = now
        self.next_decision = now + <int64_t>(0.5 * TRIAL_LOOK / self.ns_per_tick)
        self.note(now, &self.plans)

    cdef void note(self, int64_t now, ChoiceLog* log) noexcept nogil:
        cdef Choice choice
        choice.number = self.plans.count + self.sizes.count
        choice.at = now
        choice.unit = self.unit
        choice.in_flight = self.in_flight()
        choice.cuts = self.cuts
        keep(log, &choice)

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        """Look at the time since the last decision. True: ``cuts`` have changed, put them into effect.

        Called when ``next_decision`` has come, with how many stream tuples have been admitted so far.
        """
        cdef double elapsed = (now - self.since) * self.ns_per_tick, pause
        cdef double tuples = <double>(position - self.since_position), every
        cdef bint saturated = self.full >= self.full_share * tuples, changed = False, resized = False, allowed = False
        cdef int64_t unit
        if ((tuples < (FILLED if self.cuts.heads else FUSED) * self.unit and elapsed < 50e6)
                or (tuples > 0 and not self.look(now, meters, workers, tuples))):
            self.next_decision = now + <int64_t>(0.3 * TRIAL_LOOK / self.ns_per_tick)       # not enough seen yet
            return False
        if tuples > 0:
            self.spent = elapsed / tuples * (workers if self.cuts.heads else 1)
            if self.interval > 0 and (self.trying < 0 or not self.free_plan or workers == 1):
                allowed = self.allow(saturated)
            unit = self.wanted_unit()
            resized = allowed or unit > 2 * self.unit or 2 * unit < self.unit
            # Costs of small units say little of large ones: first the unit, then the plan.
            if self.free_plan and workers > 1 and not resized:
                every = self.interval or elapsed / tuples       # a short stop of the machine is no lull
                changed = self.replan(now, elapsed / tuples, saturated, fused_time(&self.pipeline) / every)
                unit = self.wanted_unit() if changed else self.unit
            if changed or resized:
                self.unit = unit
                self.note(now, &self.plans if changed else &self.sizes)
        self.since = now
        self.since_position = position
        self.full = 0
        pause = TRIAL_LOOK if self.trying >= 0 and self.free_plan and workers > 1 else CALM_LOOK
        if self.interval > 0 and self.trying >= 0:
            pause *= 0.5                    # more arrives meanwhile than is processed
        self.next_decision = now + <int64_t>(pause / self.ns_per_tick)
        return changed

    cdef bint look(self, int64_t now, CounterLine** meters, int32_t workers, double tuples) noexcept nogil:
        """Read the meters: each operator's cost and rows per stream tuple since the last look. False: nothing measured.

        Costs are those of the fused plan, where nothing disturbs, for operators that have had rows in it. A plan that keeps
        up with its stream, or one at a rate, is not compared with the fused one: in the end its own costs have to do, for
        costs change.
        """
        cdef Metered totals[MAX_OPERATORS]
        cdef Metered* total
        cdef double given, timed, row, rows
        cdef int32_t k
        cdef bint measured = False, alone = self.cuts.heads == 0 or not self.free_plan
        for k in range(self.pipeline.n):
            total = &totals[k]
            sum_meters(meters, workers, k, total)
            if total.value[METER_IN] > 0 and total.value[METER_TIMED] == 0:
                return False            # of small units few are timed
            measured = measured or total.value[METER_TIMED] > self.seen[k].value[METER_TIMED]
        if not measured:
            return False
        if alone:
            self.alone_at = now
        elif (now - self.alone_at) * self.ns_per_tick > STALE:
            alone = True
        for k in range(self.pipeline.n):
            total = &totals[k]
            given = <double>(total.value[METER_IN] - self.seen[k].value[METER_IN])
            timed = <double>(total.value[METER_TIMED] - self.seen[k].value[METER_TIMED])
            if timed > 0:
                row = (total.value[METER_TICKS] - self.seen[k].value[METER_TICKS]) * self.ns_per_tick / timed
                if alone or self.looks[k] == 0:
                    self.pipeline.operators[k].row = self.usual(k, row)
            rows = given / tuples
            if self.looked:             # some of a look's rows come of tuples from before it, and operators emit in bursts
                rows = self.pipeline.operators[k].rows + SMOOTHED * (rows - self.pipeline.operators[k].rows)
            self.pipeline.operators[k].rows = rows
            self.pipeline.operators[k].cost = self.pipeline.operators[k].row * rows
            self.pipeline.operators[k].bytes = 8.0 * self.widths[k] * rows
            self.seen[k] = totals[k]
        self.looked = True
        self.pipeline.unit = <double>self.wanted_unit()
        return True

    cdef double usual(self, int32_t k, double per_row) noexcept nogil:
        """The median of the last looks' ns per row of operator ``k``, with this one; at a rate the least at first."""
        cdef double ordered[LOOKS]
        cdef int32_t n, i, j
        self.per_row[k][self.looks[k] % LOOKS] = per_row
        self.looks[k] += 1
        n = <int32_t>min(self.looks[k], <int64_t>LOOKS)
        for i in range(n):
            j = i
            while j > 0 and ordered[j - 1] > self.per_row[k][i]:
                ordered[j] = ordered[j - 1]
                j -= 1
            ordered[j] = self.per_row[k][i]
        # The least of the first ones: tables grow, and memory is touched for the first time.
        return ordered[0 if self.interval > 0 and self.won_at == 0 and self.looks[k] <= LOOKS else (n - 1) // 2]

    cdef bint allow(self, bint saturated) noexcept nogil:
        """Change the allowance of a stream at a rate, if need be, by how long the next tuple has been there."""
        cdef int64_t before = self.allowance
        cdef double backlog = self.waiting * self.interval
        if not saturated or backlog < CAUGHT_UP:        # a source may have had nothing for a while
            self.allowance = 1
        elif backlog > BACKLOG:
            self.allowance = min(2 * self.allowance, MOST_ALLOWANCE)
        return self.allowance != before

    cdef int64_t in_flight(self) noexcept nogil:
        """How many units may be under way: the credit, or fewer where tuples come at a rate."""
        cdef int64_t least = UNITS_AHEAD * self.pipeline.workers
        if self.interval == 0 or not self.free_credit:
            return self.credit
        # More of them where they are small by hand, or as large as can be though more is allowed.
        return min(self.credit, max(least, least * self.allowance * self.ideal_unit(1) // self.unit))

    cdef int64_t wanted_unit(self) noexcept nogil:
        return self.ideal_unit(self.allowance) if self.free_unit else self.unit

    cdef int64_t ideal_unit(self, int64_t allowance) noexcept nogil:
        """As much work as is right for one unit, columns that fit into the cache, and a latency near the target."""
        cdef double size = <double>LARGEST_UNIT, traffic = 0.0, most_work = MOST_WORK, units = 0.5 * self.credit
        # No more than all workers' time: what was measured while memory was touched for the first time may be far too much.
        cdef double cost = min(fused_time(&self.pipeline), self.spent)
        cdef int32_t k
        if self.interval > 0:
            # Not too few, as long as they are not too dear: costs are far too high where memory is touched for the first time.
            most_work = min(most_work, allowance * max(PACED_WORK, PACED_LEAST * cost))
            size = min(size, allowance * PACED_UNIT)
            if self.free_credit:
                units = min(<double>self.credit, <double>UNITS_AHEAD * self.pipeline.workers)
        for k in range(self.pipeline.n):
            traffic += self.pipeline.operators[k].bytes
        if cost > 0:
            size = min(size, most_work / cost)
            if self.cuts.heads:
                # By Little's law: so many are under way (half of the credit, without a rate), and `workers` share the work.
                size = min(size, self.latency_target * self.pipeline.workers / (cost * units))
            else:
                size = min(size, self.latency_target / cost)
        if traffic > 0:
            size = min(size, UNIT_BYTES / traffic)
        return max(<int64_t>1, <int64_t>size)

    cdef bint replan(self, int64_t now, double time, bint saturated, double load) noexcept nogil:
        """Set ``cuts``; ``time``: ns per stream tuple just now, ``load``: of one worker, as a part of its time."""
        self.behind = self.behind + 1 if saturated else 0
        if not saturated or self.interval > 0 and self.won_at == 0:
            return self.keep_up(now, load)
        if self.trying >= 0:
            self.trial += 1
            if self.trial <= UNCOUNTED:
                return False
            self.candidates[self.trying].time = min(self.candidates[self.trying].time, time)
            return (self.trial == UNCOUNTED + COUNTED or time > SLOWER * self.fastest) and self.next_trial(now)
        if self.change_to(self.candidates[self.winner].cuts):
            self.won_at = now               # a lull is over
            return True
        if self.calm < COUNTED:             # a trial is too short to say what is usual
            self.calm += 1
            self.usual_time = max(self.usual_time, time)
        self.slow = self.slow + 1 if time > SLOWER * self.usual_time else 0
        if self.behind < COUNTED or self.slow < COUNTED and now - self.won_at < self.patience:
            return False
        self.trying = self.trial = self.slow = 0
        self.fastest = self.candidates[self.winner].time        # or has been: what is slower by far gets one look only
        self.n_candidates = 1
        self.candidates[0].time = UNKNOWN
        self.candidates[0].cuts.heads = self.candidates[0].cuts.sharded = 0
        if self.interval > 0 and fused_time(&self.pipeline) > self.interval:     # it would only fall behind
            self.candidates[0].time = fused_time(&self.pipeline)
            return self.next_trial(now)
        return self.change_to(self.candidates[0].cuts)

    cdef bint keep_up(self, int64_t now, double load) noexcept nogil:
        """Trials would say nothing, as little arrives, or make a backlog: fused while that is enough, else by the model."""
        cdef Cuts none
        none.heads = none.sharded = 0
        self.trial = 0                      # a look that says nothing of the plan's speed
        if load < (BUSY if self.cuts.heads == 0 else 0.8 * BUSY) and self.behind < LATE:
            return self.change_to(none)
        if self.looks[0] < COUNTED:         # costs of the first tuples say little
            return False
        if self.trying == 0:
            self.nominate(now)
        if self.trying >= 0:
            self.trying = -1
            self.winner = self.favourite
            self.won_at = now
        return self.change_to(self.candidates[self.winner].cuts)

    cdef bint next_trial(self, int64_t now) noexcept nogil:
        """A trial is over: on to the next candidate, or to the winner."""
        cdef int32_t k
        self.trial = 0
        self.fastest = min(self.fastest, self.candidates[self.trying].time)
        if self.trying == 0:
            self.nominate(now)
        self.trying += 1
        if self.trying < self.n_candidates:
            return self.change_to(self.candidates[self.trying].cuts)
        self.trying = -1
        self.won_at = now
        self.calm = 0
        self.usual_time = 0.0
        self.winner = 0
        for k in range(1, self.n_candidates):
            if self.candidates[k].time < self.candidates[self.winner].time * (ADVANTAGE if self.winner == 0 else 1.0):
                self.winner = k
        if not self.mature and self.interval > 0:       # trials make a backlog
            self.patience = <int64_t>(PATIENCE / self.ns_per_tick)
        elif not self.mature and (self.candidates[self.winner].time * self.pipeline.workers
                                  < PERFECT * self.candidates[0].time):     # they cost more than they can gain
            self.patience = <int64_t>(PERFECT_PATIENCE / self.ns_per_tick)
        elif not self.mature:
            self.patience = <int64_t>(YOUNG_PATIENCE / self.ns_per_tick)
        elif self.candidates[self.winner].time < DECISIVE * self.candidates[0].time:
            self.patience = <int64_t>(MOST_PATIENCE / self.ns_per_tick)
        elif self.same(self.candidates[self.winner].cuts, self.last_winner):
            self.patience = <int64_t>min(MOST_PATIENCE / self.ns_per_tick, 2.0 * self.patience)
        else:
            self.patience = <int64_t>(PATIENCE / self.ns_per_tick)
        self.last_winner = self.candidates[self.winner].cuts
        return self.change_to(self.last_winner)

    cdef void nominate(self, int64_t now) noexcept nogil:
        """Behind the fused plan: what won last, the model's best without sharded operators, and its best of all.

        Of the first choice at a rate the latter is left out where the former will do.
        """
        cdef double serial_time, best_time, fused = fused_time(&self.pipeline)
        cdef Cuts serial = best_cuts(&self.pipeline, False, &serial_time)
        cdef Cuts best = best_cuts(&self.pipeline, True, &best_time)
        self.mature = now - self.begun > YOUNG / self.ns_per_tick
        if serial_time < min(SERIAL_WILL_DO * self.interval, max(fused, self.interval)) and self.won_at == 0:
            best = serial
            best_time = serial_time
        self.n_candidates = 1
        self.favourite = 0
        self.add_candidate(self.last_winner)
        if 0 < self.interval < fused:           # one worker would not do: whatever is best then
            fused = UNKNOWN
        if serial_time < HOPELESS * fused and serial_time < OUTCLASSED * best_time:
            self.add_candidate(serial)
        if best_time < HOPELESS * fused:
            self.favourite = self.add_candidate(best)

    cdef int32_t add_candidate(self, Cuts cuts) noexcept nogil:
        """Its number; it may be one already."""
        cdef int32_t k
        for k in range(self.n_candidates):
            if self.same(cuts, self.candidates[k].cuts):
                return k
        self.candidates[self.n_candidates].cuts = cuts
        self.candidates[self.n_candidates].time = UNKNOWN
        self.n_candidates += 1
        return self.n_candidates - 1

    cdef bint same(self, Cuts one, Cuts other) noexcept nogil:
        return one.heads == other.heads and one.sharded == other.sharded

    cdef bint change_to(self, Cuts cuts) noexcept nogil:
        """False: it is the present plan."""
        if self.same(cuts, self.cuts):
            return False
        self.cuts = cuts
        return True

    def chosen(self) -> list:
        """Return (number, tick, unit, units in flight, places of heads, places of sharded ones) of the choices kept, in order.

        The number counts all choices from 0: where one is missing, it was not kept.
        """
        places = range(self.pipeline.n)
        return [(*choice, [k for k in places if heads >> k & 1], [k for k in places if sharded >> k & 1])
                for *choice, heads, sharded in sorted(kept(&self.plans) + kept(&self.sizes))]
