"""A second sink amid a pipeline."""

from streambench.pyx.tuples.operator cimport Sink, Stateful

cdef class Tap(Stateful):
    cdef readonly Sink sink
