"""Admission: serial numbers in order of arrival, and credit that bounds the memory of the whole pipeline.

At most ``credit`` units are in flight between admission and sink, and every queue and reorder buffer holds as many, so
a worker that hands a unit on always finds room. A unit takes what has arrived and never waits for more.
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.engine cimport arrival
from streambench.pyx.engine.stop_token cimport LASTS
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport ADMISSION, ADMIT, FILL, SINK, TURN, let_go, look, take_hold, touch
from streambench.pyx.tuples.unit cimport begin_unit, clear_unit, init_unit, take_memory
from streambench.pyx.tuples.work cimport begin_work, end_work
from streambench.pyx.machine.yield_points cimport yield_point


cdef enum:
    BACKLOG = 2                 # units that wait at least where a stream counts as saturated

cdef int64_t ENDLESS = <int64_t>1 << 62         # more than any run admits


cdef class Ingress:
    """``credit``: units in flight, a power of two; ``rate``: tuples per second that arrive, 0 for all at once.

    ``schedule``: None for equal intervals, or when tuples come: (int64 array of ns, ns of a period), see ``arrival``.
    """

    def __cinit__(self, Source source, Egress egress, int64_t unit_size, int64_t credit, double rate=0.0,
                  tuple schedule=None):
        cdef int64_t i
        if unit_size < 1 or credit < 1 or credit & (credit - 1):
            raise ValueError("unit_size must be at least 1 and credit a power of two")
        self.source = source
        self.egress = egress
        self.unit_size = unit_size
        self.rate = rate
        self.kept = schedule
        self.schedule = arrival.schedule_of(schedule)
        total = source.total()
        self.total = ENDLESS if total is None else total
        self.mask = credit - 1
        self.units = <Unit*>calloc(credit, sizeof(Unit))
        if self.units is NULL:
            raise MemoryError()
        for i in range(credit):
            init_unit(&self.units[i])
        self.allowed = new_counters(1)
        self.allowed.value.store(credit)
        self.lock = new_counters(1)
        self.next_serial = new_counters(1)
        self.ended = new_counters(1)
        self.position = new_counters(1)
        self.saturated = new_counters(1)
        self.started = nanoseconds()

    def __dealloc__(self):
        cdef int64_t i
        if self.units is not NULL:
            for i in range(self.mask + 1):
                clear_unit(&self.units[i])
            free(self.units)
        delete_counters(self.allowed)
        delete_counters(self.lock)
        delete_counters(self.next_serial)
        delete_counters(self.ended)
        delete_counters(self.position)
        delete_counters(self.saturated)

    cdef bint try_lock(self) noexcept nogil:
        look(ADMISSION, self.lock)
        if self.lock.value.load(memory_order_relaxed) != 0:     # a look first: a failed exchange moves the line
            return False
        yield_point()
        touch(ADMISSION, self.lock)
        if self.lock.value.exchange(1, memory_order_acquire) != 0:          # pairs with unlock
            return False
        take_hold(ADMISSION, 0, self.lock)
        return True

    cdef void unlock(self) noexcept nogil:
        yield_point()
        touch(ADMISSION, self.lock)
        let_go(ADMISSION, 0, self.lock)
        self.lock.value.store(0, memory_order_release)

    cdef void begin_whole(self) noexcept nogil:
        """The worker that has the lock goes on with it as the one that has the whole pipeline."""
        let_go(ADMISSION, 0, self.lock)
        take_hold(TURN, 0, self.position)

    cdef void end_whole(self) noexcept nogil:
        """And returns the lock."""
        let_go(TURN, 0, self.position)
        take_hold(ADMISSION, 0, self.lock)
        self.unlock()

    cdef bint has_credit(self) noexcept nogil:
        look(SINK, self.egress.done)
        look(ADMISSION, self.next_serial)
        # Acquire pairs with the egress's release of `done`: the slot's last unit is finished with.
        return (self.next_serial.value.load(memory_order_relaxed)
                - self.egress.done.value.load(memory_order_acquire)) < self.allowed.value.load(memory_order_relaxed)

    cdef Unit* next_unit(self) noexcept nogil:
        """Under the lock, with credit: the slot of the next serial number, emptied."""
        cdef int64_t serial = self.next_serial.value.load(memory_order_relaxed)
        cdef Unit* unit = &self.units[serial & self.mask]
        if not unit.used:
            self.lend_memory(unit, serial)
        begin_unit(unit, serial)
        unit.used = True
        return unit

    cdef void lend_memory(self, Unit* unit, int64_t serial) noexcept nogil:
        """Give a slot that has never been used the memory of the one that came to rest last: it is warm, and
        memory that is touched for the first time costs more than its tuples. So no more units have memory than
        have been under way at once.
        """
        # Acquire as in `has_credit`: slots of the ring's serial numbers before `done` are at
        # rest, and the ingress's own.
        cdef int64_t other = self.egress.done.value.load(memory_order_acquire) - 1
        cdef int64_t last = max(<int64_t>0, serial - self.mask)
        while other >= last and not self.units[other & self.mask].used:
            other -= 1
        if other >= last:
            take_memory(unit, &self.units[other & self.mask])

    cdef int64_t until_due(self) noexcept nogil:
        """Nanoseconds until the next tuple is due: 0 or less where it is late, or where no rate says when it comes."""
        if self.rate == 0.0:
            return 0
        return arrival.until_due(self.started, self.rate, &self.schedule,
                                 self.position.value.load(memory_order_relaxed))

    cdef int64_t arrived(self) noexcept nogil:
        return arrival.arrived(self.started, self.rate, &self.schedule, self.position.value.load(memory_order_relaxed))

    cdef int64_t there(self) noexcept nogil:
        """Tuples that may be taken in now; without a rate, as far as is known here."""
        return self.arrived() if self.rate != 0.0 else self.unit_size

    cdef int64_t there_soon(self, int64_t patience) noexcept nogil:
        """As ``there``; a tuple that is due within ``patience`` ns is waited for, awake, as a loop would."""
        cdef int64_t n = self.there()
        if n > 0 or self.until_due() > patience:
            return n
        while n <= 0 and self.egress.stopped.value.load(memory_order_relaxed) == 0:
            n = self.arrived()
        return n

    cdef int64_t waiting(self) noexcept nogil:
        """The worklist of the first operator: tuples that have arrived and are not admitted;
        a guess without the lock."""
        return self.arrived() if self.rate != 0.0 else self.total - self.position.value.load(memory_order_relaxed)

    cdef bint is_too_little(self) noexcept nogil:
        """Under the lock, at a rate: should what has arrived wait, because too many tuples are
        under way in too many units?

        Behind a large unit all credit would go to tiny ones: their workers would be idle until it is done, the stream
        would meanwhile make the next large one, and so for ever. What is left waiting could not overtake what is under
        way. So most of the units may share it evenly, and the last ones must each be as large as all before them.
        """
        cdef int64_t allowed = self.allowed.value.load(memory_order_relaxed)
        cdef int64_t units = (self.next_serial.value.load(memory_order_relaxed)
                              - self.egress.done.value.load(memory_order_relaxed))
        cdef int64_t tuples = (self.position.value.load(memory_order_relaxed)
                               - self.egress.tuples.value.load(memory_order_relaxed))
        cdef int64_t arrived = self.arrived()
        return arrived < self.unit_size and arrived * allowed < tuples * (2 if 4 * units < 3 * allowed else allowed)

    cdef int64_t admit(self, Unit* unit, int64_t at_most) noexcept nogil:
        """Under the lock: give the unit its next tuples, of those that are there; as ``Source.claim``."""
        cdef int64_t n
        if self.egress.token.ending.value.load(memory_order_relaxed) != LASTS:
            return -1
        if at_most <= 0:
            return 0
        touch(ADMISSION, self.position)     # and what else is guarded: it all comes at a time
        begin_work(ADMIT, 0, unit, at_most)
        n = self.source.claim(unit, at_most)
        end_work(ADMIT, 0, 0, unit, at_most)
        if n > 0:
            touch(ADMISSION, self.next_serial)
            unit.first = self.position.value.load(memory_order_relaxed)
            unit.arrived = n
            self.egress.mark(unit)
            self.position.value.store(unit.first + n, memory_order_relaxed)
            self.next_serial.value.store(unit.serial + 1, memory_order_relaxed)
        return n

    cdef void fill(self, Unit* unit) noexcept nogil:
        """Write the tuples that the unit was given; without the lock, too."""
        begin_work(FILL, 0, unit, unit.arrived)
        self.source.fill(unit)
        end_work(FILL, 0, 0, unit, unit.arrived)

    cdef void note_saturation(self, int64_t n) noexcept nogil:
        """Under the lock: the last unit has ``n`` tuples; is more waiting than is taken in?"""
        cdef bint full = n == self.unit_size and (self.rate == 0.0 or self.arrived() > BACKLOG * n)
        if self.saturated.value.load(memory_order_relaxed) != full:     # a look first: it is read by all
            touch(ADMISSION, self.saturated)
            self.saturated.value.store(full, memory_order_relaxed)

    cdef bint finished(self) noexcept nogil:
        """Has everything that will ever be admitted reached the sink?"""
        return (self.ended.value.load(memory_order_acquire) != 0
                and self.egress.done.value.load(memory_order_acquire)
                == self.next_serial.value.load(memory_order_relaxed))
