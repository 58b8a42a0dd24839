"""What went wrong in a scheme that is written in Python."""

from streambench.pyx.engine.stop_token cimport StopToken

cdef class PythonFailure:
    cdef StopToken token                # the engine's
    cdef readonly str sentence          # None: nothing went wrong
    cdef readonly object interrupt      # None: no Ctrl-C came amid a method
    cdef bint stop(self, str sentence)
    cdef bint stop_raised(self, str what, str method, problem)
