"""The cost model: from what each operator costs to the time that a plan takes per stream tuple.

Pure functions of numbers, so that tests and users can call what the controller calls. What handing over costs
is a number of cache lines, which is among the controller's constants, times what a line takes on the machine,
which the controller is told.
"""

from libc.stdint cimport int32_t, uint32_t
from streambench.pyx.tuples.apply cimport PARTITIONED, STATELESS
from streambench.pyx.ordered.controller_constants cimport ControllerConstants, constants_with
from streambench.pyx.ordered.core_costs cimport CoreCosts, costs_of
from streambench.pyx.ordered.plan cimport completed, dealt_end


cdef double whole_time(const Pipeline* pipeline) noexcept nogil:
    """One worker does everything: ns per stream tuple."""
    cdef double time = 0.0
    cdef int32_t k
    for k in range(pipeline.n):
        time += pipeline.operators[k].cost
    return time


cdef double predicted_time(const Pipeline* pipeline, Cuts cuts) noexcept nogil:
    """All workers, each operator where ``cuts`` puts it: ns per stream tuple, as no worker and no turn is faster."""
    cdef double work = 0.0, slowest = 0.0, segment = 0.0, tail = 0.0, cost
    cdef int32_t dealt[MAX_OPERATORS]
    cdef int32_t end = 0, shards = 1    # of operators that are dealt, and into how many partitions
    cdef double away = 1.0 - 1.0 / pipeline.workers         # how often the next segment is another worker's
    cdef int32_t k
    cdef bint sharded = True            # segment 0 is nobody's bottleneck
    dealt_ends(pipeline, dealt)
    for k in range(pipeline.n):
        cost = pipeline.operators[k].cost
        if k < end:                     # what it is given has been made where it is taken
            work += cost
            segment += cost / shards
            slowest = max(slowest, segment)
            continue
        if cuts.heads >> k & 1 or (sharded and k > 0 and pipeline.operators[k].kind != STATELESS):  # see plan.completed
            if not sharded:
                slowest = max(slowest, segment)
            segment = tail = 0.0
            sharded = cuts.sharded >> k & 1
            # A core fetches lines ahead while it computes: the longer one of both counts.
            cost = (max(cost, away * pipeline.cores.byte * pipeline.operators[k].bytes)
                    + pipeline.constants.handoff_lines * pipeline.cores.line / pipeline.unit)
            if sharded:
                end = dealt_end(cuts, dealt, k)
                work += (pipeline.constants.scatter * pipeline.operators[k].rows
                         * (pipeline.operators[k].partitions if end > 0 else 1)         # each reads all rows
                         + pipeline.constants.visit_lines * pipeline.cores.line * pipeline.operators[k].partitions
                         / pipeline.unit)
                slowest = max(slowest, cost / pipeline.operators[k].partitions)
                if end > 0:
                    work += cost
                    shards = pipeline.operators[k].partitions
                    segment = cost / shards
                    continue
        work += cost
        # Stateless operators at the end of a segment run outside its turn; those with something behind them, inside.
        if pipeline.operators[k].kind == STATELESS:
            tail += cost
        else:
            segment += tail + cost
            tail = 0.0
    if not sharded:
        slowest = max(slowest, segment)
    return max(work / pipeline.workers, slowest)


cdef void dealt_ends(const Pipeline* pipeline, int32_t* dealt) noexcept nogil:
    cdef int32_t k
    for k in range(pipeline.n):
        dealt[k] = pipeline.operators[k].dealt


cdef double improve(const Pipeline* pipeline, int32_t first, bint sharding, Cuts* best) noexcept nogil:
    """Change one operator's place at a time while that helps; returns the time of the plan that is left."""
    cdef Cuts tried
    cdef double least = predicted_time(pipeline, best[0]), got
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t dealt[MAX_OPERATORS]
    cdef int32_t k, way
    cdef uint32_t bit, along
    cdef bint better = True
    for k in range(pipeline.n):
        kinds[k] = pipeline.operators[k].kind
    dealt_ends(pipeline, dealt)
    while better:
        better = False
        for k in range(first, pipeline.n):
            if pipeline.operators[k].kind == STATELESS:
                continue
            bit = <uint32_t>1 << k
            for way in range(4):        # no head, a serial one, a sharded one, one that others are dealt with
                if way == 3 and (not sharding or dealt[k] == 0):
                    continue
                if way == 2 and (not sharding or pipeline.operators[k].kind != PARTITIONED
                                 or pipeline.operators[k].partitions < 2):
                    continue
                tried.heads = best.heads | bit if way or k == first else best.heads & ~bit
                tried.sharded = best.sharded | bit if way == 2 else best.sharded & ~bit
                tried.resting = best.resting
                if way == 3:
                    along = (<uint32_t>1 << dealt[k]) - bit
                    tried.heads = (best.heads & ~along) | bit
                    tried.sharded = best.sharded | along
                tried = completed(tried, kinds, dealt, pipeline.n)
                got = predicted_time(pipeline, tried)
                if got < least * 0.999:
                    least = got
                    best[0] = tried
                    better = True
    return least


