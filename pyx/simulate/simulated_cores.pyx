"""A machine of any number of cores, simulated: each worker of a crew has a core of its own.

The workers are the runtime's own: its loop, its scheduler, its queues and reorder buffers run as they are, on real
tuples. Each worker is a fiber of one thread. What it says of itself (``machine.simulated``) is given a time: work takes
what a profile run measured (here); a cache line takes its way from the core that wrote it last, and cores that want the
same line wait for one another (``core_lines``); who sleeps is woken late, and who is due first goes on
(``timed_cores``). The same costs and seed give the same run.
"""

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from streambench.pyx.machine.simulated cimport APPLY, FILL, FUSED, GIL, PROCESS, TURN
from streambench.pyx.simulate.core_lines cimport DATA, LINE_BYTES, CoresWithLines
from streambench.pyx.simulate.costs cimport PLAN_WHOLE, STATE_MOVED, UNIT_MOVED, UNKNOWN, Costs, Sample
from streambench.pyx.simulate.timed_cores cimport NOBODY, Core
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit
from streambench.pyx.tuples.work cimport row_bytes

from streambench.pyx.simulate.timed_cores import MOST_CORES

cdef struct Unread:             # of a unit, whose columns are still the source's
    double bytes                # of these, of all its tuples
    double left                 # that nobody has read yet
    int64_t tuples


