"""The serial engine: the same operators, called in one thread, with no queue and no atomic (but the progress counter).

The baseline of every comparison (how many cores until the parallel system beats one good thread?), and the
reference for every output sequence.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.engine.arrival cimport Schedule, arrived, schedule_of, until_due
from streambench.pyx.engine.end_of_stream cimport EndOfStream
from streambench.pyx.engine.engine cimport Engine
from streambench.pyx.engine.profile cimport profile_of
from streambench.pyx.engine.stop_token cimport LASTS
from streambench.pyx.tuples.apply cimport apply, apply_rest, kind_of
from streambench.pyx.machine.clock cimport ticks
from streambench.pyx.tuples.columns cimport digest_columns
from streambench.pyx.tuples.fused cimport Fusions
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.tuples.operator cimport Operator, Source
from streambench.pyx.tuples.unit cimport (
    MAX_OPERATORS, NEAR_PIECE, Unit, begin_unit, clear_unit, enter_unit, held_at, init_unit,
)
from streambench.pyx.engine.worker_log cimport FLUSHED, WHOLE_UNITS, WorkerLog, WorkerLogs, begin_span, end_span


cdef class SerialEngine(Engine):
    """One execution of a pipeline in one thread; ``operators``: source, operators, sink, prepared for 1 partition.

    ``traced`` or ``profiled``, what is said of each operator alone, none are fused.
    """

    cdef Unit unit
    cdef int64_t serial
    cdef int64_t unit_size
    cdef int64_t position
    cdef Idle idle
    cdef double rate
    cdef Schedule schedule
    cdef object kept                    # the array that holds its times
    cdef bint traced
    cdef list operators
    cdef Fusions fusions
    cdef void* at[MAX_OPERATORS]
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t n
    cdef uint64_t trace[MAX_OPERATORS]
    cdef int64_t ticks_in[MAX_OPERATORS]        # only if profiled
    cdef bint profiled
    cdef WorkerLogs logs                # None unless profiled
    cdef WorkerLog* log                 # NULL then
    cdef EndOfStream end

    def __cinit__(self, *args, **kwargs):
        init_unit(&self.unit)
        self.unit.most = NEAR_PIECE

    def __init__(self, list operators, *, int64_t unit_size, int64_t marker_interval, double rate=0.0,
                 tuple schedule=None, bint traced=False, bint profiled=False, tuple cores=()):
        cdef int32_t k = 0
        cdef Operator each
        Engine.__init__(self, 1, cores, marker_interval)
        self.idle = busy(self.parking)
        self.operators = operators
        self.fusions = Fusions([] if traced or profiled else operators, [])
        self.end = EndOfStream(operators, self.token)
        self.unit_size = unit_size
        self.rate = rate
        self.kept = schedule
        self.schedule = schedule_of(schedule)
        self.traced = traced
        self.profiled = profiled
        self.log = NULL
        if profiled:
            self.logs = WorkerLogs(1)
            self.log = self.logs.of(0)
        self.n = <int32_t>len(operators)
        for each in operators:
            self.at[k] = <void*>each
            self.kinds[k] = kind_of(each)
            k += 1

    def __dealloc__(self):
        clear_unit(&self.unit)

    def settle(self) -> bool:
        return self.end.cut

    cdef void work(self, int number) noexcept nogil:
        while self.going() and self.admit():
            pass
        self.end.begin()
        while self.going() and self.end.place() > 0:
            self.flush_one(self.end.place())

    cdef bint going(self) noexcept nogil:
        return self.stopped.value.load(memory_order_seq_cst) == 0   # before a sleep it pairs with StopToken.stop

    cdef bint admit(self) noexcept nogil:
        """Take and process the next unit; False at end of stream."""
        cdef int64_t at_most = self.unit_size, n, begun
        if self.pauses.is_due():
            self.pauses.take()
        if self.token.ending.value.load(memory_order_relaxed) != LASTS:
            return False
        if self.rate != 0.0:
            n = arrived(self.begun_ns, self.rate, &self.schedule, self.position)
            if n <= 0:
                rest(&self.idle, until_due(self.begun_ns, self.rate, &self.schedule, self.position))
                return True
            at_most = min(n, self.unit_size)
        begun = begin_span(self.log)
        begin_unit(&self.unit, self.serial)
        n = (<Source>self.at[0]).claim(&self.unit, at_most)
        if n < 0:
            return False
        if n == 0:
            if not (<Source>self.at[0]).work_ahead():
                rest(&self.idle, 0)
            return True
        resume(&self.idle)
        self.unit.first = self.position
        self.unit.arrived = n
        self.egress.mark(&self.unit)
        self.position += n
        (<Source>self.at[0]).fill(&self.unit)
        end_span(self.log, begun, 0, 1, WHOLE_UNITS, 1)
        enter_unit(&self.unit)
        if self.traced:
            self.fold(0)
        self.run_from(1)
        return True

    cdef void flush_one(self, int32_t place) noexcept nogil:
        """Process a unit of what the operator at ``place`` still holds."""
        cdef int64_t begun = begin_span(self.log)
        begin_unit(&self.unit, self.serial)
        if not self.end.flush(&self.unit, self.unit_size):
            return
        end_span(self.log, begun, place, place + 1, FLUSHED, 1)
        if self.traced:
            self.fold(place)
        self.run_from(place + 1)

    cdef void fold(self, int32_t k) noexcept nogil:
        self.trace[k] = digest_columns(self.unit.now, (<Operator>self.at[k]).list_column, self.trace[k])

    cdef void run_from(self, int32_t place) noexcept nogil:
        """Call the operators from ``place`` to the sink, one after the other, on the current unit, piece by piece."""
        self.run_piece(place, False)
        while self.unit.n_held > 0 and self.going():
            self.run_piece(held_at(&self.unit), True)
        self.serial += 1
        self.egress.deliver(&self.unit)

    cdef void run_piece(self, int32_t place, bint again) noexcept nogil:
        """``again``: the operator at ``place`` goes on with what it has not taken."""
        cdef int64_t tuples_in[MAX_OPERATORS]
        cdef int32_t k = place, behind
        cdef int64_t begun = 0, now
        if self.profiled:
            begun = ticks()
        while k < self.n:
            behind = k if again and k == place else self.fusions.apply(k, self.n, &self.unit, tuples_in)
            if behind == k:
                behind += 1
                if behind == self.n and self.unit.marked:
                    self.unit.operated = ticks()
                if again and k == place:
                    apply_rest(<Operator>self.at[k], self.kinds[k], &self.unit)
                else:
                    apply(<Operator>self.at[k], self.kinds[k], k, &self.unit)
            elif behind == self.n and self.unit.marked:
                self.unit.operated = ticks()
            if self.traced:
                self.fold(k)
            if self.profiled:
                now = ticks()
                self.ticks_in[k] += now - begun
                end_span(self.log, begun, k, k + 1, WHOLE_UNITS, 1)
                begun = ticks()
            k = behind

    def profile(self) -> list:
        """Return a mapping per operator: the ticks spent in it (only if ``profiled``) and the tuples it was given."""
        tuples_in = self.egress.tuples_given()
        return [profile_of([each], self.ticks_in[k], tuples_in[k] if k else self.position,
                           tuples_in[k + 1] if k + 1 < self.n else 0, self.serial, {})
                for k, each in enumerate(self.operators)]

    def worked(self) -> list:
        """Return the one thread's ticks in operators, of which there is no other to tell it from."""
        return [1]

    def sampled(self):
        """Return what the thread did when, see ``WorkerLogs.to_dict``; None unless profiled."""
        return None if self.logs is None else self.logs.to_dict(self.begun_ticks)

    def traces(self) -> dict:
        """Return the digest of each operator's output, by its place."""
        return {k: self.trace[k] for k in range(self.n - 1)}
