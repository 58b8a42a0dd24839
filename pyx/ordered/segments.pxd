"""A unit's way through the segments of a plan, and the turns that decide who may take it."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.engine.ingress cimport Ingress
from streambench.pyx.engine.worker_log cimport WorkerLog
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport Parking
from streambench.pyx.ordered.metered_operators cimport MeteredOperators, Stopwatch
from streambench.pyx.ordered.plan cimport Plan, Segment
from streambench.pyx.tuples.unit cimport Unit

cdef enum:
    MOST_FINISHED = 16          # units whose turn a worker passes on before it finishes them

cdef struct Mine:
    # What a worker knows by itself.
    Stopwatch watch
    PaddedCounter* held         # see `PlansInForce.present`
    int32_t segment             # where it worked last, and looks first: its state is in the cache
    Unit* finished[MOST_FINISHED]
    int32_t n_finished
    WorkerLog* log              # NULL: nothing is recorded

@cython.final
cdef class Segments:
    cdef Ingress ingress                        # whose slots hold the units
    cdef Egress egress
    cdef MeteredOperators operators
    cdef Parking* parking                       # where workers sleep; borrowed of the engine
    cdef bint visit(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil
    cdef bint visit_segment(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil
    cdef bint visit_shard(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil
    cdef bint is_ready(self, Plan* plan, int32_t j, int64_t serial) noexcept nogil
    cdef bint take(self, Plan* plan, int32_t j, int32_t shard, int64_t turn) noexcept nogil
    cdef void pass_turn(self, Segment* segment, int32_t shard, int64_t serial) noexcept nogil
    cdef bint needs_finish(self, Plan* plan, int32_t j) noexcept nogil
    cdef void finish_all(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil
    cdef void finish(self, Plan* plan, int32_t j, int32_t place, Unit* unit, Mine* mine) noexcept nogil
    cdef void next_piece(self, Plan* plan, Unit* unit, Mine* mine) noexcept nogil
    cdef void share_out_again(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil
    cdef void publish(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil
    cdef void set_ready(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil
