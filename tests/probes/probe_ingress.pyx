"""Admission by hand: tuples arrive when Python says so, and are admitted when it asks."""

from libc.stdint cimport int64_t, uintptr_t
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.tuples.columns cimport grow, reset
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.unit cimport Unit

cdef int64_t APART = 1_000_000_000_000      # ns from tuple to tuple: none arrives by itself while a test lasts


cdef class Arrivals:
    cdef Ingress ingress
    cdef Egress egress

    def __init__(self, Source source, int64_t unit, int64_t credit):
        self.egress = Egress(StopToken(), 1)
        self.ingress = Ingress(source, self.egress, unit, credit, 1e9 / APART)
        self.ingress.started = nanoseconds() - APART // 2

    def arrive(self, int64_t tuples):
        self.ingress.started -= tuples * APART

    @property
    def is_too_little(self):
        return self.ingress.is_too_little()

    @property
    def has_credit(self):
        return self.ingress.has_credit()

    def admit(self):
        """The number of tuples in the next unit."""
        return self.ingress.admit(self.ingress.next_unit(), min(self.ingress.there(), self.ingress.unit_size))

    def write(self, serial: int, rows: int) -> int:
        """Let the unit with this number hold so many rows; returns where its memory is."""
        cdef Unit* unit = &self.ingress.units[<int64_t>serial & self.ingress.mask]
        reset(unit.now, 1)
        grow(unit.now, rows)
        return <uintptr_t>unit.now.owned[0]

    def deliver(self):
        """The first unit that is under way reaches the sink."""
        self.egress.deliver(&self.ingress.units[self.egress.done.value.load() & self.ingress.mask])
