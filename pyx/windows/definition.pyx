"""What windows there are and what is computed of each: the words that Python has for it, and the room that it takes."""


cdef int32_t words_of(int32_t kind) noexcept nogil:
    """Words of an aggregate's cell: a count or a sum, a value and whether there is one, or values, their number and
    the room there is for them. Of VAR a count, a mean and the sum of squared deviations (Welford, 1962). Of OWN as
    many as the state takes, which is not known here."""
    if kind <= SUM:
        return 1
    return 3 if kind == VAR or kind >= DISTINCT else 2
