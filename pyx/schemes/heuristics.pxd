"""The five heuristics."""

from streambench.pyx.schemes.scheduler cimport Heuristic

cdef class QueueSizeThrottling(Heuristic):
    cdef readonly double capacity       # C of equation 1, in tuples

cdef class LastInPipeline(Heuristic):
    pass

cdef class EstimatedTime(Heuristic):
    pass

cdef class CurrentThroughput(Heuristic):
    pass

cdef class Walking(LastInPipeline):
    pass
