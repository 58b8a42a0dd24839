"""The heuristics: QST, LP, ET and CT of paper 000 (sections 6.1 to 6.4), and the walking on of
paper 004 (sections 4.4 to 4.6).

The first operator is the source: its worklist is what has arrived and is not admitted, its selectivity is 1.
"""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.schemes.scheduler cimport Asker, Heuristic, OperatorState


cdef class QueueSizeThrottling(Heuristic):
    """QST (section 6.1): the earliest operator whose output queue is shorter than its threshold.

    Equation 1: ``T_i = capacity * cs_i / sum of all cs``, where ``cs_i`` is the product of the selectivities up
    to and with operator i. So the thresholds share ``capacity`` tuples out as a stream tuple would. The last
    operator has no output queue.
    """

    def __init__(self, double capacity):
        if not capacity > 0:
            raise ValueError(f"QST's capacity must be more than 0 tuples, not {capacity}")
        self.capacity = capacity

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        cdef int32_t k
        cdef double selectivity = 1.0, total = 0.0
        for k in range(n):
            selectivity *= states[k].selectivity
            total += selectivity
        selectivity = 1.0
        for k in range(n):
            selectivity *= states[k].selectivity
            # An empty queue is below any threshold, also one that rounds to 0.
            if states[k].schedulable and (k == n - 1 or states[k + 1].worklist == 0
                                          or states[k + 1].worklist * total < self.capacity * selectivity):
                return k
        return -1

    def thresholds(self, selectivities) -> list:
        """Return equation 1's threshold of every operator's output queue, in tuples, for a list of selectivities."""
        products = []
        product = 1.0
        for each in selectivities:
            product *= each
            products.append(product)
        return [self.capacity * each / sum(products) for each in products]


cdef class LastInPipeline(Heuristic):
    """LP (section 6.2): the latest operator whose worklist is at least ``least`` tuples.

    Where no worklist is as long, as at the end of a stream, the latest operator that has work.
    """

    def __init__(self, int64_t least=1):
        self.least = least

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        cdef int32_t k, latest = -1
        for k in range(n - 1, -1, -1):
            if states[k].schedulable:
                if states[k].worklist >= self.least:
                    return k
                if latest < 0:
                    latest = k
        return latest


cdef class EstimatedTime(Heuristic):
    """ET (section 6.3, equation 2): the operator whose worklist would take longest with one more worker.

    Priority ``worklist * cost / (workers + 1)``. An operator without a measured cost goes first.
    """

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
        cdef int32_t k, chosen = -1
        cdef double priority, highest = 0.0
        for k in range(n):
            if states[k].schedulable:
                if states[k].cost <= 0.0:
                    return k
                priority = states[k].worklist * states[k].cost / (states[k].workers + 1)
                if chosen < 0 or priority > highest:
                    chosen = k
                    highest = priority
        return chosen


cdef class CurrentThroughput(Heuristic):
    """CT (section 6.4, equation 3): the operator with the lowest normalised throughput in the current window.

    ``(window_time + workers * time_slice) / (cost * cumulative selectivity)`` estimates the stream tuples that an
    operator gets done in the window. The cumulative selectivity is that of the operators *before* it, so that one that
    emits nothing is still measured by what it takes in. An operator without a measured cost goes first.
    """

    cdef int32_t choose(self, OperatorState* states, int32_t n, double time_slice,
                        const Asker* asker) noexcept nogil:
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


cdef class Walking(LastInPipeline):
    """As FRONT's workers do (paper 004): nearest the output first, admission last, and the worker walks on.

    It chooses as LP does. But a visit is one unit long, and after it the worker goes on to the next operator while the
    unit is hot in its cache (section 4.5), unless others have as many workers there as it can take.
    """

    def __cinit__(self):
        self.walks = True


def make(str name, double capacity) -> Heuristic:
    """Return the heuristic ``qst``, ``lp``, ``et``, ``ct`` or ``walk``, or ``lp:8``: LP with that least worklist;
    ``capacity`` in tuples, for QST.

    Raises KeyError for another name.
    """
    if name == "qst":
        return QueueSizeThrottling(capacity)
    if name.startswith("lp:"):
        return LastInPipeline(int(name[3:]))
    return {"lp": LastInPipeline, "et": EstimatedTime, "ct": CurrentThroughput, "walk": Walking}[name]()
