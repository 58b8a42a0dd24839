"""Tasks that any of several threads prepare and that end in order: by the Ordered Scheduler (paper 003), and by what is
used where there is none.

Whatever brings the ends into order, a thread that has a ticket hands its task in before it looks whether it is to stop:
so nobody waits for a ticket that never comes.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.order.ordered_scheduler cimport TAKEN, OrderedScheduler
from streambench.queries.baselines.arithmetic cimport mix, work

cdef extern from "<mutex>" namespace "std" nogil:
    cppclass mutex:
        void lock() noexcept
        void unlock() noexcept
    cppclass unique_lock "std::unique_lock<std::mutex>":
        unique_lock()
        unique_lock(mutex& guard) noexcept
        void unlock() noexcept

cdef extern from "<condition_variable>" namespace "std" nogil:
    cppclass condition_variable:
        void wait(unique_lock& guard) noexcept
        void notify_one() noexcept
        void notify_all() noexcept

cdef enum:
    ROOM = 1024                         # tickets from the one whose turn it is on, as the Ordered Scheduler has

cdef struct Task:
    int64_t ticket
    uint64_t result
    bint waits                          # for its turn
    void* tasks


def prepared(int64_t number, int64_t iterations) -> int:
    """What prepares a task, without the GIL."""
    cdef uint64_t result
    with nogil:
        result = work(<uint64_t>number, iterations)
    return result


def digest_of(results) -> int:
    """Of what was prepared, in order."""
    cdef uint64_t digest = 0, result
    for result in results:
        digest = mix(digest, result)
    return digest


def in_one_thread(int64_t tasks, int64_t iterations) -> int:
    """All of it in the calling thread; the digest of the results in order."""
    cdef uint64_t digest = 0
    cdef int64_t ticket
    with nogil:
        for ticket in range(tasks):
            digest = mix(digest, work(<uint64_t>ticket, iterations))
    return digest


cdef class OrderedTasks(Crew):
    """``tasks`` tasks, which ``threads`` threads prepare by so many ``iterations`` of work each; an abstract class."""

    cdef int64_t tasks, iterations
    cdef PaddedCounter* issued          # the next ticket
    cdef PaddedCounter* turn            # tasks before it have ended
    cdef readonly uint64_t digest       # written by whoever has the turn
    cdef mutex guard

    def __cinit__(self, *args, **kwargs):
        self.issued = new_counters(1)
        self.turn = new_counters(1)

    def __init__(self, int threads, int64_t tasks, int64_t iterations):
        super().__init__(threads)
        self.tasks, self.iterations = tasks, iterations

    def __dealloc__(self):
        delete_counters(self.issued)
        delete_counters(self.turn)

    cdef void work(self, int number) noexcept nogil:
        cdef int64_t ticket
        while self.stopped.value.load(memory_order_relaxed) == 0:
            ticket = self.take()
            if ticket >= self.tasks:
                break
            self.hand_in(ticket, work(<uint64_t>ticket, self.iterations))

    cdef int64_t take(self) noexcept nogil:
        return self.issued.value.fetch_add(1, memory_order_relaxed)

    cdef void hand_in(self, int64_t ticket, uint64_t result) noexcept nogil:
        """End the task in its turn, or see that somebody will."""

    cdef void end(self, uint64_t result) noexcept nogil:
        self.digest = mix(self.digest, result)

    cdef void await_room(self, int64_t ticket) noexcept nogil:
        while ticket - self.turn.value.load(memory_order_acquire) >= ROOM:
            yield_core()


cdef void end_task(void* task) noexcept nogil:
    (<OrderedTasks>(<Task*>task).tasks).end((<Task*>task).result)


@cython.final
cdef class SchedulerTasks(OrderedTasks):
    """By the Ordered Scheduler."""

    cdef OrderedScheduler scheduler
    cdef vector[Task] given             # a ticket's until it has ended: one that has room is behind all of the last lap

    def __init__(self, int threads, int64_t tasks, int64_t iterations):
        super().__init__(threads, tasks, iterations)
        self.scheduler = OrderedScheduler(ROOM)
        self.given.resize(ROOM)

    cdef int64_t take(self) noexcept nogil:
        return self.scheduler.take_ticket()

    cdef void hand_in(self, int64_t ticket, uint64_t result) noexcept nogil:
        cdef Task* task = self.given.data() + ticket % ROOM
        while ticket - self.scheduler.ring.next.value.load(memory_order_acquire) >= ROOM:
            yield_core()
        task.result = result
        task.tasks = <void*>self
        self.scheduler.run_task(ticket, end_task, task)


cdef class RingTasks(OrderedTasks):
    """Those that are prepared before their turn wait in a ring; an abstract class."""

    cdef vector[Task] ring

    def __init__(self, int threads, int64_t tasks, int64_t iterations):
        super().__init__(threads, tasks, iterations)
        self.ring.resize(ROOM)

    cdef void leave(self, int64_t ticket, uint64_t result) noexcept nogil:
        cdef Task* task = self.ring.data() + ticket % ROOM
        task.result = result
        task.waits = True

    cdef void end_ready(self) noexcept nogil:
        """All tasks whose turn has come."""
        cdef int64_t turn = self.turn.value.load(memory_order_relaxed)
        cdef Task* task = self.ring.data() + turn % ROOM
        while task.waits:
            self.end(task.result)
            task.waits = False
            turn += 1
            task = self.ring.data() + turn % ROOM
        self.turn.value.store(turn, memory_order_release)


@cython.final
cdef class LockTasks(RingTasks):
    """Who has the lock ends what is ready."""

    cdef void hand_in(self, int64_t ticket, uint64_t result) noexcept nogil:
        self.await_room(ticket)
        self.guard.lock()
        self.leave(ticket, result)
        self.end_ready()
        self.guard.unlock()


@cython.final
cdef class ConditionTasks(OrderedTasks):
    """Each thread waits for its turn on a condition variable."""

    cdef condition_variable moved

    cdef void hand_in(self, int64_t ticket, uint64_t result) noexcept nogil:
        cdef unique_lock held = unique_lock(self.guard)
        while self.turn.value.load(memory_order_relaxed) != ticket:
            self.moved.wait(held)
        self.end(result)
        self.turn.value.store(ticket + 1, memory_order_relaxed)
        held.unlock()
        self.moved.notify_all()


@cython.final
cdef class ConsumerTasks(RingTasks):
    """A further thread ends all tasks, which come by a queue."""

    cdef condition_variable came
    cdef vector[Task] queue
    cdef vector[Task] taken             # the further thread's
    cdef int producers                  # that have not ended

    def __init__(self, int threads, int64_t tasks, int64_t iterations):
        RingTasks.__init__(self, threads + 1, tasks, iterations)
        self.producers = threads

    cdef void work(self, int number) noexcept nogil:
        if number == self.workers - 1:
            self.consume()
            return
        OrderedTasks.work(self, number)
        self.guard.lock()
        self.producers -= 1
        self.guard.unlock()
        self.came.notify_one()

    cdef void hand_in(self, int64_t ticket, uint64_t result) noexcept nogil:
        cdef Task task
        cdef bint idle
        task.ticket, task.result, task.waits, task.tasks = ticket, result, True, NULL
        self.await_room(ticket)
        self.guard.lock()
        idle = self.queue.empty()
        self.queue.push_back(task)
        self.guard.unlock()
        if idle:
            self.came.notify_one()

    cdef void consume(self) noexcept nogil:
        cdef unique_lock held
        cdef size_t k
        cdef bint last = False
        while not last:
            held = unique_lock(self.guard)
            while self.queue.empty() and self.producers > 0:
                self.came.wait(held)
            last = self.producers == 0
            self.taken.swap(self.queue)
            held.unlock()
            for k in range(self.taken.size()):
                self.leave(self.taken[k].ticket, self.taken[k].result)
            self.taken.clear()
            self.end_ready()


BY_NAME = {
    "the Ordered Scheduler": SchedulerTasks, "a lock": LockTasks, "a condition variable": ConditionTasks,
    "a thread that consumes": ConsumerTasks,
}
