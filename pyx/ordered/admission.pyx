"""Admission: under a try-lock a worker takes the next unit, and lets the lock go before it works on it.

Whatever needs that lock is here: a plan changes, once no unit is in flight; the run pauses, which needs the same; the
controller is asked, by the meters; and when the stream has ended, the operators are flushed, each once all units have
left it. In a whole plan the lock is kept: its one worker takes units from the source to the sink.
"""

from libc.stdint cimport uint64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.engine.worker_log cimport FLUSHED, WHOLE_UNITS, begin_span, end_span
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.parking cimport wake_all
from streambench.pyx.machine.simulated cimport present
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.ordered.cost_model cimport whole_time
from streambench.pyx.ordered.meter cimport count, count_emitted
from streambench.pyx.ordered.metered_operators cimport FIRST_OPERATOR, is_timed
from streambench.pyx.ordered.plan cimport whole
from streambench.pyx.ordered.sizing cimport lone_unit
from streambench.pyx.partition.dealt cimport Dealt
from streambench.pyx.tuples.unit cimport FAR_PIECE, NEAR_PIECE, begin_unit, clear_unit, init_unit

from streambench.pyx.machine.memory import OUT_OF_MEMORY


cdef enum:
    SOON = 50_000               # ns: a tuple that is due by then is waited for with the lock, in the plan whole
    UNPROVEN = 2                # units that may be under way in a plan that has brought none to the
                                # sink: one in work, one behind
    HIDDEN = 8                  # units brought to the sink for each further one: units that pile up hide
                                # how slow the next segment is


cdef void install_first(void* admission) noexcept nogil:
    (<Admission>admission).install()


