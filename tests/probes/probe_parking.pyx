"""Drivers of the event count, and a source that lets the workers go idle."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic, memory_order_seq_cst
from libcpp.deque cimport deque
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_threads cimport Threads
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.tuples.columns cimport Columns, emit, reserve, reset
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.tuples.operator cimport Source, Stateless
from streambench.pyx.machine.parking cimport (PERMIT, SLEEPERS, Parking, announce, delete_parking, new_parking, park,
                                      wake_all, wake_one, withdraw)
from streambench.pyx.machine.threads cimport sleep_ns, yield_core
from streambench.pyx.tuples.unit cimport Unit

cdef int64_t FOREVER = 20_000_000_000      # ns: who sleeps so long has been forgotten


cdef class Lot:
    """An event count that one thread plays all parts with: no sleep takes any time."""
    cdef Parking* parking
    cdef Idle idle

    def __cinit__(self):
        self.parking = new_parking()
        self.idle = busy(self.parking)

    def __dealloc__(self):
        delete_parking(self.parking)

    def announce(self):
        announce(self.parking)

    def withdraw(self):
        withdraw(self.parking)

    def park(self):
        return park(self.parking, 0)

    def park_for(self, int64_t ns):
        """Whether it was woken, and whether that took all the time."""
        cdef int64_t begun = nanoseconds()
        cdef bint woken
        with nogil:
            woken = park(self.parking, ns)
        return bool(woken), nanoseconds() - begun >= ns

    def wake_one(self):
        wake_one(self.parking)

    def wake_all(self):
        wake_all(self.parking)

    def rest(self):
        rest(&self.idle, 0)

    def resume(self):
        resume(&self.idle)

    def counts(self):
        """Sleepers and permits."""
        cdef int64_t state = self.parking.state.load()
        return state & SLEEPERS, state // PERMIT


cdef class Shift(Threads):
    """``producers`` threads publish items and wake; the others take them, and sleep when there are none.

    ``burst``: items that a producer publishes before it wakes as many. ``resting``: consumers
    wait as engines' workers do.
    """
    cdef Parking* parking
    cdef deque[int64_t] queue
    cdef atomic[int64_t] locked             # who has set it has the queue
    cdef atomic[int64_t] published          # and not taken
    cdef atomic[int64_t] producing
    cdef atomic[int64_t] over
    cdef atomic[int64_t] forgotten
    cdef atomic[int64_t] sleeps
    cdef vector[int64_t] payload            # plain: what is published must be seen
    cdef vector[int64_t] taken              # by item, how often
    cdef int64_t producers, each_publishes, burst
    cdef int strength
    cdef bint resting

    def __cinit__(self, *args, **kwargs):
        self.parking = new_parking()

    def __dealloc__(self):
        delete_parking(self.parking)

    def __init__(self, producers, each_publishes, burst=1, strength=1, resting=False):
        self.producers, self.each_publishes, self.burst, self.strength = producers, each_publishes, burst, strength
        self.resting = resting
        self.producing.store(producers)
        self.payload.assign(producers * each_publishes, 0)
        self.taken.assign(producers * each_publishes, 0)

    cdef void each(self, int64_t me) noexcept nogil:
        if me < self.producers:
            self.produce(me)
        else:
            self.consume(me)

    cdef void produce(self, int64_t me) noexcept nogil:
        cdef int64_t i = 0, end, item, seen = 0
        while i < self.each_publishes:
            if i % (16 * self.burst) == 0:
                sleep_ns(200_000)
                # Each time somebody has gone to sleep again: who takes the last item of all that is published does.
                while not self.resting and self.sleeps.load() == seen:
                    sleep_ns(20_000)
                seen = self.sleeps.load()
            end = min(i + self.burst, self.each_publishes)
            for item in range(me * self.each_publishes + i, me * self.each_publishes + end):
                jitter(item, me, self.strength)
                self.payload[item] = item * item
                self.lock()
                self.queue.push_back(item)
                self.locked.store(0)
                self.published.fetch_add(1, memory_order_seq_cst)
            while i < end:
                wake_one(self.parking)
                i += 1
        if self.producing.fetch_sub(1) == 1:
            self.over.store(1, memory_order_seq_cst)
            wake_all(self.parking)

    cdef void lock(self) noexcept nogil:
        while self.locked.exchange(1) != 0:
            yield_core()

    cdef bint try_pop(self, int64_t* item) noexcept nogil:
        cdef bint found
        self.lock()
        found = not self.queue.empty()
        if found:
            item[0] = self.queue.front()
            self.queue.pop_front()
        self.locked.store(0)
        return found

    cdef bint take(self, int64_t me) noexcept nogil:
        cdef int64_t item = 0
        while self.published.load(memory_order_seq_cst) > 0:
            if self.try_pop(&item):
                self.published.fetch_sub(1)
                if self.payload[item] == item * item:
                    self.taken[item] += 1
                jitter(item, me, self.strength)
                return True
        return False

    cdef void consume(self, int64_t me) noexcept nogil:
        cdef Idle idle = busy(self.parking)
        cdef int64_t begun
        while True:
            if self.take(me):
                resume(&idle)
            elif self.over.load(memory_order_seq_cst) != 0:
                if self.published.load(memory_order_seq_cst) == 0:
                    break
            elif self.resting:
                rest(&idle, 0)
            elif not idle.announced:
                idle.rounds += 1
                announce(self.parking)
                idle.announced = True
            else:
                idle.announced = False
                self.sleeps.fetch_add(1)
                begun = nanoseconds()
                if not park(self.parking, FOREVER) and nanoseconds() - begun >= FOREVER:
                    self.forgotten.fetch_add(1)
        resume(&idle)

    def result(self):
        """By item, how often it was taken and its payload seen; sleeps; sleeps without end;
        sleepers and permits left."""
        cdef int64_t state = self.parking.state.load()
        return list(self.taken), self.sleeps.load(), self.forgotten.load(), (state & SLEEPERS, state // PERMIT)


cdef class Quiet(Source):
    """Gives ``tuples`` tuples (i, i) in bursts of ``burst``, and has nothing for ``gap`` ns before each; ``tuples``
    None: it has nothing, without end."""
    cdef int64_t tuples, burst, gap, position, next_at

    def __init__(self, tuples=None, burst=1, gap=0):
        self.columns = ("key", "value")
        self.tuples = -1 if tuples is None else tuples
        self.burst, self.gap = burst, gap

    def total(self):
        return None if self.tuples < 0 else self.tuples

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef int64_t now = nanoseconds()
        if self.tuples < 0:
            return 0
        if self.position == self.tuples:
            return -1
        if self.position % self.burst == 0:
            if self.next_at == 0:
                self.next_at = now + self.gap
            if now < self.next_at:
                return 0
            self.next_at = 0
        self.position += 1
        return 1

    cdef void fill(self, Unit* unit) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t i
        reset(out, 2)
        reserve(out, unit.arrived)
        for i in range(unit.arrived):
            out.column[0][i] = unit.first + i
            out.column[1][i] = unit.first + i
        out.n = <int32_t>unit.arrived


cdef class Companions(Stateless):
    """Passes tuples on, but the tuples of each pair (2 i, 2 i + 1) wait for each other: it takes two workers.

    ``starved``: how often the other did not come, for seconds on end.
    """
    cdef atomic[int64_t] inside
    cdef atomic[int64_t] gave_up

    def __init__(self):
        self.columns = ("key", "value")

    @property
    def starved(self):
        return self.gave_up.load()

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t naps, mine
        for i in range(rows.n):
            mine = self.inside.fetch_add(1)
            naps = 0
            while self.gave_up.load() == 0 and self.inside.load() // 2 <= mine // 2:
                sleep_ns(50_000)
                naps += 1
                if naps > 100_000:
                    self.gave_up.fetch_add(1)
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
            out.column[1][row] = rows.column[1][i]
        return -1
