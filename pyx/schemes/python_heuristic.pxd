"""A heuristic that is written in Python."""

from streambench.pyx.schemes.python_failure cimport PythonFailure
from streambench.pyx.schemes.scheduler cimport Heuristic

cdef class PythonHeuristic(Heuristic):
    cdef object chooser
    cdef PythonFailure failure
