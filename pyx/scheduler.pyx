"""Scheduling heuristics (paper 000, section 6): pure functions from the pipeline's state to an operator.

They are told all they need, so that a test or a simulator can call the very same code. Times are in any one unit.
"""

from libc.stdlib cimport calloc, free


cdef class Heuristic:
    """Base: ``choose`` returns the place of a schedulable operator, or -1 when there is none."""

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice) noexcept nogil:
        return -1

    def choose_from(self, states, double time_slice) -> int:
        """Choose among ``states``, a list of mappings with the fields of ``OperatorState``, from source to sink."""
        cdef int32_t n = <int32_t>len(states), k
        cdef OperatorState* given = <OperatorState*>calloc(max(n, 1), sizeof(OperatorState))
        if given is NULL:
            raise MemoryError()
        try:
            for k in range(n):
                given[k].schedulable = states[k]["schedulable"]
                given[k].worklist = states[k]["worklist"]
                given[k].workers = states[k]["workers"]
                given[k].max_workers = states[k]["max_workers"]
                given[k].cost = states[k]["cost"]
                given[k].selectivity = states[k]["selectivity"]
                given[k].window_time = states[k]["window_time"]
            return self.choose(given, n, time_slice)
        finally:
            free(given)


cdef class CurrentThroughput(Heuristic):
    """CT (section 6.4, equation 3): the operator with the lowest normalised throughput in the current window.

    ``(window_time + workers * time_slice) / (cost * cumulative selectivity)`` estimates the stream tuples that an operator
    gets done in the window. The cumulative selectivity is that of the operators *before* it, so that one that emits
    nothing is still measured by what it takes in. An operator without a measured cost goes first.
    """

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice) noexcept nogil:
        cdef int32_t k, chosen = -1
        cdef double selectivity = 1.0, throughput, lowest = 0.0
        for k in range(n):
            if states[k].schedulable:
                if states[k].cost <= 0.0:
                    return k
                throughput = ((states[k].window_time + states[k].workers * time_slice)
                              / (states[k].cost * selectivity))
                if chosen < 0 or throughput < lowest:
                    chosen = k
                    lowest = throughput
            selectivity *= states[k].selectivity
            if selectivity < 1e-9:
                selectivity = 1e-9          # nothing has come so far yet: a large throughput, not a division by zero
        return chosen


HEURISTICS = {"ct": CurrentThroughput}
