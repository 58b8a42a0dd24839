"""An S-NET box that is a Cython function."""

import numpy as np


cpdef tuple snet_scale(double[::1] a, int k):
    """Every value ``k``-fold, and how many there are."""
    made = np.empty(a.shape[0])
    cdef double[::1] out = made
    cdef Py_ssize_t place
    for place in range(a.shape[0]):
        out[place] = a[place] * k
    return made, a.shape[0]
