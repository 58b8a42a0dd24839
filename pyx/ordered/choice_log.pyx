"""A log of choices in memory of its own: it may be written where nothing may be allocated,
for as long as a run lasts."""


cdef void keep(ChoiceLog* log, const Choice* choice) noexcept nogil:
    if log.count < KEPT:
        log.first[log.count] = choice[0]
    else:
        log.latest[log.count % KEPT] = choice[0]
    log.count += 1


cdef list kept(const ChoiceLog* log):
    """Return (number, tick, unit, units in flight, bits of heads, bits of sharded ones, workers that rest, bound)
    of what is there, in order."""
    cdef int64_t k
    choices = [described(&log.first[k]) for k in range(min(log.count, <int64_t>KEPT))]
    choices += [described(&log.latest[k % KEPT]) for k in range(max(<int64_t>KEPT, log.count - KEPT), log.count)]
    return choices


cdef tuple described(const Choice* choice):
    return (choice.number, choice.at, choice.unit, choice.in_flight, choice.cuts.heads, choice.cuts.sharded,
            choice.cuts.resting, bool(choice.bound))
