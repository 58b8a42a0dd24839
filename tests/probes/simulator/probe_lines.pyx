"""A few simulated cores without workers: what it takes each of them to read and write a line."""

from libc.stdint cimport uint64_t
from streambench.pyx.machine.simulated cimport ADMISSION, READ, WRITTEN
from streambench.pyx.simulate.core_lines cimport CoresWithLines

cdef enum:
    ADDRESS = 1 << 12
    APART = 100_000             # ns from one core's turn to the next: no line is on its way any more


cdef class Lines(CoresWithLines):
    """``times`` and where the cores stand: as of ``CoresWithLines``."""

    def __init__(self, dict times, int cores, int per_socket, int per_cluster):
        CoresWithLines.__init__(self, times, per_socket, 1, per_cluster)
        self.workers = cores
        self.cores.resize(cores)
        self.until = 1 << 30

    def read(self, int core) -> float:
        """Return the ns that it takes the core to have the line as it is."""
        return self.wanted(core, READ)

    def write(self, int core) -> float:
        """Return the ns that it takes the core to have the line alone."""
        return self.wanted(core, WRITTEN)

    cdef double wanted(self, int core, int how):
        cdef double begun
        self.begin(core)
        begun = self.cores[core].now
        self.touch(ADMISSION, <const void*><uint64_t>ADDRESS, how)
        self.here = -1
        return self.cores[core].now - begun

    cdef void begin(self, int core):
        cdef int k
        cdef double latest = 0.0
        for k in range(self.workers):
            latest = max(latest, self.cores[k].now)
        self.here = core
        self.cores[core].now = latest + APART
