"""The five heuristics."""

from libc.stdint cimport int64_t
from streambench.pyx.schemes.scheduler cimport Heuristic

cdef class QueueSizeThrottling(Heuristic):
    cdef readonly double capacity       # C of equation 1, in tuples

cdef class LastInPipeline(Heuristic):
    cdef readonly int64_t least         # tuples

cdef class EstimatedTime(Heuristic):
    pass

cdef class CurrentThroughput(Heuristic):
    pass

cdef class Walking(LastInPipeline):
    pass
