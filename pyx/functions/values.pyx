"""What functions return for a tuple, written to columns."""

import numpy as np


cpdef int write_values(values, tuple to, int64_t row) except -1:
    """Write what a function returned for a tuple to ``row`` of the columns."""
    if not isinstance(values, tuple):
        values = (values,)
    if len(values) != len(to) or values[0] is None:
        raise ValueError(f"it returned {values[0] if len(values) == 1 else values!r}, not a value for each of {len(to)} columns")
    for column, value in zip(to, values):
        if column.dtype.kind in "iu" and not isinstance(value, (int, np.integer, np.bool_)):
            raise TypeError(f"it returned {value!r} for a column of integers")
        column[row] = value
    return 0
