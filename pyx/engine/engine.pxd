"""A crew that brings a stream to a sink."""

from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.engine.pauses cimport Pauses

cdef class Engine(Crew):
    cdef readonly Egress egress
    cdef readonly Pauses pauses
