"""A heuristic that is written in Python."""

from streambench.pyx.schemes.scheduler cimport Heuristic

cdef class PythonHeuristic(Heuristic):
    cdef object chooser
    cdef readonly str problem           # why it has `failed`
