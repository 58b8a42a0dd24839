"""Looks decide what is known of the operators: what each costs per row, and how many rows it has per stream tuple.

A worker meters every operator: it reads the clock once per operator and unit, and once more where it begins with the
unit; of units below 64 tuples it times one in eight, and what the others cost is estimated from these
(``metered_operators``). A look compares the sums over all workers with those of the look before.

What an operator costs is what it costs in the plan whole, where one worker does everything and nothing disturbs. In
segments a worker finds parts of the state in its own cache, or in another's, and costs are others. But costs change,
and a plan that keeps up with its stream, or a stream at a rate, may never be run whole again: after ``stale`` ns
without the plan whole, costs are what they are in the plan that runs. (Simulated without this, a run at a rate kept the
plan and the unit of its first load for ever, and fell behind where one worker would have kept up.) An operator that has
had no rows in the plan whole is known from any plan.

Looks also say how much work has been done: plans are compared by that, since tuples may differ a thousandfold.
"""

from streambench.pyx.ordered.meter cimport METER_IN, METER_TICKS, METER_TIMED


cdef bint tells_something(const Looks* looks, const Metered* totals, int32_t n) noexcept nogil:
    """Has anything been timed since the last look, and has every operator that has had rows been timed once?"""
    cdef int32_t k
    cdef bint measured = False
    for k in range(n):
        if totals[k].value[METER_IN] > 0 and totals[k].value[METER_TIMED] == 0:
            return False            # of small units few are timed
        measured = measured or totals[k].value[METER_TIMED] > looks.seen[k].value[METER_TIMED]
    return measured


cdef void look(Looks* looks, Pipeline* pipeline, const Terms* terms, int64_t now, const Metered* totals, double tuples,
               bint alone, bint first_choice) noexcept nogil:
    """Set each operator's cost, rows and bytes per stream tuple, by ``totals`` so far; ``tuples`` since the last look.

    ``alone``: these are the costs of one worker (or of a plan fixed by hand, which is never another). ``first_choice``:
    the first plan is to be chosen without a trial, see ``usual``.
    """
    cdef double given_rows, timed, row, rows
    cdef int32_t k
    looks.admitted += tuples
    looks.worked += work_done(looks, pipeline, totals, tuples)
    if alone:
        looks.alone_at = now
    elif (now - looks.alone_at) * terms.ns_per_tick > terms.constants.stale:
        alone = True
    for k in range(pipeline.n):
        given_rows = <double>(totals[k].value[METER_IN] - looks.seen[k].value[METER_IN])
        timed = <double>(totals[k].value[METER_TIMED] - looks.seen[k].value[METER_TIMED])
        if timed > 0:
            row = (totals[k].value[METER_TICKS] - looks.seen[k].value[METER_TICKS]) * terms.ns_per_tick / timed
            if alone or looks.counts[k] == 0:
                pipeline.operators[k].row = usual(looks, k, row, first_choice)
        rows = given_rows / tuples
        if looks.looked:            # some of a look's rows come of tuples from before it, and operators emit in bursts
            rows = pipeline.operators[k].rows + terms.constants.smoothed * (rows - pipeline.operators[k].rows)
        pipeline.operators[k].rows = rows
        pipeline.operators[k].cost = pipeline.operators[k].row * rows
        pipeline.operators[k].bytes = looks.row_bytes[k] * rows
        looks.seen[k] = totals[k]
    looks.looked = True


cdef double work_done(const Looks* looks, const Pipeline* pipeline, const Metered* totals,
                      double tuples) noexcept nogil:
    """The work since the last look in stream tuples of mean work: rows that operators were given, at what a row costs.

    Where every tuple makes as many rows, that is how many were processed. Where one makes a thousand, a short trial of
    a plan would else say which tuples it met.
    """
    cdef double done = 0.0, mean = 0.0
    cdef int32_t k
    for k in range(pipeline.n):
        done += pipeline.operators[k].row * (totals[k].value[METER_IN] - looks.seen[k].value[METER_IN])
        mean += pipeline.operators[k].row * totals[k].value[METER_IN]
    return done * looks.admitted / mean if mean > 0.0 else tuples


cdef double least_time(const Looks* looks, const Pipeline* pipeline) noexcept nogil:
    """ns per stream tuple of one worker, by the least that each operator has cost in the latest looks."""
    cdef double time = 0.0, row
    cdef int32_t k, i
    for k in range(pipeline.n):
        row = pipeline.operators[k].row
        for i in range(<int32_t>min(looks.counts[k], <int64_t>LOOKS)):
            row = min(row, looks.per_row[k][i])
        time += row * pipeline.operators[k].rows
    return time


cdef double usual(Looks* looks, int32_t k, double per_row, bint first_choice) noexcept nogil:
    """The median of the latest looks' ns per row of operator ``k``, with this one.

    For the first choice, which is made without a trial, the least of the first looks: tables grow and memory is touched
    for the first time, so what is to come is cheaper.
    """
    cdef double ordered[LOOKS]
    cdef int32_t n, i, j
    looks.per_row[k][looks.counts[k] % LOOKS] = per_row
    looks.counts[k] += 1
    n = <int32_t>min(looks.counts[k], <int64_t>LOOKS)
    for i in range(n):
        j = i
        while j > 0 and ordered[j - 1] > looks.per_row[k][i]:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = looks.per_row[k][i]
    return ordered[0 if first_choice and looks.counts[k] <= LOOKS else (n - 1) // 2]
