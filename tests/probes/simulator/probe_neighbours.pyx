"""Simulated cores with somebody else on some of them, who has a core and leaves it by turns;
and what workers wait there."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.machine.run_queue cimport RunQueues
from streambench.pyx.machine.simulated cimport APPLY, FILL, PROCESS, machine_here
from streambench.pyx.simulate.core_lines cimport CoresWithLines
from streambench.pyx.simulate.timed_cores cimport TimedCores


cdef class Beside(CoresWithLines):
    """``costs``: ns of a tuple, by the place of the operator that has it. On the first ``neighbours`` cores somebody
    else is at work from ``begin`` to ``end`` (ns), and has the core for each second ``slice_ns``, first of all."""
    cdef vector[double] costs
    cdef int neighbours
    cdef int64_t begin, end, slice
    cdef vector[int64_t] lost           # ns, by core
    cdef vector[int64_t] latest         # ns of these that were lost at once, and when that ended
    cdef vector[int64_t] back_at

    def __init__(self, dict times, list costs, int neighbours, int64_t begin, int64_t end, int64_t slice_ns):
        CoresWithLines.__init__(self, times)
        self.costs = costs
        self.neighbours, self.begin, self.end, self.slice = neighbours, begin, end, slice_ns
        self.lost.resize(neighbours)
        self.latest.resize(neighbours)
        self.back_at.resize(neighbours)

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        if kind == FILL or kind == APPLY or kind == PROCESS:
            self.take(tuples * self.costs[place])

    cdef void take(self, double ns) noexcept nogil:
        cdef int64_t at, left = <int64_t>ns, turn, step, lost = 0
        if self.here < self.neighbours:
            at = <int64_t>self.cores[self.here].now
            while left > 0:
                turn = (at - self.begin) // self.slice if at >= self.begin else -1
                step = self.begin + (turn + 1) * self.slice - at        # to the next one
                if at >= self.end:
                    left = 0
                elif turn >= 0 and turn % 2 == 0:
                    lost += step
                    at += step
                else:
                    at += min(left, step)
                    left -= step
            if lost > 0:
                self.lost[self.here] += lost
                self.latest[self.here] = lost
                self.back_at[self.here] = at
        TimedCores.take(self, ns + lost)

    cdef int64_t account(self, int core) noexcept nogil:
        """ns that the worker has waited for its core: as the system does, it tells when the wait is over."""
        if core >= self.neighbours:
            return 0
        if self.cores[self.here].now < self.back_at[core]:
            return self.lost[core] - self.latest[core]
        return self.lost[core]


cdef class SimulatedQueues(RunQueues):
    """What workers wait ``Beside`` somebody."""

    cdef int64_t waited(self) noexcept nogil:
        cdef int64_t longest = 0, now
        cdef int k
        for k in range(self.threads):
            now = (<Beside>machine_here()).account(k) - self.seen[k].value.load(memory_order_relaxed)
            self.note(k, now)
            self.seen[k].value.fetch_add(now)
            longest = max(longest, now)
        return longest
