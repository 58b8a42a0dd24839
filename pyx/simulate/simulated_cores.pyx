"""A machine of any number of cores, simulated: each worker of a crew has a core of its own.

The workers are the runtime's own: its loop, its scheduler, its queues and reorder buffers run as they are, on real tuples.
Each worker is a fiber of one thread. What it says of itself (``machine.simulated``) is given a time: work takes what a
profile run measured; a cache line takes its way from the core that wrote it last, and cores that want the same line wait
for one another; who sleeps is woken late. A fiber goes on while no other one is due before it, so all that workers see of
each other they see in the order of simulated time. The same costs and seed give the same run.
"""

from cpython.exc cimport PyErr_CheckSignals
from cython.operator cimport dereference
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.clock cimport nanoseconds, ticks, ticks_per_second
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.simulated cimport (
    A_PAUSE, A_YIELD, ADMISSION, AN_ACCOUNT, APPLY, FILL, PROCESS, READ_WITH_OTHERS, WRITTEN, SimulatedMachine)
from streambench.pyx.simulate.clock_read cimport clock_read
from streambench.pyx.simulate.costs cimport STATE_MOVED, UNIT_MOVED, UNKNOWN, Costs, Sample
from streambench.pyx.simulate.events cimport Event, Events
from streambench.pyx.simulate.fibers cimport Fiber, begin_fiber, delete_fibers, new_fibers, switch_fiber
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY
from streambench.pyx.machine.simulated import Line

# What a machine takes that is not told: nothing, and a lock goes to a sleeper as fast as any is woken.
NEGLIGIBLE = {"wake_call": 0.0, "hand_over": None, "memory": 0.0, "interrupted_every": 0.0, "interruption": 0.0}

cpdef enum:
    MOST_CORES = 256            # as many as a line's readers are known of

cdef enum:
    NOBODY = -1
    LINE_BYTES = 64
    SHORTEST = 1                # ns that a wait lasts
    AT_ONCE = 200_000           # events from one look at signals to the next
    ROUNDED_TO = 100_000_000    # ticks of a second
    MOST_PIECES = 1 << 18       # of timed work that are kept

cdef int64_t UNTIL_ROUSED = <int64_t>1 << 60    # ns: so long sleeps who waits for a lock


cdef struct Core:
    double now                  # ns since the start
    double busy                 # ns of work, with what the runtime takes for it
    double waited               # ns for cache lines that others had
    double idle                 # ns without anything to do
    double interrupted          # ns for which others had the core
    double interrupt_at         # ns: then they have it again
    bint by_lock                # it sleeps for a lock, not for work
    int64_t stamp               # of its entry in the events that counts
    double during               # ns of the piece of work that it has begun (below 0: known at its end), and
    double fetched              # of the lines that it reads for that
    int64_t begun               # the tick at which it did, of work that is timed
    int moved                   # and which of its data another core has
    const void* asleep_at       # NULL: awake
    int64_t since               # which entry into the events was its falling asleep
    bint starved                # out of memory


cdef struct Piece:              # of work, that was timed
    int64_t kind
    int64_t place
    int64_t tuples
    double during               # ns


cdef struct CacheLine:
    double free_at              # ns: until then others are served
    double taken                # ns for which it was on its way
    int kind                    # of Line, plus 1; 0: nobody has ever wanted it
    int writer
    uint64_t readers[4]         # a bit for each core that has it as it is


cdef struct Holding:
    # Of what one worker at a time can have.
    int kind                    # of Line
    int32_t place               # of the operator, of a turn
    double since                # ns: of who has it, or had it last
    double taken                # ns for which anybody had it


cdef struct Times:
    # What the machine takes, in ns.
    double near_line            # a line's way from another core
    double far_line             # and from a core of another socket
    double stream_line          # a line of a unit that another core wrote: many are on their way at a time
    double pause
    double to_yield
    double wake_up              # from the call that wakes a sleeper until that runs
    double account              # to ask the system how long a thread has waited
    double wake_call            # of the call itself
    double hand_over            # of a lock to a sleeper: from its release until the sleeper has it
    double memory               # bytes a ns that all cores together read from memory; 0: as much as they like
    double interrupted_every    # from one interruption of a core by others to the next, on the average; 0: never
    double interruption         # on the average