cdef Cuts best_cuts(const Pipeline* pipeline, bint sharding, double* time) noexcept nogil:
    """The cheapest plan with segments that is found downhill, from a single cut and from as many as there can be.

    ``sharding``: operators may run by partition.
    """
    cdef Cuts few, many
    cdef double got
    cdef int32_t k, first = 1
    while pipeline.operators[first].kind == STATELESS:
        first += 1
    few.heads = <uint32_t>1 << first
    few.sharded = many.heads = many.sharded = 0
    few.resting = many.resting = 0
    for k in range(first, pipeline.n):
        if pipeline.operators[k].kind != STATELESS:
            many.heads |= <uint32_t>1 << k
    time[0] = improve(pipeline, first, sharding, &few)
    got = improve(pipeline, first, sharding, &many)
    if got < time[0]:
        time[0] = got
        return many
    return few


cdef double dealt_cuts(const Pipeline* pipeline, Cuts* cuts, double* time) noexcept nogil:
    """The plan whose first segment is the first operators that can be dealt, and its time.

    Returns how many rows the first of them makes of one; 0: there are none.
    """
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t dealt[MAX_OPERATORS]
    cdef int32_t k
    dealt_ends(pipeline, dealt)
    for k in range(pipeline.n):
        kinds[k] = pipeline.operators[k].kind
    for k in range(pipeline.n):
        if dealt[k] > 0:
            cuts.heads = <uint32_t>1 << k
            cuts.sharded = (<uint32_t>1 << dealt[k]) - (<uint32_t>1 << k)
            cuts.resting = 0
            cuts[0] = completed(cuts[0], kinds, dealt, pipeline.n)
            time[0] = predicted_time(pipeline, cuts[0])
            if dealt_end(cuts[0], dealt, k) > 0 and pipeline.operators[k].rows > 0.0:
                return pipeline.operators[k + 1].rows / pipeline.operators[k].rows
            return 0.0
    return 0.0


def predict(operators, workers, unit, heads, sharded, constants=None, dealt=(), costs=None):
    """Return the ns per stream tuple of a plan.

    ``operators``: (kind, cost, rows, bytes, partitions) from source to sink; ``heads``, ``sharded``: places;
    ``constants``: changes to the controller's, by name; ``dealt``: (first place, end) of operators that can be dealt;
    ``costs``: what cores take to share, as of the controller.
    """
    cdef ControllerConstants used = constants_with(constants)
    cdef CoreCosts cores = costs_of(costs)
    cdef Pipeline pipeline = described(operators, workers, unit, &used, &cores, dealt)
    cdef Cuts cuts
    cuts.heads = sum(1 << place for place in heads)
    cuts.sharded = sum(1 << place for place in sharded)
    cuts.resting = 0
    return predicted_time(&pipeline, cuts)


def choose(operators, workers, unit, sharding=True, constants=None, dealt=(), costs=None):
    """Return (ns per stream tuple, heads, sharded) of the best plan with segments, and the ns of the plan whole."""
    cdef ControllerConstants used = constants_with(constants)
    cdef CoreCosts cores = costs_of(costs)
    cdef Pipeline pipeline = described(operators, workers, unit, &used, &cores, dealt)
    cdef double time
    cdef Cuts cuts = best_cuts(&pipeline, sharding, &time)
    places = range(pipeline.n)
    return (time, [k for k in places if cuts.heads >> k & 1], [k for k in places if cuts.sharded >> k & 1],
            whole_time(&pipeline))


cdef Pipeline described(operators, workers, unit, const ControllerConstants* constants, const CoreCosts* cores, dealt):
    cdef Pipeline pipeline
    cdef int32_t k
    pipeline.constants = constants
    pipeline.cores = cores
    pipeline.n = <int32_t>len(operators)
    pipeline.workers = workers
    pipeline.unit = unit
    for k, (kind, cost, rows, bytes_, partitions) in enumerate(operators):
        pipeline.operators[k] = OperatorCost(kind, cost, cost / rows if rows else 0.0, rows, bytes_, partitions, 0)
    for k, end in dealt:
        pipeline.operators[k].dealt = end
    return pipeline
