"""Sizing decides how many tuples make a unit, and how many units may be under way.

**A unit** is ``most_work`` of one worker's time, 0.22 ms: which worker has a unit changes from unit to unit, and with
it where the state's cache lines are; in larger units more tuples share that. Three things make it smaller:
``largest_unit``, the latency target (by Little's law, with the units that are in flight), and the cache that the
unit's columns shall fit into.

**At a rate** less is under way, for latency: what has not been admitted can go on in smaller pieces, and behind less,
if a core stops for a while. A unit is ``paced_work`` (or ``paced_least`` tuples, if that is more work), and there are
``units_ahead`` of them to a worker. Small units cost more, so there is an *allowance*, 1 at first. Each look that finds
a backlog doubles it, up to ``most_allowance``, and with it the unit; where the unit is already as large as it can be,
or given by hand, there are more units instead. Larger units come first: they give the same speed for less latency
(measured: docs/decisions.md). The allowance goes by how long the next tuple has been there, not by whether the stream
is saturated: while a backlog is caught up with, small units have little speed to spare. When the next tuple has been
there for less than ``caught_up``, or no more arrives than is processed, the allowance is 1 again.

**A lone worker**, that of the plan whole, takes what has arrived, as a loop would, and hands nothing on. So a unit need
only be so large that it keeps up: what a unit costs besides its tuples (``UNIT_COST``) takes half of the time that the
tuples leave, and the other half is left to catch up with. A larger unit would hold up all that is in it after every
interruption. Each look that finds more than a whole unit waiting doubles it (``Admission.decide``): what was reckoned
of the costs may be too little. Without a rate, where all has arrived, it takes whole units.
"""

from libc.stdint cimport int32_t
from streambench.pyx.ordered.cost_model cimport whole_time


cdef enum:
    UNIT_COST = 75              # ns of a lone worker for a unit besides its tuples: some 60 to 100 were measured


cdef bint allow(Sizing* sizing, const Terms* terms, bint saturated, int64_t waiting) noexcept nogil:
    """Change the allowance of a stream at a rate, if need be. True: it has changed.

    ``waiting``: tuples that have arrived and are not admitted; times the interval that is how long
    the next one has been there.
    """
    cdef int64_t before = sizing.allowance
    cdef double backlog = waiting * terms.interval
    if not saturated or backlog < terms.constants.caught_up:        # a source may have had nothing for a while
        sizing.allowance = 1
    elif backlog > terms.constants.backlog:
        sizing.allowance = min(2 * sizing.allowance, terms.constants.most_allowance)
    return sizing.allowance != before


cdef int64_t ideal_unit(const Sizing* sizing, const Terms* terms, const Pipeline* pipeline, Cuts cuts,
                        int64_t allowance) noexcept nogil:
    """The tuples of a unit in a plan: as much work as is right, columns that fit into the
    cache, latency near the target."""
    cdef double size = <double>terms.constants.largest_unit, traffic = 0.0, units = 0.5 * terms.credit
    cdef double most_work = terms.constants.most_work
    # No more than all workers' time: what was measured while memory was touched for the first time may be far too much.
    cdef double cost = min(whole_time(pipeline), sizing.spent)
    cdef int32_t k
    if terms.interval > 0:
        # Not too few, as long as they are not too dear: costs are far too high where memory
        # is touched for the first time.
        most_work = min(most_work, allowance * max(terms.constants.paced_work, terms.constants.paced_least * cost))
        size = min(size, <double>(allowance * terms.constants.paced_unit))
        if terms.free_credit:
            units = min(<double>terms.credit, <double>(terms.constants.units_ahead * pipeline.workers))
    for k in range(pipeline.n):
        traffic += pipeline.operators[k].bytes
    if cost > 0:
        size = min(size, most_work / cost)
        if cuts.heads:
            # By Little's law: so many are under way (half of the credit, without a rate), and `workers` share the work.
            size = min(size, terms.latency_target * pipeline.workers / (cost * units))
        else:
            size = min(size, terms.latency_target / cost)
    if traffic > 0:
        size = min(size, terms.constants.unit_bytes / traffic)
    return max(<int64_t>1, <int64_t>size)


cdef int64_t units_under_way(const Sizing* sizing, const Terms* terms, const Pipeline* pipeline, Cuts cuts,
                             int64_t unit) noexcept nogil:
    """How many units of ``unit`` tuples may be under way: the credit, or fewer where tuples come at a rate."""
    cdef int64_t least = terms.constants.units_ahead * pipeline.workers
    if terms.interval == 0 or not terms.free_credit:
        return terms.credit
    # More of them where they are small by hand, or as large as can be though more is allowed.
    return min(terms.credit,
               max(least, least * sizing.allowance * ideal_unit(sizing, terms, pipeline, cuts, 1) // unit))


cpdef int64_t lone_unit(double interval, double cost, int64_t unit) noexcept nogil:
    """How many tuples the worker of a plan whole takes at once, ``unit`` at most, of those that have arrived.

    ``interval``: ns from arrival to arrival, 0 without a rate; ``cost``: ns of a tuple.
    """
    cdef double spare = interval - cost
    if interval == 0 or spare * unit <= 2 * UNIT_COST:
        return unit
    return <int64_t>(2 * UNIT_COST / spare) + 1