cdef class Admission:
    """Of ``segments``' units, by ``workers``, in the plans that ``controller`` chooses."""

    def __cinit__(self, *args, **kwargs):
        init_unit(&self.alone)

    def __init__(self, Segments segments, PlansInForce plans, Controller controller, EndOfStream end, Pauses pauses,
                 Seats seats, int workers):
        cdef int64_t k
        self.segments = segments
        self.ingress = segments.ingress
        self.egress = segments.egress
        self.operators = segments.operators
        self.plans = plans
        self.controller = controller
        self.workers = workers
        self.seats = seats
        self.run_queues = RunQueues(workers)
        self.at_once = self.ingress.unit_size
        self.end = end
        self.pauses = pauses
        self.most_under_way = self.ingress.mask + 1
        self.alone.most = NEAR_PIECE
        for k in range(self.ingress.mask + 1):
            self.ingress.units[k].most = FAR_PIECE
        if not has_memory(install_first, <void*>self):
            raise MemoryError(OUT_OF_MEMORY)

    def __dealloc__(self):
        clear_unit(&self.alone)

    cdef void install(self) noexcept nogil:
        """Put the controller's plan in force, from the next unit on; under the lock, nothing in flight."""
        self.operators.share(self.controller.cuts)
        self.first_serial = self.ingress.next_serial.value.load(memory_order_relaxed)
        self.plans.install(self.controller.cuts, self.first_serial, self.operators.kinds, self.operators.partitions,
                           self.operators.dealt_ends, self.operators.n)
        if self.controller.cuts.heads != 0:     # the plan whole has one worker at work anyway
            self.seats.let_rest(self.controller.cuts.resting, self.run_queues)
        self.replanned = False
        self.allow()

    cdef bint is_pausing(self) noexcept nogil:
        """Under the lock: is the run to be quiet before the next unit? Not when operators are being flushed."""
        return not self.end.begun() and self.pauses.is_due()

    cdef void pause(self) noexcept nogil:
        """Under the lock, nothing in flight: be quiet, with all state in the operators."""
        self.deal(False)
        self.pauses.take()
        self.deal(True)

    cdef void deal(self, bint dealt) noexcept nogil:
        """Under the lock, nothing in flight: let what is dealt at present have its state itself, or its operators."""
        cdef int32_t k
        for k in range(self.operators.n):
            if self.operators.dealt[k] is not NULL and (<Dealt>self.operators.dealt[k]).dealt:
                (<Dealt>self.operators.dealt[k]).share(dealt)

    cdef void allow(self) noexcept nogil:
        """Under the lock: so many units may be under way as the controller says; where it tries plans, no more than the
        new one has brought to the sink, up to ``UNPROVEN`` a worker, an eighth of what it has brought beyond those, and
        ``UNPROVEN``. So to leave a bad plan takes no longer than it has been tried, and what goes ahead of a slow
        segment is little of what is measured.
        """
        cdef int64_t most = self.most_under_way, proven, soon = UNPROVEN * self.workers
        if self.controller.tries_plans():
            proven = self.egress.done.value.load(memory_order_relaxed) - self.first_serial
            most = min(most, UNPROVEN + min(proven, soon + max(<int64_t>0, proven - soon) // HIDDEN))
        self.ingress.allowed.value.store(most, memory_order_relaxed)

    cdef bint admit(self, Mine* mine) noexcept nogil:
        """Take the next unit in and bring it to the first segment; in a whole plan, units to
        the sink. False: nothing."""
        cdef Plan* plan
        cdef int64_t begun
        cdef bint changed = False, admitted
        if self.ingress.ended.value.load(memory_order_relaxed) != 0 or not self.ingress.has_credit():
            return False
        if not self.ingress.try_lock():
            return False
        begun = begin_span(mine.log)
        if self.is_pausing():
            if not self.quiescent():
                self.ingress.unlock()
                return False
            self.pause()
            wake_all(self.segments.parking)
            changed = True
        if self.replanned:
            if not self.quiescent():
                self.ingress.unlock()
                return changed
            self.install()
            wake_all(self.segments.parking)
            changed = True
        plan = self.plans.locked()
        if whole(plan):
            admitted = self.admit_to_sink(begun, mine)
        else:
            admitted = self.admit_to_segment(plan, begun, mine)
        return admitted or changed

    cdef bint admit_to_sink(self, int64_t begun, Mine* mine) noexcept nogil:
        """In a whole plan: one unit after the other, with the lock, which this returns. ``begun``: the tick at which
        the admission began, where that is recorded."""
        cdef int32_t entry
        cdef bint admitted = False
        self.ingress.begin_whole()
        while self.egress.stopped.value.load(memory_order_relaxed) == 0 and not self.replanned:
            begin_unit(&self.alone, self.ingress.next_serial.value.load(memory_order_relaxed))
            entry = self.take(&self.alone, mine)
            if entry == 0:
                break
            self.operators.operate(&self.alone, entry, self.operators.n, &mine.watch)
            self.egress.deliver(&self.alone)
            end_span(mine.log, begun, entry - 1, self.operators.n, WHOLE_UNITS if entry == FIRST_OPERATOR else FLUSHED,
                     1)
            begun = begin_span(mine.log)
            admitted = True
            if self.is_pausing():                   # behind a unit: a run whose pauses are always due goes on
                break
        self.ingress.end_whole()
        return admitted

    cdef bint admit_to_segment(self, Plan* plan, int64_t begun, Mine* mine) noexcept nogil:
        """In a plan of segments: one unit, with the lock, which this returns; ``begun`` as above."""
        cdef Unit* unit = NULL
        cdef int32_t entry = 0
        if self.ingress.allowed.value.load(memory_order_relaxed) < self.most_under_way:
            self.allow()
        if (not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0
                or self.egress.stopped.value.load(memory_order_relaxed) != 0):  # by who had the lock before, perhaps
            self.ingress.unlock()
            return False
        if self.end.begun() or self.ingress.rate == 0.0 or not self.ingress.is_too_little():
            unit = self.ingress.next_unit()
            entry = self.take(unit, mine)
        if entry == 0:
            self.ingress.unlock()
            return False
        if entry == FIRST_OPERATOR:
            return self.enter(plan, unit, begun, mine)
        return self.enter_behind(plan, entry - 1, unit, begun, mine)

    cdef bint enter(self, Plan* plan, Unit* unit, int64_t begun, Mine* mine) noexcept nogil:
        """A unit of the stream; with the lock, which this returns."""
        cdef int32_t end
        self.ingress.unlock()
        yield_point()
        self.ingress.fill(unit)
        end = plan.segments[0].end              # read while the unit is in flight: then the plan may be gone
        self.segments.finish(plan, 0, FIRST_OPERATOR, unit, mine)
        end_span(mine.log, begun, 0, end, WHOLE_UNITS, 1)
        return True

    cdef bint enter_behind(self, Plan* plan, int32_t flushed, Unit* unit, int64_t begun, Mine* mine) noexcept nogil:
        """A unit that the operator at ``flushed`` held at end of stream; with the lock, which this returns."""
        cdef int32_t j = 0, entry = flushed + 1, end
        while entry > plan.segments[j].end:
            j += 1
        # What is left of the segment's turn is done under the lock: nobody else is in this segment any more.
        if entry < plan.segments[j].tail:
            self.operators.operate(unit, entry, plan.segments[j].tail, &mine.watch)
            entry = plan.segments[j].tail
            self.in_pieces = unit.n_held > 0
        end = plan.segments[j].end
        if j + 1 == plan.n_segments:
            self.egress.deliver(unit)
            self.ingress.unlock()
        else:
            self.ingress.unlock()
            self.segments.finish(plan, j, entry, unit, mine)
        end_span(mine.log, begun, flushed, end, FLUSHED, 1)
        return True

    cdef int32_t take(self, Unit* unit, Mine* mine) noexcept nogil:
        """Under the lock: what comes next, in ``unit``. Returns the operator that is to have it
        first; 0: nothing has come."""
        cdef int64_t n
        if not self.end.begun():
            n = self.take_tuples(unit, mine)
            if n >= 0:
                return FIRST_OPERATOR if n > 0 else 0
            self.end.begin()
        return self.flush(unit, mine)

    cdef int64_t take_tuples(self, Unit* unit, Mine* mine) noexcept nogil:
        """The stream's next tuples, as ``Ingress.admit``; metered, and the controller is asked when it wants to be."""
        cdef int64_t there = self.ingress.there_soon(SOON) if unit == &self.alone else self.ingress.there()
        cdef int64_t most = min(there, self.at_once if unit == &self.alone else self.ingress.unit_size)
        cdef uint64_t drawn = mine.watch.drawn
        cdef bint timed = is_timed(&mine.watch, most)
        cdef int64_t begun = present() if timed else 0, now, n = self.ingress.admit(unit, most)
        if n <= 0:
            mine.watch.drawn = drawn            # the draw is the next unit's: the first one of a run is timed
            self.dry = True
            return n
        if unit == &self.alone:
            self.ingress.fill(unit)
        now = present() if timed else -1
        count(mine.watch.meters, 0, now - begun, n, n)
        if n == most and there >= self.ingress.unit_size:
            self.controller.full += n
        else:
            self.cut_short += n
        if unit != &self.alone:                 # a whole plan does not ask
            self.ingress.note_saturation(n)
        if timed and self.controller.is_due(now, there):
            self.decide(begun, now, unit.first + n)
        return n

    cdef void decide(self, int64_t begun, int64_t now, int64_t position) noexcept nogil:
        """Ask the controller, at this tick, with so many tuples admitted, and do as it says; a plan has to wait.

        ``begun``: the tick at which the source was asked, which may have taken its time.
        """
        self.controller.waiting = self.ingress.waiting()
        if self.controller.tries_plans():
            self.controller.waited += max(self.run_queues.waited(), 0 if self.dry else self.controller.overdue(begun))
        if self.ingress.rate == 0.0 and not self.dry:   # a batch or a lap ended, and the next one was there
            self.controller.full += self.cut_short
        self.cut_short = 0
        self.dry = False
        self.replanned = self.controller.decide(now, position, self.operators.meters.lines.data(), self.workers)
        if self.controller.crowd.bound:         # nobody has waited of late
            self.run_queues.forget()
        if self.controller.crowd.bound != self.seats.bound:
            self.seats.bind(self.controller.crowd.bound)
        self.ingress.unit_size = self.controller.unit
        if self.controller.terms.free_unit and (self.controller.terms.interval == 0
                                                or self.controller.waiting < self.controller.unit):
            self.at_once = lone_unit(self.controller.terms.interval, whole_time(&self.controller.pipeline),
                                     self.controller.unit)
        else:                                   # by hand, or behind a rate: more time for tuples, less for units
            self.at_once = min(2 * self.at_once, self.controller.unit)
        self.most_under_way = self.controller.in_flight()
        self.allow()

    cdef int32_t flush(self, Unit* unit, Mine* mine) noexcept nogil:
        """At end of stream: what the operators still hold, one after the other; returns as ``take``."""
        cdef int32_t flushed
        while self.end.place() > 0:
            if (self.in_pieces or not self.end.flushing) and not self.quiescent():
                return 0                        # units from before may still be in it
            self.in_pieces = False
            flushed = self.end.place()
            if self.end.flush(unit, self.ingress.unit_size):
                count_emitted(mine.watch.meters, flushed, unit.now.n)
                self.ingress.next_serial.value.store(unit.serial + 1, memory_order_relaxed)
                return flushed + 1
        self.ingress.ended.value.store(1, memory_order_release)         # pairs with Ingress.finished
        return 0

    cdef bint quiescent(self) noexcept nogil:
        """Has everything that was admitted reached the sink? Acquire: all that was done to it is seen."""
        return (self.egress.done.value.load(memory_order_acquire)
                == self.ingress.next_serial.value.load(memory_order_relaxed))