cdef class SimulatedCores(CoresWithLines):
    """``times``: ns by the names of ``Times``. ``per_socket``, ``per_cluster``: as of ``CoresWithLines``; each socket
    has memory of its own. ``seed``: of what is drawn.

    After a run: ``seconds`` that the machine took, ``events`` it had, and where its time went. One run each.
    """

    cdef Costs costs
    cdef uint64_t random
    cdef unordered_map[uint64_t, int] unit_at       # the core that wrote a unit last
    cdef unordered_map[uint64_t, int] state_at      # and an operator's state, of a partition
    cdef unordered_map[uint64_t, Unread] unread
    cdef vector[double] memory_free_at              # by socket, ns: until then others read from its memory
    cdef vector[double] memory_taken                # ns
    cdef double gil_free_at         # ns: until then others have the interpreter's lock
    cdef double gil_taken           # ns
    cdef double in_operator[MAX_OPERATORS]          # ns of work, one worker at a time or not
    cdef unordered_map[uint64_t, double] in_partition
    cdef readonly int64_t unknown   # pieces of work, of which the costs know nothing

    def __init__(self, Costs costs not None, dict times, int per_socket=MOST_CORES, uint64_t seed=1, int per_cluster=0):
        CoresWithLines.__init__(self, times, per_socket, seed, per_cluster)
        self.memory_free_at.assign(MOST_CORES // per_socket + 1, 0.0)
        self.memory_taken.assign(MOST_CORES // per_socket + 1, 0.0)
        self.costs = costs
        self.random = seed

    def where(self) -> dict:
        """Return the shares of the run's time, from 0 to 1, for which what can saturate was taken.

        ``cores``: how many. ``workers``: on the average at work; ``waited``: for lines and memory; ``waits``: of that
        for lines, by kind; ``idle``. ``operators``: by place, ns of work per ns of the run, so more than 1 where
        several workers are in it. ``partition``: by place, the one that was worked in longest. ``lines``: by name of
        the kind, the one line that was longest on its way. ``lock``: admission's, for which anybody had it; ``turns``:
        by place, of the segment that begins there or of its busiest shard, at 0 of the plan whole. ``memory``: for
        which it was read by any core, of the socket that reads most, None where its limit is unknown; ``gil``: for
        which any core had it; ``interrupted``: for which others had the cores.
        """
        cdef double span = self.seconds * 1e9, busy = 0, waited = 0, idle = 0, interrupted = 0
        cdef pair[uint64_t, double] part
        cdef int k
        partition = {}
        if span <= 0:
            raise RuntimeError("nothing has been run")
        lines, lock, turns = self.taken()
        for k in range(self.workers):
            busy += self.cores[k].busy
            waited += self.cores[k].waited
            idle += self.cores[k].idle + max(0.0, span - self.cores[k].now)     # done before the last one
            interrupted += self.cores[k].interrupted
        for part in self.in_partition:
            k = <int>(part.first >> 32)
            partition[k] = max(partition.get(k, 0.0), part.second / span)
        return {"cores": self.workers, "workers": busy / span / self.workers, "waited": waited / span / self.workers,
                "idle": idle / span / self.workers, "interrupted": interrupted / span / self.workers,
                "memory": max(self.memory_taken) / span if self.times.memory > 0 else None, "waits": self.waits(),
                "lines": lines, "partition": partition, "lock": lock, "turns": turns, "gil": self.gil_taken / span,
                "operators": [self.in_operator[k] / span for k in range(MAX_OPERATORS)]}

    cdef void begin_work(self, int kind, int32_t place, const void* unit, int64_t tuples, int64_t bytes) noexcept nogil:
        cdef unordered_map[uint64_t, int].iterator at
        cdef int before, moved
        cdef double fetched = 0.0, farther
        if self.here == NOBODY:
            return
        at = self.unit_at.find(<uint64_t>unit)
        before = self.here if at == self.unit_at.end() else dereference(at).second
        moved = UNIT_MOVED if before != self.here else 0
        cdef Core* core = &self.cores[self.here]
        cdef Sample drawn = self.costs.draw(kind, place, tuples, moved + core.plan, &self.random)
        self.unknown += drawn.tuples == <double>UNKNOWN and tuples > 0
        if moved and bytes > 0:
            bytes -= <int64_t>self.not_there(<uint64_t>unit, tuples, bytes)
        if moved and bytes > 0:
            farther = self.way(self.here, before) / self.times.near_line if self.times.near_line > 0 else 1.0
            if drawn.moved & UNIT_MOVED:        # what a near core's costs is in what was drawn
                farther -= 1.0
            fetched = ((bytes + LINE_BYTES - 1) // LINE_BYTES) * self.times.stream_line * farther
        core.during = drawn.during
        core.moved = moved + core.plan
        core.fetched = fetched
        if core.working:  # a piece that was begun and left: what is before this one has been paid for that
            return
        core.working = True
        core.busy += drawn.before
        self.in_operator[place] += drawn.before
        self.take(drawn.before)

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        cdef Core* core
        cdef uint64_t state = <uint64_t>place << 32 | <uint64_t>part
        cdef unordered_map[uint64_t, int].iterator at
        if self.here == NOBODY:
            return
        core = &self.cores[self.here]
        core.working = False
        if kind == PROCESS or kind == APPLY:
            at = self.state_at.find(state)
            if at != self.state_at.end() and dereference(at).second != self.here:
                core.during = self.costs.draw(kind, place, tuples, core.moved + STATE_MOVED, &self.random).during
            self.state_at[state] = self.here
        self.waited_for[DATA] += core.fetched
        core.fetched += self.from_memory(self.read_by(kind, <const Unit*>unit, tuples))
        if kind == PROCESS:             # what the others read of the unit is where it was
            self.in_partition[state] += core.during
        else:
            self.unit_at[<uint64_t>unit] = self.here
        if core.under_gil:
            core.under_gil = False
            self.wait_for_gil(core)
        core.busy += core.during
        core.waited += core.fetched
        self.in_operator[place] += core.during
        self.take(core.during + core.fetched)

    cdef void take_hold(self, int kind, int32_t place, const void* thing) noexcept nogil:
        if self.here == NOBODY:
            return
        if kind == GIL:
            self.cores[self.here].under_gil = True
            return
        if kind == TURN and place == 0:
            self.cores[self.here].plan = PLAN_WHOLE
        CoresWithLines.take_hold(self, kind, place, thing)

    cdef void let_go(self, int kind, int32_t place, const void* thing) noexcept nogil:
        if kind == TURN and place == 0 and self.here != NOBODY:
            self.cores[self.here].plan = 0
        CoresWithLines.let_go(self, kind, place, thing)

    cdef void wait_for_gil(self, Core* core) noexcept nogil:
        """The core's piece of work has the interpreter's lock from its beginning to its end.
        Who comes meanwhile sleeps."""
        cdef double wait = max(0.0, self.gil_free_at - core.now), held = core.during
        if wait > 0:
            held += self.times.hand_over
            wait += self.times.hand_over
        self.gil_free_at = max(core.now, self.gil_free_at) + held
        self.gil_taken += held
        core.idle += wait
        self.take(wait)

    cdef double read_by(self, int kind, const Unit* unit, int64_t tuples) noexcept nogil:
        """How many bytes of the stream the work reads as the first: filling what it copies, and of columns that
        are the source's still the first operator. Of a partitioned one a group reads its part, and what scatters
        only the key, not counted."""
        cdef Unread* of
        cdef double bytes
        cdef int32_t k
        if kind == FILL:
            of = &self.unread[<uint64_t>unit]
            of.bytes = 0.0
            for k in range(unit.now.width):
                if unit.now.column[k] != unit.now.owned[k]:
                    of.bytes += <double>tuples * size_of(unit.now.layout, k)
            of.left = of.bytes
            of.tuples = tuples
            return tuples * row_bytes(unit.now) - of.bytes
        if kind != APPLY and kind != PROCESS and kind < FUSED:
            return 0.0
        of = &self.unread[<uint64_t>unit]
        bytes = of.left
        if kind == PROCESS and of.tuples > 0:
            bytes = min(bytes, of.bytes * tuples / of.tuples)
        of.left -= bytes
        return bytes

    cdef double not_there(self, uint64_t unit, int64_t tuples, int64_t bytes) noexcept nogil:
        """How many of the bytes that a piece of work reads who had the unit before has never
        read: they are the source's."""
        cdef Unread* of = &self.unread[unit]
        return min(<double>bytes, of.bytes * tuples / of.tuples) if of.left > 0 else 0.0

    cdef double from_memory(self, double bytes) noexcept nogil:
        """The core that goes on just now reads so much of the stream in the work that it has begun: how much longer
        that takes because others of its socket read, too. What it takes a core alone is in the work: so many bytes
        cannot have come from memory for longer than that takes."""
        cdef Core* core = &self.cores[self.here]
        cdef int socket = self.here // self.per_socket
        cdef double takes
        if self.times.memory <= 0 or bytes <= 0:
            return 0.0
        takes = min(bytes / self.times.memory, core.during)
        self.memory_free_at[socket] = max(core.now, self.memory_free_at[socket]) + takes
        self.memory_taken[socket] += takes
        return max(0.0, self.memory_free_at[socket] - core.now - core.during)
