"""How units come in: from the source, and at end of stream from what the operators still hold."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.engine.end_of_stream cimport EndOfStream
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.engine.pauses cimport Pauses
from streambench.pyx.machine.run_queue cimport RunQueues
from streambench.pyx.ordered.controller cimport Controller
from streambench.pyx.ordered.metered_operators cimport MeteredOperators
from streambench.pyx.ordered.plan cimport Plan
from streambench.pyx.ordered.plans_in_force cimport PlansInForce
from streambench.pyx.ordered.seats cimport Seats
from streambench.pyx.ordered.segments cimport Mine, Segments
from streambench.pyx.tuples.unit cimport Unit

@cython.final
cdef class Admission:
    cdef Ingress ingress
    cdef Egress egress
    cdef MeteredOperators operators
    cdef PlansInForce plans
    cdef Segments segments
    cdef Controller controller
    cdef RunQueues run_queues
    cdef Seats seats
    cdef int workers
    cdef int64_t at_once                        # tuples that a whole plan's worker takes in one unit
    cdef Unit alone                             # the unit of a whole plan: always the same memory
    cdef bint dry                               # under the lock: since the last look the source once had nothing
    cdef int64_t cut_short                      # under the lock: tuples since then in units that were not full
    cdef bint replanned                         # under the lock: wait until no unit is in flight, then change
    cdef int64_t most_under_way                 # under the lock: units, as the controller says
    cdef int64_t first_serial                   # under the lock: of the plan in force
    cdef EndOfStream end                        # under the lock
    cdef Pauses pauses                          # under the lock
    cdef bint in_pieces                         # under the lock: of the last unit flushed more
                                                # may come before the next one
    cdef void install(self) noexcept nogil
    cdef bint is_pausing(self) noexcept nogil
    cdef void pause(self) noexcept nogil
    cdef void deal(self, bint dealt) noexcept nogil
    cdef void allow(self) noexcept nogil
    cdef bint admit(self, Mine* mine) noexcept nogil
    cdef bint admit_to_sink(self, int64_t begun, Mine* mine) noexcept nogil
    cdef bint admit_to_segment(self, Plan* plan, int64_t begun, Mine* mine) noexcept nogil
    cdef bint enter(self, Plan* plan, Unit* unit, int64_t begun, Mine* mine) noexcept nogil
    cdef bint enter_behind(self, Plan* plan, int32_t flushed, Unit* unit, int64_t begun, Mine* mine) noexcept nogil
    cdef int32_t take(self, Unit* unit, Mine* mine) noexcept nogil
    cdef int64_t take_tuples(self, Unit* unit, Mine* mine) noexcept nogil
    cdef void decide(self, int64_t begun, int64_t now, int64_t position) noexcept nogil
    cdef int32_t flush(self, Unit* unit, Mine* mine) noexcept nogil
    cdef bint quiescent(self) noexcept nogil
