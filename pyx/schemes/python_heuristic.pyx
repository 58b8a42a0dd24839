"""A heuristic that is written in Python: called under the GIL at each decision, so for trying something out."""

from collections import namedtuple

from libc.stdint cimport int32_t
from streambench.pyx.schemes.scheduler cimport Asker, OperatorState

Operator = namedtuple("Operator", "schedulable worklist workers max_workers cost selectivity window_time")
"""What a heuristic is told of an operator, see ``OperatorState``; of times the unit is that of the time slice."""
Worker = namedtuple("Worker", "number core node")
"""Who asks. ``core``: the CPU that it is bound to, ``node``: that of it; -1 where there is none."""


cdef class PythonHeuristic(Heuristic):
    """``chooser.choose(operators, time_slice, worker)`` returns the place of an ``Operator`` that is schedulable, from
    the source's, 0, to the sink's; or None for none. Any number of workers may ask at a time."""

    def __init__(self, chooser, PythonFailure failure):
        self.chooser = chooser
        self.failure = failure

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        with gil:
            return ask(self, states, n, time_slice, asker)


cdef int32_t ask(PythonHeuristic of, OperatorState* states, int32_t n, double time_slice, const Asker* asker) noexcept:
    cdef int32_t k
    if of.failure.sentence is not None:
        return -1
    what = f"the heuristic {type(of.chooser).__name__}"
    try:
        operators = [Operator(bool(states[k].schedulable), states[k].worklist, states[k].workers,
                              states[k].max_workers, states[k].cost, states[k].selectivity, states[k].window_time)
                     for k in range(n)]
        chosen = of.chooser.choose(operators, time_slice, Worker(asker.worker, asker.core, asker.node))
        if chosen is None:
            return -1
        k = chosen
        if 0 <= k < n and states[k].schedulable:
            return k
        of.failure.stop(f"{what} chose operator {chosen!r}, which is not schedulable.")
    except BaseException as problem:
        of.failure.stop_raised(what, "choose", problem)
    return -1
