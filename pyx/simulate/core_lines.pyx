"""The cache lines that cores want from each other, each a queue; and what one worker at a time can have."""

from libcpp.utility cimport pair
from streambench.pyx.machine.simulated cimport ADMISSION, PARKING, READ_WITH_OTHERS, WRITTEN
from streambench.pyx.simulate.timed_cores cimport MOST_CORES, NOBODY, Core

from streambench.pyx.machine.simulated import Line

cdef extern from *:
    int first_bit "__builtin_ctzll"(unsigned long long bits) noexcept nogil

cdef enum:
    KEPT = 4                    # lines that leave a core at a time, of those that are remembered
    LEAVING = <int>MOST_CORES * KEPT

cdef double A_STEP = 1.0        # ns
cdef double REQUEST = 0.5       # of a line's way: what asks for it takes as long as what brings it


cdef class CoresWithLines(TimedCores):
    """Base. ``per_socket``: cores of a socket; ``per_cluster``: of a cluster in it, which are near each other (0: all
    are); all else as of ``TimedCores``."""

    def __init__(self, dict times, int per_socket=MOST_CORES, uint64_t seed=1, int per_cluster=0):
        if per_socket < 1:
            raise ValueError(f"a socket has at least 1 core, not {per_socket}")
        if per_cluster < 0 or per_cluster > 0 and per_socket % per_cluster:
            raise ValueError(f"a socket of {per_socket} cores is not made of clusters of {per_cluster}")
        TimedCores.__init__(self, times, seed)
        self.per_socket = per_socket
        self.per_cluster = per_cluster or per_socket
        self.leaving.resize(LEAVING)

    def core_costs(self, int workers) -> dict:
        """As ``streambench.host.core_costs.known`` has them of real cores."""
        return {"line": (self.way(0, 1) + self.way(0, workers - 1)) / 2, "byte": self.times.stream_line / LINE_BYTES}

    def taken(self) -> tuple:
        """Return (by name of the kind, the one line that was longest on its way; admission's lock; turns by
        place): parts of the run's time."""
        cdef double span = self.seconds * 1e9, lock = 0
        cdef pair[uint64_t, CacheLine] line
        cdef pair[uint64_t, Holding] holding
        names = [each.name.lower() for each in Line]
        lines = dict.fromkeys(names, 0.0)
        turns = {}
        for line in self.lines:
            name = names[line.second.kind - 1]
            lines[name] = max(lines[name], line.second.taken / span)
        for holding in self.held:
            if holding.second.kind == ADMISSION:
                lock = max(lock, holding.second.taken / span)
            else:
                turns[holding.second.place] = max(turns.get(holding.second.place, 0.0), holding.second.taken / span)
        return lines, lock, turns

    def waits(self) -> dict:
        """Return, by name of the kind, the part of the workers' time for which they waited for lines of it; ``data``:
        for units and whatever else others have written, many lines at a time."""
        cdef double span = self.seconds * 1e9 * self.workers
        cdef int k
        return {Line(k).name.lower() if k <= PARKING else "data": self.waited_for[k] / span for k in range(DATA + 1)}

    cdef void wait_for(self, int kind, double ns) noexcept nogil:
        self.cores[self.here].waited += ns
        self.waited_for[kind] += ns
        self.take(ns)

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
        if here and (not written or self.alone(line, self.here)):
            line.writer = self.here if written else line.writer
            return
        if self.has_still(address):
            self.take(A_STEP)           # who asks again and again lets the other one have it in the end
            return
        way = self.way_from(line, written)
        if how == READ_WITH_OTHERS and self.times.near_line > 0:
            way *= min(1.0, self.times.stream_line / self.times.near_line)
        begun = max(core.now, line.free_at)
        self.ask(address, line, begun, way)
        line.free_at = begun + way
        line.taken += way
        if written:
            for k in range(4):
                line.readers[k] = 0
            line.writer = self.here
        readers[0] |= own
        self.wait_for(kind, line.free_at - core.now)

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

    cdef double way(self, int one, int other) noexcept nogil:
        if one // self.per_cluster == other // self.per_cluster:
            return self.times.near_line
        return self.times.cluster_line if one // self.per_socket == other // self.per_socket else self.times.far_line

    cdef double way_from(self, const CacheLine* line, bint farthest) noexcept nogil:
        """To the core that goes on just now: a reader has the line from the nearest core that holds it, a writer waits
        until the farthest has given its copy up."""
        cdef double way, way_found = -1.0
        cdef uint64_t left
        cdef int k, core
        if self.workers <= self.per_cluster:            # all are near
            return self.times.near_line
        for k in range(4):
            left = line.readers[k]
            while left:
                core = (k << 6) + first_bit(left)
                left &= left - 1
                if core != self.here:
                    way = self.way(self.here, core)
                    if way_found < 0 or (way > way_found if farthest else way < way_found):
                        way_found = way
        return way_found

    cdef void ask(self, const void* address, const CacheLine* line, double begun, double way) noexcept nogil:
        """Another core than has the line wants it; the request is on its way from then on, and the line after it. Who
        has it alone goes on with it until the request has come."""
        cdef Leaving* kept
        if line.writer != self.here and self.alone(line, line.writer):
            kept = &self.leaving[line.writer * KEPT + <int>(self.left % KEPT)]
            kept.line = <uint64_t>address
            kept.until = begun + REQUEST * way
            self.left += 1

    cdef bint has_still(self, const void* address) noexcept nogil:
        """Has the core that goes on just now the line still, though another one has asked for it?"""
        cdef int k
        for k in range(self.here * KEPT, (self.here + 1) * KEPT):
            if self.leaving[k].line == <uint64_t>address and self.cores[self.here].now < self.leaving[k].until:
                return True
        return False

    cdef bint alone(self, const CacheLine* line, int core) noexcept nogil:
        """Does nobody but the core, which has it, have the line?"""
        cdef int k
        for k in range(4):
            if line.readers[k] != (<uint64_t>1 << (core & 63) if k == core >> 6 else 0):
                return False
        return True
