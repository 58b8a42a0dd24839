"""What functions return for a tuple, written to columns."""


cpdef int write_values(tuple values, tuple to, int64_t row) except -1:
    """Write values to ``row`` of the columns, which take them."""
    for column, value in zip(to, values):
        column[row] = value
    return 0
