"""Records that have left go to who listens, in order; where he does not keep up, workers wait and none is taken in."""

from libc.stdint cimport int64_t
from libcpp.algorithm cimport reverse
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.front.property_graph cimport PropertyGraph
from streambench.pyx.front.records cimport count_moving
from streambench.pyx.front.values cimport Job
from streambench.pyx.front.worker cimport append_locked, lock, unlock
from streambench.pyx.machine.threads cimport sleep_ns

import threading

cdef enum:
    GIVEN_OUT = 256                     # records at a time
    LEAST_NAP_NS = 20_000               # of a worker that waits for who listens: ever longer, up to
    MOST_NAP_NS = 2_000_000


cdef class Output(Values):
    """``emit``: called with lists of dicts by label, in the order in which they leave. ``credit``: as many records
    may be on their way before none is taken in, and have left before workers wait for who listens, who says by
    `taken` how many he has got.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels, emit, int64_t credit):
        super().__init__(graph, workers, labels)
        self.credit = credit
        self.emit = emit
        self.emitting = threading.Lock()

    def give_out_now(self):
        """Have those listen who listen, also while boxes are busy: records that have left are given out."""
        self.flush()

    def taken(self, int64_t records):
        """Who listens has got so many of those that were given out."""
        self.shared.waiting.fetch_sub(records, memory_order_relaxed)

    cdef int64_t on_their_way(self) noexcept nogil:
        """How many records there are, but for those in cells: right when nothing moves, else about so many.

        Each of them goes on without any more input, or waits for one that does, or for who listens: so whoever holds
        the input back as long as there are some does not wait for ever.
        """
        cdef int k
        cdef int64_t records = self.shared.waiting.load(memory_order_relaxed)
        for k in range(self.workers):
            records += self.pools[k].moving.load(memory_order_relaxed)
        return records

    cdef bint held_back(self) noexcept nogil:
        """Whether there are so many records that no more may come in."""
        return self.on_their_way() >= self.credit

    cdef void give_out(self, Worker* worker, Record* record) noexcept nogil:
        """The record has left. Where too many wait for who listens, the worker waits, too, with all that it has."""
        cdef bint full
        self.shared.waiting.fetch_add(1, memory_order_relaxed)
        count_moving(worker.pool, -1)
        full = append_locked(self.shared.output, self.out, record) >= GIVEN_OUT
        if full:
            self.flush()
        if self.shared.waiting.load(memory_order_relaxed) >= self.credit:
            self.wait_for_listener(worker)

    cdef void wait_for_listener(self, Worker* worker) noexcept nogil:
        cdef int64_t nap = LEAST_NAP_NS
        self.tidy(worker)
        while (self.shared.waiting.load(memory_order_relaxed) >= self.credit
                and self.stopped.value.load(memory_order_relaxed) == 0):
            sleep_ns(nap)
            nap = min(2 * nap, MOST_NAP_NS)
            if self.untidy(worker):                 # others have given out what nobody else flushes
                self.tidy(worker)

    cdef void tidy(self, Worker* worker) noexcept with gil:
        """Nothing is kept without need: objects of dead records go, records that have left are given out."""
        self.bury(worker)
        self.flush()

    cdef bint untidy(self, Worker* worker) noexcept nogil:
        """Whether there is anything for `tidy`."""
        cdef bint some
        lock(&self.shared.output)
        some = not self.out.empty()
        unlock(&self.shared.output)
        return some or not worker.dead.empty()

    cdef void flush(self) noexcept with gil:
        """What has left is given to who listens, by one thread at a time, so that it stays in order."""
        cdef Job job = Job(<void*>self, NULL, NULL, NULL, 0, NULL, NULL, False)
        try:
            with self.emitting:
                self.within_memory(give_records, &job)
        except BaseException as problem:
            self.give_up(problem)

    cdef void clear(self):
        """Everything goes, in whatever state a failed run has left it: also what has left and was not given out."""
        cdef vector[Record*] some, more
        cdef size_t k
        with self.emitting:                     # who listens may be giving out, as long as the run has not returned
            some.swap(self.leaving)
            lock(&self.shared.output)
            more.swap(self.out)
            unlock(&self.shared.output)
        for k in range(some.size()):
            self.let_go(some[k])
        for k in range(more.size()):
            self.let_go(more[k])
        Values.clear(self)


cdef void give_records(void* of) noexcept:
    cdef Output output = <Output>(<Job*>of).border
    cdef Record* record
    if not output.leaving.empty():      # memory was refused amid these: the run ends, and `clear` lets go of them
        return
    lock(&output.shared.output)
    output.leaving.swap(output.out)
    unlock(&output.shared.output)
    reverse(output.leaving.begin(), output.leaving.end())
    try:
        batch = []
        while not output.leaving.empty():
            record = output.leaving.back()
            batch.append(output.seen(record, NULL))
            output.leaving.pop_back()
            output.let_go(record)
        if batch:
            output.emit(batch)
    except BaseException as problem:
        output.give_up(problem)
