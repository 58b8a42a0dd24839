"""The serial engine: the same operators, called in one thread, with no queue and no atomic (but the progress counter).

The baseline of every comparison (how many cores until the parallel system beats one good thread?), and the
reference for every output sequence.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_seq_cst
from streambench.pyx.apply cimport STATELESS, apply, kind_of
from streambench.pyx.clock cimport nanoseconds, ticks
from streambench.pyx.columns cimport digest_columns, reset
from streambench.pyx.egress cimport Egress
from streambench.pyx.idle cimport Idle, busy, rest, resume
from streambench.pyx.operator cimport Operator, Source
from streambench.pyx.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.threads cimport be_punctual, pin_to_core, thread
from streambench.pyx.unit cimport MAX_OPERATORS, Unit, begin_unit, clear_unit, enter_unit, init_unit, swap
from streambench.pyx.worker_log cimport FLUSHED, WHOLE_UNITS, WorkerLog, WorkerLogs, begin_span, end_span


cdef void work(void* argument) noexcept nogil:
    (<SerialEngine>argument).work()


cdef class SerialEngine:
    """One execution of a pipeline in one thread; ``operators``: source, operators, sink, prepared for 1 partition."""

    cdef readonly Egress egress
    cdef Unit unit
    cdef int64_t serial
    cdef int64_t unit_size
    cdef int64_t position
    cdef Idle idle
    cdef double rate
    cdef bint traced
    cdef list operators
    cdef void* at[MAX_OPERATORS]
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t n
    cdef uint64_t trace[MAX_OPERATORS]
    cdef int64_t ticks_in[MAX_OPERATORS]
    cdef bint profiled
    cdef WorkerLogs logs                # None unless profiled
    cdef WorkerLog* log                 # NULL then
    cdef int core
    cdef PaddedCounter* running
    cdef readonly int64_t begun_ns      # the start, by both clocks
    cdef readonly int64_t begun_ticks
    cdef int64_t ended_ns

    def __cinit__(self, list operators, *, int64_t unit_size, int64_t marker_interval, double rate=0.0,
                  bint traced=False, bint profiled=False, tuple cores=()):
        cdef int32_t k = 0
        cdef Operator each
        init_unit(&self.unit)
        self.egress = Egress(marker_interval)
        self.idle = busy(self.egress.parking)
        self.operators = operators
        self.unit_size = unit_size
        self.rate = rate
        self.traced = traced
        self.profiled = profiled
        self.log = NULL
        if profiled:
            self.logs = WorkerLogs(1)
            self.log = self.logs.of(0)
        self.core = cores[0] if cores else -1
        self.running = new_counters(1)
        self.n = <int32_t>len(operators)
        for each in operators:
            self.at[k] = <void*>each
            self.kinds[k] = kind_of(each)
            k += 1

    def __dealloc__(self):
        clear_unit(&self.unit)
        delete_counters(self.running)

    cdef void work(self) noexcept nogil:
        cdef int32_t k
        cdef int64_t begun
        if self.core >= 0:
            pin_to_core(self.core)
        be_punctual()
        while self.going() and self.admit():
            pass
        for k in range(1, self.n - 1):          # at end of stream: the state that has not been emitted
            while self.kinds[k] != STATELESS and self.going():
                begun = begin_span(self.log)
                begin_unit(&self.unit, self.serial)
                reset(self.unit.spare, (<Operator>self.at[k]).emitted_width)
                if (<Operator>self.at[k]).flush(self.unit.spare, <int32_t>self.unit_size) == 0:
                    break
                swap(&self.unit)
                end_span(self.log, begun, k, k + 1, FLUSHED, 1)
                if self.traced:
                    self.fold(k)
                self.run_from(k + 1)
        self.ended_ns = nanoseconds()
        self.egress.sign_off(self.running)

    cdef bint going(self) noexcept nogil:
        return self.egress.stopped.value.load(memory_order_seq_cst) == 0    # before a sleep it pairs with Egress.stop

    cdef bint admit(self) noexcept nogil:
        """Take and process the next unit; False at end of stream."""
        cdef int64_t at_most = self.unit_size, until_due, n, begun
        if self.rate != 0.0:
            n = <int64_t>((nanoseconds() - self.begun_ns) * 1e-9 * self.rate) - self.position
            if n <= 0:
                until_due = self.begun_ns + <int64_t>((self.position + 1) * 1e9 / self.rate) - nanoseconds()
                rest(&self.idle, until_due)
                return True
            at_most = min(n, self.unit_size)
        begun = begin_span(self.log)
        begin_unit(&self.unit, self.serial)
        n = (<Source>self.at[0]).claim(&self.unit, at_most)
        if n < 0:
            return False
        if n == 0:
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

    cdef void fold(self, int32_t k) noexcept nogil:
        self.trace[k] = digest_columns(self.unit.now, (<Operator>self.at[k]).list_column, self.trace[k])

    cdef void run_from(self, int32_t place) noexcept nogil:
        """Call the operators from ``place`` to the sink, one after the other, on the current unit."""
        cdef int32_t k
        cdef int64_t begun = 0, now
        if self.profiled:
            begun = ticks()
        for k in range(place, self.n):
            if k == self.n - 1 and self.unit.marked:
                self.unit.operated = ticks()
            apply(<Operator>self.at[k], self.kinds[k], k, &self.unit)
            if self.traced:
                self.fold(k)
            if self.profiled:
                now = ticks()
                self.ticks_in[k] += now - begun
                end_span(self.log, begun, k, k + 1, WHOLE_UNITS, 1)
                begun = ticks()
        self.serial += 1
        self.egress.leave(&self.unit)

    def run(self, watch=None):
        """Run to the end of the stream, or until an operator refuses a tuple; ``watch`` as for the ordered engine."""
        cdef thread* worker
        self.running.value.store(1)
        self.begun_ns = nanoseconds()
        self.begun_ticks = ticks()
        worker = new thread(work, <void*>self)
        try:
            self.egress.watch_while(self.running, watch)
        finally:
            with nogil:
                if self.running.value.load(memory_order_acquire) > 0:
                    self.egress.stop()
                worker.join()
                del worker

    @property
    def seconds(self) -> float:
        """From the start to the end of the thread."""
        return (self.ended_ns - self.begun_ns) * 1e-9

    def profile(self) -> list:
        """Return a mapping per operator: the ticks spent in it (only if ``profiled``) and the tuples it was given."""
        given = self.egress.tuples_given()
        return [{"operators": [each.name], "ticks": self.ticks_in[k], "tuples_in": self.position if k == 0 else given[k],
                 "tuples_out": given[k + 1] if k + 1 < self.n else 0, "visits": self.serial}
                for k, each in enumerate(self.operators)]

    def sampled(self):
        """Return what the thread did when, see ``WorkerLogs.to_dict``; None unless profiled."""
        return None if self.logs is None else self.logs.to_dict(self.begun_ticks)

    def traces(self) -> dict:
        """Return the digest of each operator's output, by its place."""
        return {k: self.trace[k] for k in range(self.n - 1)}
