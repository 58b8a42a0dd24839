"""The seam of the scheduler: what a heuristic is told, and how a test or a simulator asks it.

Heuristics (paper 000, section 6) are pure functions from the pipeline's state to an operator. They are told all they
need, so that the engine, a test and a simulator call the very same code. Times are in any one unit.
"""

from libc.stdlib cimport calloc, free


cdef class Heuristic:
    """Base: ``choose`` returns the place of a schedulable operator, or -1 when there is none it would schedule."""

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        """Called by any number of workers at a time."""
        return -1

    def choose_from(self, states, double time_slice=1e-4, int32_t worker=0, int32_t core=-1, int32_t node=-1) -> int:
        """Choose among ``states``, a list of mappings with the fields of ``OperatorState``, from source to sink."""
        cdef Asker asker
        cdef int32_t n = <int32_t>len(states), k
        cdef OperatorState* seen = <OperatorState*>calloc(max(n, 1), sizeof(OperatorState))
        if seen is NULL:
            raise MemoryError()
        try:
            for k in range(n):
                seen[k].schedulable = states[k]["schedulable"]
                seen[k].worklist = states[k]["worklist"]
                seen[k].workers = states[k]["workers"]
                seen[k].max_workers = states[k]["max_workers"]
                seen[k].cost = states[k]["cost"]
                seen[k].selectivity = states[k]["selectivity"]
                seen[k].window_time = states[k]["window_time"]
            asker.worker, asker.core, asker.node = worker, core, node
            return self.choose(seen, n, time_slice, &asker)
        finally:
            free(seen)