cdef class SimulatedCores(SimulatedMachine):
    """``times``: ns by the names of ``Times``. ``per_socket``: cores that are near each other. ``seed``: of what is drawn.

    ``timed``: a kind of work of which nothing is drawn but the real time taken and kept, see ``rows``: what only many workers do
    cannot be had from a profile of one. -1: none.

    After a run: ``seconds`` that the machine took, ``events`` it had, and where its time went. One run each.
    """

    cdef Costs costs
    cdef Times times
    cdef int per_socket
    cdef uint64_t random
    cdef int workers
    cdef int timed
    cdef int64_t clock_takes        # ticks
    cdef vector[Piece] pieces       # of the kind that is timed
    cdef vector[Core] cores
    cdef Events happening
    cdef Fiber* fibers              # the workers', and behind them the calling thread's
    cdef int here                   # the core that goes on just now; NOBODY: the calling thread does
    cdef int64_t entered            # into the events, ever
    cdef int64_t until              # events: then the calling thread looks up
    cdef Crew crew
    cdef int64_t begun_ticks
    cdef double ticks_per_ns
    cdef readonly double ticks_of_a_second          # rounded: a rate as measured would differ from process to process
    cdef unordered_map[uint64_t, CacheLine] lines
    cdef unordered_map[uint64_t, Holding] held
    cdef unordered_map[uint64_t, int] unit_at       # the core that wrote a unit last
    cdef unordered_map[uint64_t, int] state_at      # and an operator's state, of a partition
    cdef double memory_free_at                      # ns: until then others read from memory
    cdef double memory_taken                        # ns
    cdef uint64_t noise                             # interruptions are drawn by it
    cdef double in_operator[MAX_OPERATORS]          # ns of work, one worker at a time or not
    cdef unordered_map[uint64_t, double] in_partition
    cdef readonly int64_t events
    cdef readonly int64_t unknown   # pieces of work, of which the costs know nothing
    cdef readonly double seconds
    cdef readonly tuple markers     # as Egress.markers, seconds since the start; None: the crew has no egress

    def __init__(self, Costs costs not None, dict times, int per_socket=MOST_CORES, uint64_t seed=1, int timed=-1):
        if per_socket < 1:
            raise ValueError(f"a socket has at least 1 core, not {per_socket}")
        self.costs = costs
        cdef Times known
        given = {**NEGLIGIBLE, **times}
        if given["hand_over"] is None:
            given["hand_over"] = given["wake_up"]
        known = given
        self.times = known
        self.per_socket = per_socket
        self.random = seed
        self.here = NOBODY
        self.noise = seed + 1
        self.ticks_of_a_second = max(ROUNDED_TO, round(ticks_per_second() / ROUNDED_TO) * ROUNDED_TO)
        self.ticks_per_ns = self.ticks_of_a_second * 1e-9
        self.timed = timed
        self.clock_takes = clock_read()

    def __dealloc__(self):
        delete_fibers(self.fibers, self.workers + 1 if self.fibers is not NULL else 0)

    def run_crew(self, crew, watch):
        """Simulate all workers to their end. ``watch`` as of ``Crew.run``. Raises MemoryError as that does."""
        cdef Crew run = crew
        cdef int k
        cdef bint starved = False
        if self.fibers is not NULL:
            raise RuntimeError("this machine has run: make another")
        if run.workers > MOST_CORES:
            raise ValueError(f"at most {MOST_CORES} cores can be simulated, not {run.workers}")
        self.crew = run
        self.workers = run.workers
        self.cores.resize(self.workers)
        self.fibers = new_fibers(self.workers + 1)
        run.begun_ns = nanoseconds()
        run.begun_ticks = self.begun_ticks = ticks()
        run.begin()
        for k in range(self.workers):
            begin_fiber(&self.fibers[k], live, <void*>self)
            self.cores[k].interrupt_at = self.exponential(self.times.interrupted_every)
            self.enter(k, 0.0)
        try:
            while self.go_on():
                if watch is not None:
                    watch(run.progress())
                PyErr_CheckSignals()
        except BaseException:
            run.token.stop()
            while self.go_on():
                pass
            raise
        for k in range(self.workers):
            self.seconds = max(self.seconds, self.cores[k].now * 1e-9)
        run.ended_ns = run.begun_ns + <int64_t>(self.seconds * 1e9)
        for k in range(self.workers):
            run.accounts.append((<int64_t>self.cores[k].busy, 0, 0))
            starved = starved or self.cores[k].starved
        egress = getattr(crew, "egress", None)
        if egress is not None:
            index, *at = egress.markers()
            self.markers = (index, *((each - self.begun_ticks) / (self.ticks_per_ns * 1e9) for each in at))
        self.crew = None
        if starved:
            raise MemoryError(OUT_OF_MEMORY)

    cdef bint go_on(self):
        """For a while, until all workers have returned: then False."""
        cdef int first
        self.until = self.events + AT_ONCE
        with nogil:
            first = self.next_core()
            if first != NOBODY:
                self.here = first
                switch_fiber(&self.fibers[self.workers], &self.fibers[first])
                self.here = NOBODY
        return first != NOBODY

    def where(self) -> dict:
        """Return the shares of the run's time, from 0 to 1, for which what can saturate was taken.

        ``workers``: on the average at work; ``waited``: for lines; ``idle``. ``operators``: by place, ns of work per ns of
        the run, so more than 1 where several workers are in it. ``partition``: by place, the one that was worked in
        longest. ``lines``: by name of the kind, the one line that was longest on its way. ``lock``: admission's, for which
        anybody had it; ``turns``: by place, of the segment that begins there or of its busiest shard. ``memory``: for which
        it was read by any core; ``interrupted``: for which others had the cores.
        """
        cdef double span = self.seconds * 1e9, busy = 0, waited = 0, idle = 0, interrupted = 0
        cdef pair[uint64_t, CacheLine] line
        cdef pair[uint64_t, double] part
        cdef pair[uint64_t, Holding] holding
        cdef int k
        cdef double lock = 0
        names = [each.name.lower() for each in Line]
        lines = dict.fromkeys(names, 0.0)
        partition, turns = {}, {}
        if span <= 0:
            raise RuntimeError("nothing has been run")
        for k in range(self.workers):
            busy += self.cores[k].busy
            waited += self.cores[k].waited
            idle += self.cores[k].idle
            interrupted += self.cores[k].interrupted
        for line in self.lines:
            name = names[line.second.kind - 1]
            lines[name] = max(lines[name], line.second.taken / span)
        for part in self.in_partition:
            k = <int>(part.first >> 32)
            partition[k] = max(partition.get(k, 0.0), part.second / span)
        for holding in self.held:
            if holding.second.kind == ADMISSION:
                lock = max(lock, holding.second.taken / span)
            else:
                turns[holding.second.place] = max(turns.get(holding.second.place, 0.0), holding.second.taken / span)
        return {"workers": busy / span / self.workers, "waited": waited / span / self.workers,
                "idle": idle / span / self.workers, "interrupted": interrupted / span / self.workers,
                "memory": self.memory_taken / span, "lines": lines, "partition": partition, "lock": lock, "turns": turns,
                "operators": [self.in_operator[k] / span for k in range(MAX_OPERATORS)]}

    cdef void enter(self, int core, double at) noexcept nogil:
        """The core goes on then, and not when it was to before."""
        cdef Event event
        self.entered += 1
        self.cores[core].stamp += 1
        event.at = at
        event.number = self.entered
        event.stamp = self.cores[core].stamp
        event.core = core
        self.happening.push(event)

    cdef int next_core(self) noexcept nogil:
        """Who goes on first, taken out of the events, at its time; NOBODY: all have returned."""
        cdef Event event
        while not self.happening.empty():
            event = self.happening.top()
            self.happening.pop()
            if event.stamp == self.cores[event.core].stamp:
                self.cores[event.core].now = event.at
                return event.core
        return NOBODY

    cdef void give_way(self) noexcept nogil:
        """The core that goes on just now has entered when it goes on again: others first."""
        cdef int me = self.here, other = self.workers
        if self.events < self.until:
            other = self.next_core()
        if other != me:
            self.here = other
            switch_fiber(&self.fibers[me], &self.fibers[other])

    cdef void take(self, double ns) noexcept nogil:
        """The core that goes on just now is at it so long."""
        cdef Core* core = &self.cores[self.here]
        cdef double at = core.now + ns, span
        if self.times.interrupted_every > 0:
            while core.interrupt_at < at:
                span = self.exponential(self.times.interruption)
                core.interrupted += span
                at += span
                core.interrupt_at += span + self.exponential(self.times.interrupted_every)
        self.events += 1
        if self.events < self.until and (self.happening.empty() or self.happening.top().at > at):
            core.now = at
            return
        self.enter(self.here, at)
        self.give_way()

    cdef double exponential(self, double mean) noexcept nogil:
        """Drawn by chance, as long on the average."""
        self.noise = self.noise * <uint64_t>0x5851F42D4C957F2D + <uint64_t>0x14057B7EF767814F
        return -mean * log(((self.noise >> 11) + 1) * (1.0 / 9007199254740992.0))

    cdef double way(self, int one, int other) noexcept nogil:
        return self.times.near_line if one // self.per_socket == other // self.per_socket else self.times.far_line

    cdef int64_t clock(self) noexcept nogil:
        if self.here == NOBODY:
            return ticks()
        return self.begun_ticks + <int64_t>(self.cores[self.here].now * self.ticks_per_ns)

    cdef int64_t clock_ns(self) noexcept nogil:
        return nanoseconds() if self.here == NOBODY else self.crew.begun_ns + <int64_t>self.cores[self.here].now

    cdef void begin_work(self, int kind, int32_t place, const void* unit, int64_t tuples, int64_t bytes) noexcept nogil:
        cdef unordered_map[uint64_t, int].iterator found
        cdef int before, moved
        cdef double fetched = 0.0, farther
        if self.here == NOBODY:
            return
        if kind == self.timed or tuples < 0:
            self.cores[self.here].during = -1.0
            self.cores[self.here].begun = ticks()
            return
        found = self.unit_at.find(<uint64_t>unit)
        before = self.here if unit is NULL or found == self.unit_at.end() else dereference(found).second
        moved = UNIT_MOVED if before != self.here else 0
        cdef Sample drawn = self.costs.draw(kind, place, tuples, moved, &self.random)
        cdef Core* core = &self.cores[self.here]
        self.unknown += drawn.tuples == UNKNOWN and tuples > 0
        if moved and bytes > 0:
            farther = self.way(self.here, before) / self.times.near_line if self.times.near_line > 0 else 1.0
            if drawn.moved & UNIT_MOVED:        # what a near core's costs is in what was drawn
                farther -= 1.0
            fetched = ((bytes + LINE_BYTES - 1) // LINE_BYTES) * self.times.stream_line * farther
        core.during = drawn.during
        core.moved = moved
        core.fetched = fetched
        core.busy += drawn.before
        self.in_operator[place] += drawn.before
        self.take(drawn.before)

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        cdef Core* core
        cdef uint64_t state = <uint64_t>place << 32 | <uint64_t>part
        cdef unordered_map[uint64_t, int].iterator found
        if self.here == NOBODY:
            return
        core = &self.cores[self.here]
        if core.during < 0:
            self.end_unknown(kind, place, tuples)
            return
        if unit is not NULL and (kind == PROCESS or kind == APPLY):
            found = self.state_at.find(state)
            if found != self.state_at.end() and dereference(found).second != self.here:
                core.during = self.costs.draw(kind, place, tuples, core.moved + STATE_MOVED, &self.random).during
            self.state_at[state] = self.here
        if kind == FILL and unit is not NULL and self.times.memory > 0:
            core.fetched += self.from_memory(tuples * row_bytes(<const Unit*>unit))
        if kind == PROCESS:             # what the others read of the unit is where it was
            self.in_partition[state] += core.during
        else:
            self.unit_at[<uint64_t>unit] = self.here
        core.busy += core.during
        core.waited += core.fetched
        self.in_operator[place] += core.during
        self.take(core.during + core.fetched)

    cdef double from_memory(self, int64_t bytes) noexcept nogil:
        """The core that goes on just now reads so much of the stream in the work that it has begun: how much longer that
        takes because others read, too."""
        cdef Core* core = &self.cores[self.here]
        cdef double takes = bytes / self.times.memory
        self.memory_free_at = max(core.now, self.memory_free_at) + takes
        self.memory_taken += takes
        return max(0.0, self.memory_free_at - core.now - core.during)

    cdef void take_hold(self, int kind, int32_t place, const void* thing) noexcept nogil:
        cdef Holding* holding
        if self.here == NOBODY:
            return
        holding = &self.held[<uint64_t>thing | <uint64_t>place << 56]
        holding.kind = kind
        holding.place = place
        holding.since = self.cores[self.here].now

    cdef void let_go(self, int kind, int32_t place, const void* thing) noexcept nogil:
        cdef Holding* holding
        if self.here == NOBODY:
            return
        holding = &self.held[<uint64_t>thing | <uint64_t>place << 56]
        holding.taken += self.cores[self.here].now - holding.since

    cdef void touch(self, int kind, const void* address, int how) noexcept nogil:
        cdef CacheLine* line
        cdef Core* core
        cdef uint64_t own
        cdef uint64_t* readers
        cdef bint here
        cdef int k
        cdef bint written = how == WRITTEN
        cdef double way, begun
        if self.here == NOBODY:
            return
        line = &self.lines[<uint64_t>address]
        core = &self.cores[self.here]
        own = <uint64_t>1 << (self.here & 63)
        readers = &line.readers[self.here >> 6]
        here = (readers[0] & own) != 0
        if line.kind == 0:              # the first who ever wants it
            line.kind = kind + 1
            line.writer = self.here
            readers[0] = own
            return
        if here and (not written or self.alone(line)):
            line.writer = self.here if written else line.writer
            return
        way = self.way(self.here, line.writer)
        if how == READ_WITH_OTHERS and self.times.near_line > 0:
            way *= min(1.0, self.times.stream_line / self.times.near_line)
        begun = max(core.now, line.free_at)
        line.free_at = begun + way
        line.taken += way
        if written:
            for k in range(4):
                line.readers[k] = 0
            line.writer = self.here
        readers[0] |= own
        core.waited += line.free_at - core.now
        self.take(line.free_at - core.now)

    cdef void end_unknown(self, int kind, int32_t place, int64_t tuples) noexcept nogil:
        """What the work takes was not known when it was begun."""
        cdef Core* core = &self.cores[self.here]
        cdef Sample drawn
        if kind == self.timed:
            core.during = max(<int64_t>0, ticks() - core.begun - self.clock_takes) / self.ticks_per_ns
            if <int64_t>self.pieces.size() < MOST_PIECES:
                self.pieces.push_back(Piece(kind, place, tuples, core.during))
        else:
            drawn = self.costs.draw(kind, place, tuples, 0, &self.random)
            core.during = drawn.before + drawn.during
        core.busy += core.during
        self.in_operator[place] += core.during
        self.take(core.during)

    cdef void post(self, int kind, const void* address) noexcept nogil:
        """The line's others lose it as soon as it is free; the core's buffer of stores waits for that, the core does not."""
        cdef CacheLine* line
        cdef double way
        cdef int k
        if self.here == NOBODY:
            return
        line = &self.lines[<uint64_t>address]
        if line.kind == 0:
            line.kind = kind + 1
        elif not self.alone(line):
            way = self.way(self.here, line.writer)
            line.free_at = max(self.cores[self.here].now, line.free_at) + way
            line.taken += way
        for k in range(4):
            line.readers[k] = 0
        line.readers[self.here >> 6] = <uint64_t>1 << (self.here & 63)
        line.writer = self.here

    cdef void survey(self, int kind, const void* first, int64_t apart, int64_t n) noexcept nogil:
        """Each line is a queue as ever; the next one is asked for when it would follow in a stream."""
        cdef Core* core
        cdef uint64_t own
        cdef CacheLine* line
        cdef double asked, there, way
        cdef int64_t k
        if self.here == NOBODY:
            return
        core = &self.cores[self.here]
        own = <uint64_t>1 << (self.here & 63)
        asked = there = core.now
        for k in range(n):
            line = &self.lines[<uint64_t>first + <uint64_t>(k * apart)]
            if line.kind == 0:
                line.kind = kind + 1
                line.writer = self.here
            elif line.readers[self.here >> 6] & own == 0:
                way = self.way(self.here, line.writer)
                line.free_at = max(asked, line.free_at) + way
                line.taken += way
                there = max(there, line.free_at)
                asked += self.times.stream_line
            line.readers[self.here >> 6] |= own
        if there > core.now:
            core.waited += there - core.now
            self.take(there - core.now)

    cdef void fetch(self, int64_t bytes) noexcept nogil:
        cdef double span = (bytes + LINE_BYTES - 1) // LINE_BYTES * self.times.stream_line
        if span > 0 and self.here != NOBODY:
            self.cores[self.here].waited += span
            self.take(span)

    def rows(self):
        """Return what ``Costs`` is made of, of the pieces of work that were timed."""
        cdef Py_ssize_t k, n = self.pieces.size()
        work, spans = np.zeros((n, 4), dtype=np.int64), np.zeros((n, 2), dtype=np.float64)
        for k in range(n):
            work[k, :3] = self.pieces[k].kind, self.pieces[k].place, self.pieces[k].tuples
            spans[k, 1] = self.pieces[k].during
        return work, spans

    cdef bint alone(self, const CacheLine* line) noexcept nogil:
        """Does nobody but the core that goes on just now, which has it, have the line?"""
        cdef int k
        for k in range(4):
            if line.readers[k] != (<uint64_t>1 << (self.here & 63) if k == self.here >> 6 else 0):
                return False
        return True

    cdef void live_here(self, void (*work)(void*) noexcept nogil) noexcept nogil:
        """A worker's life, on its fiber, which is left for good."""
        cdef int me = self.here, other
        self.cores[me].starved = not has_memory(work, <void*>self)
        if self.cores[me].starved:
            self.crew.token.stop()
        other = self.next_core()
        if other == NOBODY:
            other = self.workers
        self.here = other
        switch_fiber(&self.fibers[me], &self.fibers[other])

    cdef bint spend(self, int64_t ns) noexcept nogil:
        cdef double span = self.times.pause if ns == A_PAUSE else self.times.to_yield if ns == A_YIELD else ns
        if self.here == NOBODY:
            return False
        if ns == AN_ACCOUNT:
            self.cores[self.here].busy += self.times.account
            self.take(self.times.account)
            return True
        span = max(span, SHORTEST)              # who waits for another one lets time pass
        self.cores[self.here].idle += span
        self.take(span)
        return True

    cdef bint sleep(self, const void* address, int64_t ns) noexcept nogil:
        cdef Core* core
        cdef double begun
        if self.here == NOBODY:
            return False
        core = &self.cores[self.here]
        begun = core.now
        self.events += 1
        core.asleep_at = address
        core.by_lock = ns >= UNTIL_ROUSED
        self.enter(self.here, begun + ns)
        core.since = self.entered
        self.give_way()
        core.asleep_at = NULL
        core.idle += core.now - begun
        return True

    cdef bint rouse(self, const void* address, int64_t n) noexcept nogil:
        """Those who have slept longest go on first."""
        cdef int k, longest
        cdef bint called = False
        if self.here == NOBODY:
            return False
        while n > 0:
            longest = NOBODY
            for k in range(self.workers):
                if self.cores[k].asleep_at == address and (longest == NOBODY or self.cores[k].since < self.cores[longest].since):
                    longest = k
            if longest == NOBODY:
                break
            self.cores[longest].asleep_at = NULL
            self.enter(longest, self.cores[self.here].now
                       + (self.times.hand_over if self.cores[longest].by_lock else self.times.wake_up))
            called = True
            n -= 1
        if called:
            self.cores[self.here].busy += self.times.wake_call
            self.take(self.times.wake_call)
        return True


cdef int64_t row_bytes(const Unit* unit) noexcept nogil:
    cdef int64_t bytes = 0
    cdef int32_t k
    for k in range(unit.now.width):
        bytes += size_of(unit.now.layout, k)
    return bytes


cdef void live(void* machine) noexcept nogil:
    (<SimulatedCores>machine).live_here(work)


cdef void work(void* machine) noexcept nogil:
    (<SimulatedCores>machine).crew.work((<SimulatedCores>machine).here)
