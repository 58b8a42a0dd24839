"""A stage: one operator with its worklist, and the stateless operators that are fused behind it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.egress cimport Egress
from streambench.pyx.ingress cimport Ingress
from streambench.pyx.operator cimport Operator
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.partitioning cimport Partitioning
from streambench.pyx.reorder_buffer cimport EVENTS, Downstream, ReorderBuffer
from streambench.pyx.scheduler cimport OperatorState
from streambench.pyx.unit cimport MAX_OPERATORS, Unit

cdef enum:
    WORKERS             # workers allotted now
    QUEUED              # tuples in the worklist (an empty unit counts as one)
    TICKS               # worker time since the start
    TUPLES_IN
    TUPLES_OUT
    WINDOW_TICKS        # worker time in the current window of the scheduler
    RECENT_TICKS        # as above, but fading with each window: cost and selectivity follow the stream
    RECENT_IN
    RECENT_OUT
    VISITS
    COUNTERS

cdef class Stage(Downstream):
    cdef readonly Operator operator
    cdef readonly int32_t place                 # of the operator in the pipeline, from 0
    cdef readonly list fused                    # Stateless operators that its workers apply before they hand a unit on
    cdef void* fused_operators[MAX_OPERATORS]
    cdef int32_t n_fused
    cdef Stage next                             # None behind the last one
    cdef Partitioning scatter_for               # of the next stage, where that is partitioned
    cdef ReorderBuffer reorder                  # None behind the last one
    cdef bint before_sink
    cdef bint enters                            # its operator is the first: a unit's latency counts from its start here
    cdef Egress egress
    cdef PaddedCounter* counters
    cdef int64_t max_workers
    cdef bint traced
    cdef uint64_t trace                         # digest of the ordered output, if traced
    cdef int64_t visit(self, int64_t budget) noexcept nogil
    cdef bint schedulable(self) noexcept nogil
    cdef void enqueue(self, Unit* unit) noexcept nogil
    cdef void finish(self, Unit* unit) noexcept nogil
    cdef void apply_fused(self, Unit* unit) noexcept nogil
    cdef void state(self, OperatorState* state) noexcept nogil
    cdef void account(self, int64_t elapsed) noexcept nogil
    cdef void count_in(self, int64_t tuples) noexcept nogil
    cdef void* last_operator(self) noexcept nogil
    cdef void sample(self, vector[int64_t]* into) noexcept nogil
    cdef void fade(self) noexcept nogil

cdef inline int64_t weight(int64_t tuples) noexcept nogil:
    """What a unit or group counts in a worklist: never 0, or an empty one would be forgotten there."""
    return tuples if tuples > 0 else 1
