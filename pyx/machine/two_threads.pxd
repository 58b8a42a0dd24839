"""Two threads that answer each other, and whoever started them waits for both, but only so long."""

from libc.stdint cimport int64_t
from streambench.pyx.machine.threads cimport body_t

cdef extern from "two_threads.h":
    # True: both have returned from their bodies, and ``shared`` is the caller's. False: they have not in ``patience``
    # ns (below 0: the caller waits for ever), and ``shared`` is theirs, who ``discard`` it. RuntimeError: one could not
    # be started, ``stop`` was called, and ``shared`` is the caller's.
    bint run_two "streambench::run_two"(body_t one, body_t other, void* shared, body_t stop, body_t discard,
                                        int64_t patience) except + nogil
