"""Times a ScaleGate with one reader: the sources fed by one thread, and read by another or by the same."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport atomic
from streambench.pyx.join.manual_scale_gate import make_scale_gate
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.scale_gate cimport ENDED, ScaleGate
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.threads cimport pause_briefly, pin_to_core, thread, yield_core
from streambench.pyx.tuples.columns cimport Columns

cdef enum:
    LONGEST = 63                        # pauses of a reader
    SPINS = 64                          # then yield: the other thread may be waiting for this very core
    MOST_SOURCES = 64
    READ = 64                           # tuples of a read


cdef class TimedGate:
    """``times``: each source's, equally long, sorted; a tuple has one more value, 8 bytes, which is its sequence.

    ``batch``: tuples that the feeder adds to one source, then to the next; one of 1 is added by ``add``.
    """

    cdef ScaleGate gate
    cdef list times
    cdef const int64_t* time_at[MOST_SOURCES]
    cdef int64_t each, batch
    cdef object numbers
    cdef Columns rows
    cdef int64_t done[MOST_SOURCES]
    cdef uint64_t sum, place
    cdef atomic[int64_t] arrived
    cdef int core[2]

    def __init__(self, kind, list times, numbers, int64_t batch, int64_t capacity=4096):
        cdef int32_t source
        self.gate = make_scale_gate(kind, [("int64",)] * len(times), 1, capacity)
        self.times, self.numbers, self.batch, self.each = times, numbers, batch, len(numbers)
        self.rows.column[0] = <int64_t*><size_t>numbers.ctypes.data
        for source in range(self.gate.sources):
            self.time_at[source] = <const int64_t*><size_t>times[source].ctypes.data

    cdef bint feed(self) noexcept nogil:
        """A batch for each source, as far as there is room; False once all is in and closed."""
        cdef bint more = False
        cdef int32_t source
        cdef int64_t done, n
        for source in range(self.gate.sources):
            done = self.done[source]
            if done == self.each:
                continue
            n = min(self.batch, self.each - done)
            if self.batch == 1:
                n = self.gate.add(source, self.time_at[source][done], <const char*>(self.rows.column[0] + done)) == 0
            else:
                n = self.gate.add_rows(source, self.time_at[source], &self.rows, done, n)
            self.done[source] = done + n
            if done + n == self.each:
                self.gate.close(source)
            more = True
        return more

    cdef int64_t take(self) noexcept nogil:
        cdef Ready ready[READ]
        cdef int64_t n = self.gate.next_ready(0, ready, READ), i
        for i in range(n):
            self.place += 1
            self.sum += self.place * <uint64_t>(ready[i].ts + ready[i].source + (<const int64_t*>ready[i].values)[0])
        return n

    cdef void meet(self) noexcept nogil:
        self.arrived.fetch_add(1)
        while self.arrived.load() < 2:
            pause_briefly()

    cdef void feed_all(self) noexcept nogil:
        cdef int64_t before, spins = 0
        pin_to_core(self.core[0])
        self.meet()
        while self.feed():
            spins += 1
            if spins % SPINS == 0:
                yield_core()

    cdef void take_all(self) noexcept nogil:
        cdef int64_t n = 0, vain = 0, i
        pin_to_core(self.core[1])
        self.meet()
        while n != ENDED:
            n = self.take()
            # Who finds little comes back later: to look again at once takes the source's line away from it.
            vain = vain // 2 if n == READ else min(2 * vain + 1, LONGEST)
            for i in range(vain):
                pause_briefly()
            if vain == LONGEST and n == 0:
                yield_core()

    def together(self, list cores):
        """Two threads; seconds, and the sum by which the order can be checked."""
        cdef thread* feeding
        cdef thread* taking
        cdef int64_t begun
        self.core[0], self.core[1] = cores
        begun = nanoseconds()
        feeding = new thread(start_feeding, <void*>self)
        taking = new thread(start_taking, <void*>self)
        with nogil:
            feeding.join()
            taking.join()
            del feeding
            del taking
        return (nanoseconds() - begun) * 1e-9, self.sum

    def alone(self):
        """One thread that feeds and reads in turn; the same."""
        cdef int64_t begun = nanoseconds()
        with nogil:
            while self.feed():
                while self.take() > 0:
                    pass
            while self.take() != ENDED:
                pass
        return (nanoseconds() - begun) * 1e-9, self.sum


cdef void start_feeding(void* timed) noexcept nogil:
    (<TimedGate>timed).feed_all()


cdef void start_taking(void* timed) noexcept nogil:
    (<TimedGate>timed).take_all()
