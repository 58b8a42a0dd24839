"""The cache lines that cores want from each other, each a queue; and what one worker at a time can have."""

from libcpp.utility cimport pair
from streambench.pyx.machine.simulated cimport ADMISSION, READ_WITH_OTHERS, WRITTEN
from streambench.pyx.simulate.timed_cores cimport MOST_CORES, NOBODY, Core

from streambench.pyx.machine.simulated import Line


cdef class CoresWithLines(TimedCores):
    """Base. ``per_socket``: cores that are near each other; all else as of ``TimedCores``."""

    def __init__(self, dict times, int per_socket=MOST_CORES, uint64_t seed=1):
        if per_socket < 1:
            raise ValueError(f"a socket has at least 1 core, not {per_socket}")
        TimedCores.__init__(self, times, seed)
        self.per_socket = per_socket

    def taken(self) -> tuple:
        """Return (by name of the kind, the one line that was longest on its way; admission's lock; turns by place): parts
        of the run's time."""
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
        return self.times.near_line if one // self.per_socket == other // self.per_socket else self.times.far_line

    cdef bint alone(self, const CacheLine* line) noexcept nogil:
        """Does nobody but the core that goes on just now, which has it, have the line?"""
        cdef int k
        for k in range(4):
            if line.readers[k] != (<uint64_t>1 << (self.here & 63) if k == self.here >> 6 else 0):
                return False
        return True
