"""Places in the concurrent algorithms at which a test may make a worker lose the processor."""

cdef int one_in         # a yield at one of so many visits on average, 0 for never; set while no worker runs
cdef void perhaps_yield() noexcept nogil

cdef inline void yield_point() noexcept nogil:
    """Stands between two steps of an algorithm whose interleaving matters; one predicted branch in normal use."""
    if one_in != 0:
        perhaps_yield()
