"""Workers in a reordering scheme or in the Ordered Scheduler: many threads with delays injected, or call by call."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_guard cimport Guards
from probe_threads cimport Threads
from streambench.pyx.schemes.lock_based_reorder_buffer import LockBasedReorderBuffer
from streambench.pyx.order.ordered_scheduler cimport NO_ROOM, TAKEN, OrderedScheduler
from streambench.pyx.schemes.reorder_buffer cimport Downstream, ReorderBuffer
from streambench.pyx.schemes.reorder_buffer import NonBlockingReorderBuffer
from streambench.pyx.machine.threads cimport pause_briefly, sleep_ns, yield_core
from streambench.pyx.schemes.ticket_reorder_buffer cimport TicketReorderBuffer

cdef enum:
    PATIENCE = 300_000          # refusals in a row, with nothing sent meanwhile, after which a worker gives up
    YIELDS = 10_000             # of a ticket's refusals; then naps: who has the turn may get no core for long
    NAP = 20_000                # ns

REORDER_BUFFERS = {
    "nonblocking": NonBlockingReorderBuffer, "lock": LockBasedReorderBuffer, "ticket": TicketReorderBuffer,
}


cdef class Collected(Downstream):
    """Checks and notes what comes out of a reorder buffer."""
    cdef vector[int64_t] order          # plain memory: only the buffer's own ordering protects it
    cdef Guards* guards
    cdef int strength

    def __cinit__(self, strength):
        self.guards = new Guards(1)
        self.strength = strength

    def __dealloc__(self):
        del self.guards

    cdef bint send_downstream(self, void* output) noexcept nogil:
        self.guards.enter(0)
        jitter(<int64_t>output, 11, self.strength)
        self.order.push_back(<int64_t>output - 1)
        self.guards.leave(0)
        return True


cdef class Reordering(Threads):
    """Every thread takes the next serial number, dawdles, and sends; one in ``trash_one_in`` is trashed (0: none)."""
    cdef ReorderBuffer buffer
    cdef TicketReorderBuffer tickets    # the buffer again, if it can trash
    cdef readonly Collected collected
    cdef atomic[int64_t] next_serial
    cdef int64_t serials, trash_one_in
    cdef int strength

    def __init__(self, scheme, size, serials, strength, trash_one_in=0):
        self.collected = Collected(strength)
        self.buffer = REORDER_BUFFERS[scheme](self.collected, size)
        self.serials, self.strength, self.trash_one_in = serials, strength, trash_one_in
        if trash_one_in:
            self.tickets = self.buffer

    cdef bint hand_in(self, int64_t serial) noexcept nogil:
        if self.trash_one_in and serial % self.trash_one_in == 0:
            return self.tickets.trash(serial)
        return self.buffer.send(serial, <void*>(serial + 1))

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t serial = self.next_serial.fetch_add(1), refusals, sent
        while serial < self.serials:
            jitter(serial, me, self.strength)
            refusals = 0
            sent = self.buffer.sent()
            while not self.hand_in(serial):
                yield_core()
                refusals += 1
                if self.buffer.sent() != sent:
                    sent = self.buffer.sent()
                    refusals = 0
                if refusals > PATIENCE:
                    return                  # something was lost: a failing test rather than one that hangs
            serial = self.next_serial.fetch_add(1)

    def result(self):
        """Serial numbers in the order sent, how many the buffer counts, overlaps of two senders."""
        return list(self.collected.order), self.buffer.sent(), self.collected.guards.violations_now()

    def counts(self):
        return self.buffer.counts()


cdef class Stranding(Threads):
    """Rounds in which every thread sends once, at the same moment; after each, nobody is inside.

    Theorem 3.1 then leaves nothing in the buffer: ``stranded`` counts the rounds that did.
    """
    cdef ReorderBuffer buffer
    cdef Collected collected
    cdef int64_t rounds
    cdef readonly int64_t stranded

    def __init__(self, scheme, rounds):
        self.collected = Collected(0)
        self.buffer = REORDER_BUFFERS[scheme](self.collected, 128)
        self.rounds = rounds

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t k, delay, serial
        for k in range(self.rounds):
            self.meet(2 * k + 1)
            if self.stranded:
                return
            for delay in range((k * (2 * me + 3)) % 37):
                pause_briefly()
            # Who sends the lower number changes, so that the drainer's last look races with every other.
            serial = k * self.n + (me + k) % self.n
            self.buffer.send(serial, <void*>(serial + 1))
            self.meet(2 * k + 2)
            if me == 0 and self.buffer.sent() != (k + 1) * self.n:
                self.stranded += 1


cdef class StepwiseReordering:
    """A reorder buffer that Python drives, call by call."""
    cdef readonly Collected collected
    cdef ReorderBuffer buffer

    def __init__(self, scheme, size):
        self.collected = Collected(0)
        self.buffer = REORDER_BUFFERS[scheme](self.collected, size)

    def send(self, int64_t serial):
        """Hand in output ``serial``; returns whether there was room, and all that has been sent downstream so far."""
        cdef bint added = self.buffer.send(serial, <void*>(serial + 1))
        return added, list(self.collected.order)

    def trash(self, int64_t serial):
        """As ``send``, but release the serial number."""
        cdef bint added = (<TicketReorderBuffer?>self.buffer).trash(serial)
        return added, list(self.collected.order)

    @property
    def sent(self):
        return self.buffer.sent()

    def counts(self):
        return self.buffer.counts()


cdef struct Job:
    void* tickets           # the Tickets whose job it is
    int64_t ticket


cdef inline void wait(int64_t refusals) noexcept nogil:
    if refusals <= YIELDS:
        yield_core()
    else:
        sleep_ns(NAP)


cdef void do_job(void* argument) noexcept nogil:
    (<Tickets>(<Job*>argument).tickets).done((<Job*>argument).ticket)


cdef class Tickets(Threads):
    """Every thread takes a ticket, dawdles, and runs a task through the Ordered Scheduler or trashes the ticket."""
    cdef OrderedScheduler scheduler
    cdef vector[Job] jobs
    cdef vector[int64_t] order          # plain memory, as above
    cdef Guards* guards
    cdef int64_t tickets, trash_one_in
    cdef atomic[int64_t] refused
    cdef atomic[int64_t] wrong_outcomes
    cdef int strength

    def __cinit__(self, capacity, tickets, strength, trash_one_in):
        self.scheduler = OrderedScheduler(capacity)
        self.jobs.resize(tickets)
        self.guards = new Guards(1)
        self.tickets, self.strength, self.trash_one_in = tickets, strength, trash_one_in

    def __dealloc__(self):
        del self.guards

    cdef void done(self, int64_t ticket) noexcept nogil:
        self.guards.enter(0)
        jitter(ticket, 11, self.strength)
        self.order.push_back(ticket)
        self.guards.leave(0)

    cdef int use(self, int64_t ticket) noexcept nogil:
        if self.trash_one_in and ticket % self.trash_one_in == 0:
            return self.scheduler.trash_ticket(ticket)
        self.jobs[ticket].tickets = <void*>self
        self.jobs[ticket].ticket = ticket
        return self.scheduler.run_task(ticket, do_job, &self.jobs[ticket])

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t k, ticket, refusals
        cdef int outcome
        for k in range(self.tickets // self.n + (1 if me < self.tickets % self.n else 0)):
            ticket = self.scheduler.take_ticket()
            jitter(ticket, me, self.strength)
            refusals = 0
            outcome = self.use(ticket)
            while outcome == NO_ROOM and refusals < PATIENCE:
                refusals += 1
                wait(refusals)
                outcome = self.use(ticket)
            if outcome != TAKEN:
                self.wrong_outcomes.fetch_add(1)
                return

    def result(self):
        """Tickets in the order run, overlaps of two tasks, uses with a wrong outcome, tickets not done."""
        return (list(self.order), self.guards.violations_now(), self.wrong_outcomes.load(), self.scheduler.pending)


cdef class SameTickets(Threads):
    """Every thread tries to run every ticket: slow ones come with tickets whose place has since gone to later ones.

    ``together``: they wait for each other before each ticket, and claim it at the same time.
    """
    cdef OrderedScheduler scheduler
    cdef vector[int64_t] order
    cdef atomic[int64_t] accepted
    cdef int64_t tickets
    cdef bint together

    def __init__(self, capacity, tickets, together=False):
        cdef int64_t k
        self.together = together
        self.scheduler = OrderedScheduler(capacity)
        self.tickets = tickets
        for k in range(tickets):
            self.scheduler.take_ticket()

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t k, refusals
        cdef int outcome
        cdef bint stuck = False             # others may still have to be met
        self.meet(1)
        for k in range(self.tickets):
            if self.together:
                self.meet(2 + k)
            if stuck:
                continue
            refusals = 0
            outcome = self.scheduler.run_task(k, note_next, <void*>self)
            while outcome == NO_ROOM and refusals < PATIENCE:
                refusals += 1
                wait(refusals)
                outcome = self.scheduler.run_task(k, note_next, <void*>self)
            stuck = outcome == NO_ROOM
            if outcome == TAKEN:
                self.accepted.fetch_add(1, memory_order_relaxed)

    def result(self):
        """The tickets in the order run, how many uses were accepted."""
        return list(self.order), self.accepted.load()


cdef void note_next(void* argument) noexcept nogil:
    (<SameTickets>argument).order.push_back((<SameTickets>argument).scheduler.ring.next.value.load())


cdef class NativeTask:
    """Runs a task without the GIL from Python, so that native and Python tasks meet in one scheduler."""
    cdef vector[int64_t] seen
    cdef OrderedScheduler scheduler

    def __init__(self, scheduler):
        self.scheduler = scheduler

    def run(self, int64_t ticket):
        cdef int outcome
        with nogil:
            outcome = self.scheduler.run_task(ticket, note_run, <void*>self)
        return outcome == TAKEN

    def order(self):
        return list(self.seen)


cdef void note_run(void* argument) noexcept nogil:
    (<NativeTask>argument).seen.push_back((<NativeTask>argument).scheduler.ring.next.value.load())
