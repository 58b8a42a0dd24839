# cython: language_level=3
"""ET, but workers of a NUMA node stay with the operators that their node had last: those's lines are near."""

from libc.stdint cimport int32_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from streambench.lab.scheduler cimport Asker, Heuristic, OperatorState

cdef enum:
    MOST_OPERATORS = 24

cdef double ELSEWHERE = 0.5             # what the priority of an operator that another node had counts


cdef class OwnNode(Heuristic):
    cdef atomic[int32_t] had[MOST_OPERATORS]        # by operator the node of who chose it last, and 1; 0: nobody

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        cdef int32_t k, chosen = -1, had
        cdef double priority, highest = 0.0
        for k in range(n):
            if not states[k].schedulable:
                continue
            priority = states[k].worklist * states[k].cost / (states[k].workers + 1)
            had = self.had[k].load(memory_order_relaxed)
            if had != 0 and had != asker.node + 1:
                priority *= ELSEWHERE
            if chosen < 0 or priority > highest or states[k].cost <= 0.0:
                chosen, highest = k, priority
        if chosen >= 0:
            self.had[chosen].store(asker.node + 1, memory_order_relaxed)
        return chosen
