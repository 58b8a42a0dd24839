"""The shape of a profile, whichever engine has counted what is in it."""


cdef dict profile_of(list operators, int64_t ticks, int64_t tuples_in, int64_t tuples_out, int64_t visits,
                     dict reorder):
    """Return what a profile says of operators that are called together.

    ``ticks``: worker time; ``visits``: calls; ``reorder``: what the reorder buffer behind
    them has counted, by its name.
    """
    return {"operators": [each.name for each in operators], "ticks": ticks, "tuples_in": tuples_in,
            "tuples_out": tuples_out, "visits": visits, "reorder": reorder}
