"""Stages: what the runtime schedules (paper 000, sections 2.2 and 5).

A stage is an operator with its worklist. By default the stateless operators that follow it are fused
behind it: the worker that has processed a unit applies them, and builds the index for the next partitioned operator,
before the unit is put in order. So there is one synchronisation per keyed or stateful operator, and the serial part of
it does not grow with selectivity. Without fusing every operator is a stage by itself, as in the paper. Where units are
routed in order, as published, the index is built behind the reorder buffer, by the worker that holds the order.

A unit that is empty passes by: it goes from reorder buffer to reorder buffer, and is in no worklist that a heuristic
sees, as nothing is enqueued for a tuple in the paper that a filter has taken. It keeps its serial number so. At the
sink it waits, and weighs nothing, until a worker is there, or has nothing else to do.

A unit of which an operator has not taken all (``apply``) comes again, piece by piece: who has brought one piece to the
sink has the operator make the next one, and sends it from the operator's stage on. Reorder buffers behind the operator
stay at the unit's serial number until its last piece; and the operator, or the partitions in which it has stopped, stay
with the unit until it has taken all.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.tuples.apply cimport STATELESS, apply, apply_rest, kind_of
from streambench.pyx.engine.profile cimport profile_of
from streambench.pyx.machine.simulated cimport APPLY, A_YIELD, COUNTERS, SCATTER, present, spent, touch
from streambench.pyx.tuples.work cimport begin_work, end_work
from streambench.pyx.tuples.columns cimport digest_columns
from streambench.pyx.partition.group cimport scatter
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.machine.padded cimport delete_counter_line, delete_counters, new_counter_line, new_counters
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.tuples.unit cimport held_at, rest_of


cdef class Stage(Downstream):
    """Base of the four kinds of stages."""

    def __cinit__(self, *args, **kwargs):
        self.counters = new_counter_line()
        self.enqueued = new_counters(1)
        self.counters.value[SELECTIVITY].store(bits_of(1.0))

    def __init__(self, Operator operator, int32_t place, list fused, Egress egress):
        cdef int32_t k = 0
        cdef Operator each
        self.operator = operator
        self.place = place
        self.kind = kind_of(operator)
        self.fused = fused
        self.egress = egress
        self.n_fused = <int32_t>len(fused)
        for each in fused:
            self.fused_operators[k] = <void*>each
            k += 1

    def __dealloc__(self):
        delete_counter_line(self.counters)
        delete_counters(self.enqueued)

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        """Process about ``budget`` tuples of the worklist; returns how many were (0: nothing to be had just now)."""
        return 0

    cdef bint schedulable(self) noexcept nogil:
        return self.queued() > 0 and self.counted(WORKERS) < self.max_workers

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        """Append to the worklist; by one worker at a time, in serial order."""
        pass

    cdef void apply_fused(self, Unit* unit, int32_t place) noexcept nogil:
        """Those from ``place`` on."""
        cdef int32_t k
        cdef int64_t tuples_in
        for k in range(place - self.place - 1, self.n_fused):
            tuples_in = unit.now.n
            begin_work(APPLY, self.place + 1 + k, unit, tuples_in)
            apply(<Operator>self.fused_operators[k], STATELESS, self.place + 1 + k, unit)
            end_work(APPLY, self.place + 1 + k, 0, unit, tuples_in)

    cdef void finish(self, Unit* unit, Tally* tally) noexcept nogil:
        """The operator is done with the unit, or with a piece of it."""
        self.pass_on(unit, self.place + 1, tally)

    cdef void pass_on(self, Unit* unit, int32_t place, Tally* tally) noexcept nogil:
        """Fused operators from ``place`` on, the index for the next stage where units are routed early, into order."""
        if place <= self.place + self.n_fused:
            self.apply_fused(unit, place)
        tally.tuples_out += unit.now.n
        if self.scatter_for is not None and not self.routes_in_order and not passes_by(unit):
            self.route(unit)
        self.put_in_order(unit)

    cdef void route(self, Unit* unit) noexcept nogil:
        """Index the unit by the partitions of the next stage."""
        begin_work(SCATTER, self.next.place, unit, unit.now.n)
        scatter(self.scatter_for, <PartitionedStateful>self.next.operator, self.next.place, unit, False)
        end_work(SCATTER, self.next.place, 0, unit, unit.now.n)

    cdef void put_in_order(self, Unit* unit) noexcept nogil:
        """Into the reorder buffer behind the stage."""
        while not self.reorder.send(unit.serial, unit):
            if self.egress.stopped.value.load(memory_order_relaxed) != 0:
                return                  # and its worker may have been stopped
            if not spent(A_YIELD):
                yield_core()            # the slot's last unit is still being handed on: as in the paper, try again

    cdef void next_piece(self, Unit* unit) noexcept nogil:
        """At the sink: a piece has come there, and an operator has not taken all of its input."""
        cdef void* stage = <void*>self              # borrowed: that of the operator
        cdef Tally tally = new_tally()
        cdef int64_t begun = present(), rows_taken
        while (<Stage>stage).place > held_at(unit):
            stage = (<Stage>stage).before
        rows_taken = (<Stage>stage).make_piece(unit, &tally)
        tally.tuples_in += rows_taken
        (<Stage>stage).account(present() - begun, &tally)

    cdef int64_t make_piece(self, Unit* unit, Tally* tally) noexcept nogil:
        """Have the operator of this stage, or one that is fused behind it, make the unit's next piece, and send that.

        Returns how many tuples the stage's own operator has taken.
        """
        cdef int32_t place = held_at(unit), rows = rest_of(unit, place), rows_taken
        cdef bint fused = place > self.place
        begin_work(APPLY, place, unit, rows)
        apply_rest(<Operator>(self.fused_operators[place - self.place - 1] if fused else <void*>self.operator),
                   STATELESS if fused else self.kind, unit)
        end_work(APPLY, place, 0, unit, rows)
        rows_taken = 0 if fused else rows - rest_of(unit, place)
        if not fused and held_at(unit) != place:
            self.operator_left()
        self.pass_on(unit, place + 1, tally)
        return rows_taken

    cdef void operator_left(self) noexcept nogil:
        """A unit that had the operator to itself, piece by piece, has it no more."""
        pass

    cdef bint send_downstream(self, void* output) noexcept nogil:
        cdef Unit* unit = <Unit*>output
        cdef bint last = unit.n_held == 0           # read first: the unit is gone with its enqueuing
        if self.traced:
            self.trace_output(unit)
        if self.before_sink and unit.marked:
            unit.operated = present()
        if self.next.reorder is not None and passes_by(unit):
            self.next.put_in_order(unit)
        else:
            if self.routes_in_order:
                self.route(unit)
            touch(COUNTERS, self.next.enqueued)
            self.next.enqueue(unit)
        return last

    cdef void trace_output(self, Unit* unit) noexcept nogil:
        cdef int32_t width = unit.now.width
        cdef void* last = self.last_operator()
        unit.now.width = (<Operator>last).emitted_width     # columns that the next one fills in place are empty yet
        self.trace = digest_columns(unit.now, (<Operator>last).list_column, self.trace)
        unit.now.width = width

    cdef void* last_operator(self) noexcept nogil:
        """The operator whose outputs leave the stage, borrowed."""
        return self.fused_operators[self.n_fused - 1] if self.n_fused else <void*>self.operator

    cdef void sample(self, vector[int64_t]* into) noexcept nogil:
        """Append the fields of a ``Timeline``'s sample, in its order."""
        cdef int k
        into.push_back(max(<int64_t>0, self.queued()))
        into.push_back(self.counted(WORKERS))
        into.push_back(self.counted(TICKS))
        into.push_back(self.counted(TUPLES_IN))
        for k in range(EVENTS):
            into.push_back(self.reorder.events[k].value.load(memory_order_relaxed) if self.reorder is not None else 0)

    cdef void state(self, OperatorState* state) noexcept nogil:
        """What the heuristics look at."""
        read_state(self.counters, self.enqueued.value.load(memory_order_relaxed), self.max_workers, state)

    cdef void account(self, int64_t elapsed, Tally* tally) noexcept nogil:
        """A visit is over."""
        touch(COUNTERS, self.counters)
        if tally.dequeued > 0:
            self.settle(tally)
        self.counters.value[VISITS].fetch_add(1, memory_order_relaxed)
        self.counters.value[TICKS].fetch_add(elapsed, memory_order_relaxed)
        if tally.tuples_in > 0:
            self.counters.value[TUPLES_IN].fetch_add(tally.tuples_in, memory_order_relaxed)
        if tally.tuples_out > 0:
            self.counters.value[TUPLES_OUT].fetch_add(tally.tuples_out, memory_order_relaxed)
        self.publish()

    cdef void publish(self) noexcept nogil:
        """Work out cost and selectivity, here and not at every decision, of which there are as
        many for each stage as for all.

        Of two workers that do so at the same time either may be the last: then a visit is missing until the next one.
        """
        cdef int64_t tuples_in = self.counted(TUPLES_IN) - self.counted(FADED_IN)
        cdef int64_t spent = self.counted(TICKS) - self.counted(FADED_TICKS)
        cdef double cost = 0.0, selectivity = 1.0           # not measured yet
        if tuples_in > 0 and spent > 0:
            cost = <double>spent / <double>tuples_in
            selectivity = <double>(self.counted(TUPLES_OUT) - self.counted(FADED_OUT)) / <double>tuples_in
        self.counters.value[COST].store(bits_of(cost), memory_order_relaxed)
        self.counters.value[SELECTIVITY].store(bits_of(selectivity), memory_order_relaxed)

    cdef void fade(self) noexcept nogil:
        """A new window begins: half of what is remembered goes. Called by one worker at a time."""
        self.counters.value[WINDOW_BEGAN].store(self.counted(TICKS), memory_order_relaxed)
        self.fade_one(FADED_TICKS, TICKS)
        self.fade_one(FADED_IN, TUPLES_IN)
        self.fade_one(FADED_OUT, TUPLES_OUT)
        self.publish()

    cdef void fade_one(self, int faded, int counted) noexcept nogil:
        self.counters.value[faded].store((self.counted(faded) + self.counted(counted)) // 2, memory_order_relaxed)

    def profile(self) -> dict:
        """Return what was counted over the run: worker time in ticks, tuples in and out, visits."""
        return profile_of([self.operator, *self.fused], self.counted(TICKS), self.counted(TUPLES_IN),
                          self.counted(TUPLES_OUT), self.counted(VISITS),
                          self.reorder.counts() if self.reorder is not None else {})

    def worklist_now(self) -> tuple:
        """Return (tuples in the worklist, workers allotted). Relaxed reads, as the scheduler's:
        a guess while others work."""
        return max(<int64_t>0, self.queued()), self.counted(WORKERS)

    def output_digest(self):
        """Return (place of the last operator, digest of the stage's ordered output); the digest only if traced."""
        return self.place + self.n_fused, self.trace
