"""The Ordered Scheduler (paper 003): tasks run in the order of their tickets, by whichever thread finds it their turn.

A thread takes a ticket, prepares its task in parallel with others, and runs it through the scheduler. If an earlier
ticket is missing, the task is left in the ring and its thread goes; who runs the ticket before it runs it too. So the
scheduler needs no thread and no signals, and hundreds of them are cheap: one takes 32 bytes per place of its capacity
and half a kilobyte more (33 KB by default).
"""

from cpython.exc cimport PyErr_CheckSignals, PyErr_SetObject, PyErr_WriteUnraisable
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.order.turn_ring cimport advance, clear_ring, fits, init_ring, leave, put
from streambench.pyx.machine.yield_points cimport yield_point

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() noexcept nogil    # Cython's own declaration asks for the GIL

cdef enum:
    MOST = 1 << 30              # places
    SHORTEST_NAP = 20_000       # ns
    LONGEST_NAP = 1_000_000     # ns


cdef void do_nothing(void* argument) noexcept nogil:
    """The task of a trashed ticket."""


cdef class OrderedScheduler:
    """Runs tasks one at a time, in the order of their tickets.

    ``capacity`` (rounded up to a power of two) is how many tickets have room, from the one whose turn it is on. Every
    ticket that is taken must be run or trashed, exactly once, or those behind it wait for ever.
    """

    def __cinit__(self, int64_t capacity=1024):
        cdef int shift = 0
        if not 1 <= capacity <= MOST:
            raise ValueError(f"an ordered scheduler's capacity must be from 1 to {MOST}, not {capacity}")
        while (<int64_t>1 << shift) < capacity:
            shift += 1
        self.shift = shift
        self.left = {}
        init_ring(&self.ring, <int64_t>1 << shift)
        self.tasks = new_tasks(<int64_t>1 << shift)
        self.issued = new_counters(1)
        self.runner = new_counters(1)

    def __dealloc__(self):
        clear_ring(&self.ring)
        delete_tasks(self.tasks)
        delete_counters(self.issued)
        delete_counters(self.runner)

    @property
    def capacity(self) -> int:
        """How many tickets from ``next`` on have room."""
        return self.ring.mask + 1

    @property
    def next(self) -> int:
        """The ticket whose turn it is; all before it have been run or trashed."""
        return self.ring.next.value.load(memory_order_acquire)

    @property
    def pending(self) -> int:
        """How many tickets have been issued whose turn is not over."""
        cdef int64_t next = self.ring.next.value.load(memory_order_acquire)
        return self.issued.value.load(memory_order_relaxed) - next

    def ticket(self) -> int:
        """Take the next ticket: 0, 1, 2, ...; from any thread."""
        return self.take_ticket()

    def run(self, int64_t ticket, task) -> None:
        """Run ``task()`` in the turn of ``ticket``: now, or later, by the thread that runs the ticket before it.

        In its turn, this thread also runs the tasks behind it that are ready. A task that raises counts as done, and
        the order goes on; once no task is ready, the call raises what those that it ran have raised, each with a note
        that names the ticket, several as an ``ExceptionGroup``.

        Without room for the ticket the call waits, with the GIL released; Ctrl-C ends the wait and leaves the ticket
        unused. ``ValueError``: the ticket was never issued, or has been used. ``RuntimeError``: the wait would be for
        the task that makes this very call.
        """
        if not callable(task):
            raise TypeError(f"a task must be callable, and {type(task).__name__} is not")
        self.claim_or_raise(ticket)
        self.left[ticket] = task
        self.enter(ticket, NULL)

    def trash(self, int64_t ticket) -> None:
        """Release ``ticket``, whose task will never come, so that later ones can go.

        As with ``run``: this thread may find left tasks ready and run them, and the same errors are raised.
        """
        self.claim_or_raise(ticket)
        self.enter(ticket, do_nothing)

    @staticmethod
    def map(function, iterable, *, workers=None, most=None):
        """``function(item)`` for each item, as an iterator of the results in the order of the items.

        ``workers``: threads, that of the caller among them, who works while a result is not there; one for each CPU by
        default. They work in parallel where the function releases the GIL. ``most``: items that have been read and
        whose results have not been taken, at most; 16 for each worker by default. An error of the function or of the
        iterable is raised in its place. It ends the iterator, as closing it does, which waits for the calls that are
        under way. ``TypeError``, ``ValueError``: bad arguments.
        """
        from streambench.pyx.order.ordered_map import ordered_map
        return ordered_map(OrderedScheduler, function, iterable, workers, most)

    cdef int64_t take_ticket(self) noexcept nogil:
        return self.issued.value.fetch_add(1, memory_order_relaxed)

    cdef Outcome run_task(self, int64_t ticket, task_t function, void* argument) noexcept nogil:
        """``run`` for threads without the GIL: ``function(argument)`` in the ticket's turn; never waits.

        A Python task that was left is run too; what it raises has no caller, and goes to ``sys.unraisablehook``.
        """
        cdef OrderedTask* task = &self.tasks[ticket & self.ring.mask]
        cdef Outcome outcome = self.claim(ticket)
        if outcome != TAKEN:
            return outcome
        task.function = function
        task.argument = argument
        if put(&self.ring, ticket, task):
            task = self.begin(task)
            while task is not NULL:
                if task.function is NULL:
                    self.call_unheard()
                else:
                    task.function(task.argument)
                task = self.begin(self.end())
        return TAKEN

    cdef Outcome trash_ticket(self, int64_t ticket) noexcept nogil:
        """``trash`` for threads without the GIL; never waits."""
        return self.run_task(ticket, do_nothing, NULL)

    cdef Outcome claim(self, int64_t ticket) noexcept nogil:
        """Make sure that a ticket is used once only; TAKEN also says that its place in the ring is free."""
        cdef int64_t lap = ticket >> self.shift
        if ticket < 0 or ticket >= self.issued.value.load(memory_order_relaxed):
            return NOT_ISSUED
        if ticket < self.ring.next.value.load(memory_order_acquire):
            return USED
        if not fits(&self.ring, ticket):
            return NO_ROOM
        yield_point()
        # The ring orders the tasks; the lap only tells two users of one ticket apart.
        if self.tasks[ticket & self.ring.mask].lap.compare_exchange_strong(lap, lap + 1, memory_order_relaxed,
                                                                           memory_order_relaxed):
            return TAKEN
        return USED

    cdef int claim_or_raise(self, int64_t ticket) except -1:
        cdef Outcome outcome = self.claim(ticket)
        cdef int64_t nap = SHORTEST_NAP
        while outcome == NO_ROOM:
            if self.runner.value.load(memory_order_relaxed) == <int64_t>PyThread_get_thread_ident():
                raise RuntimeError(f"ticket {ticket} has no room before the task that uses it returns: "
                                   f"give the scheduler a capacity above {self.capacity}")
            with nogil:
                sleep_ns(nap)
            PyErr_CheckSignals()
            nap = min(2 * nap, LONGEST_NAP)
            outcome = self.claim(ticket)
        if outcome == NOT_ISSUED:
            raise ValueError(f"ticket {ticket} was never issued: take tickets with ticket()")
        if outcome == USED:
            raise ValueError(f"ticket {ticket} has been used before: run or trash each ticket once")
        return 0

    cdef int enter(self, int64_t ticket, task_t function) except -1:
        """Put a claimed task into the ring; with the turn, run it and those behind it, then raise what they raised."""
        cdef OrderedTask* task = &self.tasks[ticket & self.ring.mask]
        cdef list failures
        task.function = function
        if not put(&self.ring, ticket, task):
            return 0
        failures = []
        task = self.begin(task)
        while task is not NULL:
            if task.function is NULL:
                self.call(failures)
            else:
                with nogil:
                    task.function(task.argument)
            task = self.begin(self.end())
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise BaseExceptionGroup(f"{len(failures)} ordered tasks failed", failures)
        return 0

    cdef OrderedTask* begin(self, OrderedTask* task) noexcept nogil:
        """With the turn: the task to run now, ``task`` or one that comes just now; NULL when the turn has been left."""
        cdef void* late = task
        if task is NULL and leave(&self.ring, &late):
            return NULL
        yield_point()
        self.runner.value.store(<int64_t>PyThread_get_thread_ident(), memory_order_relaxed)
        return <OrderedTask*>late

    cdef OrderedTask* end(self) noexcept nogil:
        """With the turn: the task has been run; returns the next one if it is there."""
        self.runner.value.store(0, memory_order_relaxed)
        return <OrderedTask*>advance(&self.ring)

    cdef void call(self, list failures) noexcept:
        """Run the Python task whose turn it is; with ``failures`` None, an error goes to ``sys.unraisablehook``."""
        cdef int64_t ticket = self.ring.next.value.load(memory_order_relaxed)
        task = self.left.pop(ticket)
        try:
            task()
        except BaseException as error:
            if failures is not None:
                failures.append(error)
            error.add_note(f"in the task of ticket {ticket}")
            if failures is None:
                PyErr_SetObject(type(error), error)         # leaving it to noexcept would end the process at SystemExit
                PyErr_WriteUnraisable(task)

    cdef void call_unheard(self) noexcept with gil:
        self.call(None)
