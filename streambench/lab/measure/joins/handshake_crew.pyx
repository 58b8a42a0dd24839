"""Low-latency handshake join (Roy, Teubner, Gemulla 2014): what the paper measures ScaleJoin
against, on the same windows.

Threads stand in a line. The left side's tuples enter at the first thread and go right, the right side's enter at
the last and go left. Each thread passes a tuple on before it compares it with what it has stored; one of them, in
turn, is the tuple's home and stores it. That a pair does not miss each other between two threads, nor meets twice,
is told in `handshake_windows`.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.join.definition cimport Definition
from streambench.lab.measure.joins.handshake_output cimport HandshakeOutput
from streambench.lab.measure.joins.handshake_windows cimport HandshakeWindows
from streambench.pyx.join.ready_batch cimport EXACT, LEFT, RIGHT, Streams
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.parking cimport wake_all
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.queues.growing_queue cimport GrowingQueue, delete_queues, new_queues, pop_alone, push

cdef enum:
    CREDIT = 32             # by thread: of the tuples of a side that may be in the line
    STEPS_BETWEEN = 64      # looks at what can be let out


cdef class HandshakeCrew(Crew):
    """Joins what ``definition`` says, by the rule ``exact``, with ``threads`` in a line.

    ``credit``: tuples of a side that may be in the line at a time, and by which it may be ahead of the other; 0 for 32
    a thread. Raises ValueError for another rule.
    """

    cdef Definition definition
    cdef HandshakeOutput output
    cdef list windows                   # by thread
    cdef vector[void*] window_pointers
    cdef int64_t credit
    cdef int32_t last                   # thread
    # From thread k to k + 1 and back: twice the row of a tuple. And 1 more: of a right tuple that thread k has got, and
    # of a left tuple whose expedition has ended, on the way home.
    cdef GrowingQueue* rightward
    cdef GrowingQueue* leftward
    cdef PaddedCounter* entered         # by side: its tuples that have come into the line;
                                        # the thread at that end writes
    cdef PaddedCounter* settled         # by thread: left tuples whose expedition has ended, as this
                                        # home of theirs knows; it writes
    cdef PaddedCounter* through         # right tuples that have been at thread 0, which writes
    cdef PaddedCounter* filled          # threads whose windows are full: the line opens when all are

    def __cinit__(self, *args, **kwargs):
        self.entered = new_counters(2)
        self.through = new_counters(1)
        self.filled = new_counters(1)

    def __init__(self, Definition definition, int threads=1, int64_t credit=0, tuple cores=()):
        super().__init__(threads, cores)
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if credit < 0:
            raise ValueError(f"the credit must be at least 1, or 0 for the usual one, not {credit}")
        if definition.streams.rule != EXACT:
            raise ValueError(
                "a handshake join, whose sides do not wait for each other, knows the window rule 'exact' only"
            )
        self.definition = definition
        self.credit = credit or CREDIT * threads
        self.last = threads - 1
        self.output = HandshakeOutput(definition, threads)
        self.settled = new_counters(threads)
        # Tuples, acknowledgements of twice as many at most (a thread takes those that lie before a
        # tuple with it), ends of as many.
        self.rightward = new_queues(threads, 4 * self.credit + 4)
        self.leftward = new_queues(threads, 4 * self.credit + 4)
        self.windows = [HandshakeWindows(definition, number, threads) for number in range(threads)]
        for each in self.windows:
            self.window_pointers.push_back(<void*>each)
        self.open_behind_what_fills()

    cdef int open_behind_what_fills(self) except -1:
        """Tuples that only fill the windows do not come through the line: each thread stores its own."""
        cdef int64_t* rows = (<HandshakeWindows>self.windows[0]).compared_from
        cdef int64_t number
        for number in range(2):
            self.entered[number].value.store(rows[number])
        self.through.value.store(rows[RIGHT])
        for number in range(self.last + 1):
            self.settled[number].value.store((rows[LEFT] - number + self.last) // (self.last + 1))
        return 0

    def __dealloc__(self):
        delete_counters(self.entered)
        delete_counters(self.settled)
        delete_counters(self.through)
        delete_counters(self.filled)
        delete_queues(self.rightward, self.last + 1)
        delete_queues(self.leftward, self.last + 1)

    cdef void work(self, int number) noexcept nogil:
        cdef Streams* streams = &self.definition.streams
        cdef Idle idle = busy(self.parking)
        cdef int64_t* seen = (<HandshakeWindows>self.window_pointers[number]).seen
        cdef int64_t step = 0
        cdef bint from_left, from_right
        (<HandshakeWindows>self.window_pointers[number]).fill()
        self.filled.value.fetch_add(1, memory_order_seq_cst)      # as a promise, for who sleeps
        wake_all(self.parking)
        # What still comes when all tuples have come by, nobody needs.
        while (seen[LEFT] < streams.rows[LEFT] or seen[RIGHT] < streams.rows[RIGHT]) and (
            self.stopped.value.load(memory_order_relaxed) == 0
        ):
            step += 1
            if idle.announced or step % STEPS_BETWEEN == 0:
                self.output.let_out()  # with what an announced sleeper has to see: pairs with the promise below
            from_left = self.take_from_left(number)
            from_right = self.take_from_right(number)
            if from_left or from_right:
                resume(&idle)
                self.output.promise(number, min(self.next_ts(LEFT, seen[LEFT]), self.next_ts(RIGHT, seen[RIGHT])))
                wake_all(self.parking)
            else:
                rest(&idle, 0)
        self.output.promise(number, min(self.next_ts(LEFT, seen[LEFT]), self.next_ts(RIGHT, seen[RIGHT])))
        wake_all(self.parking)
        resume(&idle)

    cdef inline int64_t next_ts(self, int32_t side, int64_t row) noexcept nogil:
        return self.definition.streams.ts[side][row] if row < self.definition.streams.rows[side] else INT64_MAX

    cdef bint take_from_left(self, int number) noexcept nogil:
        """The next tuple of the left side, and acknowledgements before it. False: there was none of them."""
        cdef int64_t message
        cdef bint any = False
        if number == 0:
            return self.enter(LEFT) and self.left_comes(number, self.entered[LEFT].value.load(memory_order_relaxed) - 1)
        while pop_alone(&self.rightward[number - 1], &message):
            if not message & 1:
                return self.left_comes(number, message >> 1)
            (<HandshakeWindows>self.window_pointers[number]).acknowledge()
            any = True
        return any

    cdef bint take_from_right(self, int number) noexcept nogil:
        cdef int64_t message
        cdef bint any = False
        if number == self.last:
            return (self.enter(RIGHT)
                    and self.right_comes(number, self.entered[RIGHT].value.load(memory_order_relaxed) - 1))
        while pop_alone(&self.leftward[number], &message):
            if not message & 1:
                return self.right_comes(number, message >> 1)
            self.ended(number, message >> 1)
            any = True
        return any

    cdef bint enter(self, int32_t side) noexcept nogil:
        """The side's next tuple comes into the line, if there is credit, and the other side is not far behind."""
        cdef int64_t row = self.entered[side].value.load(memory_order_relaxed)
        if self.filled.value.load(memory_order_acquire) <= self.last:      # for no clock to run while others fill
            return False
        if row == self.definition.streams.rows[side] or row - self.gone(side) >= self.credit:
            return False
        # The earliest of what has not entered yet always may.
        if row >= self.credit and self.definition.streams.ts[side][row - self.credit] > self.next_ts(
            1 - side, self.entered[1 - side].value.load(memory_order_acquire)
        ):
            return False
        self.entered[side].value.store(row + 1, memory_order_release)
        return True

    cdef int64_t gone(self, int32_t side) noexcept nogil:
        """How many of the side's tuples no queue holds any more: neither them nor, of left ones, the
        message that they have ended."""
        cdef int32_t thread
        cdef int64_t n = 0
        if side == RIGHT:
            return self.through.value.load(memory_order_acquire)
        for thread in range(self.last + 1):
            n += self.settled[thread].value.load(memory_order_acquire)
        return n

    cdef bint left_comes(self, int number, int64_t row) noexcept nogil:
        if number < self.last:
            self.send(&self.rightward[number], 2 * row)
        yield_point()
        (<HandshakeWindows>self.window_pointers[number]).left_comes(row)
        self.put(number, LEFT, row)
        if number == self.last:
            self.ended(number, row)
        return True

    cdef bint right_comes(self, int number, int64_t row) noexcept nogil:
        if number > 0:
            self.send(&self.leftward[number - 1], 2 * row)
        if number < self.last and row % (self.last + 1) <= number:  # the right neighbour has it among those in flight
            self.send(&self.rightward[number], 2 * row + 1)
        yield_point()
        (<HandshakeWindows>self.window_pointers[number]).right_comes(row)
        self.put(number, RIGHT, row)
        if number == 0:
            self.through.value.store(row + 1, memory_order_release)
        return True

    cdef void ended(self, int number, int64_t row) noexcept nogil:
        """The left tuple has been at all threads, which its home learns."""
        if row % (self.last + 1) != number:
            self.send(&self.leftward[number - 1], 2 * row + 1)
            return
        (<HandshakeWindows>self.window_pointers[number]).end_expedition()
        self.settled[number].value.store(row // (self.last + 1) + 1, memory_order_release)

    cdef inline void send(self, GrowingQueue* queue, int64_t message) noexcept nogil:
        while not push(queue, message):         # never full: credit
            pass

    cdef void put(self, int number, int32_t side, int64_t row) noexcept nogil:
        """Hand over what the tuple has been found to be one with."""
        cdef size_t i
        cdef int64_t other
        for i in range((<HandshakeWindows>self.window_pointers[number]).found.size()):
            other = (<HandshakeWindows>self.window_pointers[number]).found[i].row
            self.output.put(number, row if side == LEFT else other, other if side == LEFT else row)
        (<HandshakeWindows>self.window_pointers[number]).found.clear()

    cdef int64_t progress(self) noexcept nogil:
        """Tuples that have been through the whole line."""
        return self.gone(LEFT) + self.gone(RIGHT)

    def matches(self):
        """After ``run``: the matches' rows of the left and of the right side, in order."""
        return self.output.rows()

    @property
    def compared(self) -> list:
        """By thread, how many pairs it has looked at."""
        return [(<HandshakeWindows>each).compared for each in self.windows]

    @property
    def comparing_seconds(self) -> float:
        """After ``run``: from when a thread first compared (see ``compared_from`` of `Definition`)
        to the return of the last."""
        return (self.ended_ns - min((<HandshakeWindows>each).comparing_ns for each in self.windows)) * 1e-9
