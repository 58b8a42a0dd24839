"""Seats: each worker has a core of its own, or all of them may run on any; and some may rest,
where somebody else has cores.

Whoever holds admission's lock may move the others, those too that wait for a core just now.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.parking cimport announce, delete_parking, new_parking, park, wake_all, withdraw


cdef enum:
    A_WHILE = 10_000_000        # ns: then a worker that rests looks whether the run is over
    LEAST = 1                   # ns


cdef class Seats:
    """Of ``workers`` that were pinned to ``cores`` as they started; without cores they stay
    where the system puts them."""

    def __cinit__(self, int workers, tuple cores):
        cdef int k
        self.workers = workers
        self.cores = cores
        self.bound = True
        self.threads = new_counters(workers)
        self.own = new_counters(workers)
        self.moving = new_counters(1)
        self.resting = new_counters(workers)
        self.parking = new_parking()
        for k in range(workers):
            self.own[k].value.store(cores[k % len(cores)] if cores else -1)

    def __dealloc__(self):
        delete_counters(self.threads)
        delete_counters(self.own)
        delete_counters(self.moving)
        delete_counters(self.resting)
        delete_parking(self.parking)

    def begin(self):
        """As a run begins, in a thread that is not pinned: all cores are those that it may run on."""
        cdef int k
        self.allowed = allowed_cores()
        self.bound = True
        self.moving.value.store(0, memory_order_relaxed)
        self.at_rest = 0
        for k in range(self.workers):
            self.resting[k].value.store(0, memory_order_relaxed)

    cdef void sit(self, int number) noexcept nogil:
        """The calling thread is this worker."""
        cdef int64_t core = self.own[number].value.load(memory_order_relaxed)
        # seq_cst, here and in `bind`: either that finds this thread, or this one sees that it may move.
        self.threads[number].value.store(this_thread(), memory_order_seq_cst)
        if core >= 0 and self.moving.value.load(memory_order_seq_cst) != 0:
            seat(this_thread(), -1, self.allowed)
            if self.moving.value.load(memory_order_seq_cst) == 0:       # bound again meanwhile
                seat(this_thread(), <int>core, self.allowed)

    cdef void leave(self, int number) noexcept nogil:
        """It will not run for long: the system may give its number to another thread."""
        self.threads[number].value.store(0, memory_order_relaxed)

    cdef void bind(self, bint bound) noexcept nogil:
        """Give each worker its core, or all of them; under admission's lock."""
        cdef int64_t thread, core
        cdef int k
        self.bound = bound
        self.moving.value.store(not bound, memory_order_seq_cst)
        for k in range(self.workers):
            thread = self.threads[k].value.load(memory_order_seq_cst)
            core = self.own[k].value.load(memory_order_relaxed)
            if thread != 0 and core >= 0:
                seat(<int>thread, <int>core if bound else -1, self.allowed)

    cdef void let_rest(self, int number, RunQueues queues) noexcept nogil:
        """So many workers are to rest; under admission's lock.

        Who has waited longest of late rests, or, if nobody has, who came back last. Who rests though it had not waited
        works again first, then who has rested longest.
        """
        cdef int k, chosen
        cdef int64_t most, began
        if number == self.at_rest:
            return
        while self.at_rest < number:
            most = chosen = -1
            for k in range(self.workers):
                if not self.rests(k) and queues.late[k].value.load(memory_order_relaxed) > most:
                    most = queues.late[k].value.load(memory_order_relaxed)
                    chosen = k
            self.told += 1
            self.resting[chosen].value.store(self.told if most > LEAST else -self.told, memory_order_seq_cst)
            self.at_rest += 1
        queues.forget()
        while self.at_rest > number:
            most = self.told + 1
            chosen = -1
            for k in range(self.workers):
                began = self.resting[k].value.load(memory_order_relaxed)
                if began != 0 and began < most:
                    most = began
                    chosen = k
            self.resting[chosen].value.store(0, memory_order_seq_cst)
            queues.note(chosen, LEAST)
            self.at_rest -= 1
        wake_all(self.parking)

    cdef void rest(self, int number) noexcept nogil:
        """The calling worker rests until it is to work again; it may return for no reason, and then asks again."""
        announce(self.parking)
        if self.rests(number):  # pairs with `let_rest`: either that finds a sleeper, or this finds that it is to work
            park(self.parking, A_WHILE)
        else:
            withdraw(self.parking)
