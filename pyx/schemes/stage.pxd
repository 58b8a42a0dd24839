"""A stage: one operator with its worklist, and the stateless operators that are fused behind it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.tuples.operator cimport Operator
from streambench.pyx.machine.padded cimport CounterLine, PaddedCounter
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.schemes.reorder_buffer cimport EVENTS, Downstream, ReorderBuffer
from streambench.pyx.schemes.scheduler cimport OperatorState
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef extern from *:
    """
    #include <bit>
    #include <cstdint>
    namespace streambench {
    inline int64_t bits_of(double value) { return std::bit_cast<int64_t>(value); }
    inline double from_bits(int64_t bits) { return std::bit_cast<double>(bits); }
    }
    """
    int64_t bits_of "streambench::bits_of"(double value) noexcept nogil
    double from_bits "streambench::from_bits"(int64_t bits) noexcept nogil

cdef enum:
    # Places on a stage's counter line. The first eight, a cache line, are all that a decision reads of it. So it is not
    # a worker's meter (``sharded.meter``): one line a stage, that all workers add to, instead of one for each of them.
    WORKERS             # workers allotted now
    DEQUEUED            # tuples taken out of the worklist, see `Tally`
    TICKS               # worker time since the start
    WINDOW_BEGAN        # TICKS when the scheduler's current window began
    COST                # ticks per tuple as of the last visit's end, the bits of a double; 0 when not measured yet
    SELECTIVITY         # likewise
    TUPLES_IN
    VISITS
    TUPLES_OUT
    # Of these three, what has faded: cost and selectivity are of the rest, so that they follow the stream.
    FADED_TICKS
    FADED_IN
    FADED_OUT

    # So many tuples may be taken out before the counter that all share says so: one read-modify-write for all of them.
    COUNTED_AT_ONCE = 64

cdef struct Tally:
    # What a worker counts in a visit and adds to the stage's line at its end.
    int64_t tuples_in
    int64_t tuples_out
    int64_t dequeued        # not counted on the line yet

cdef class Stage(Downstream):
    cdef readonly Operator operator
    cdef readonly int32_t place                 # of the operator in the pipeline, from 0
    cdef int kind                               # which `process` the operator has
    cdef readonly list fused                    # Stateless operators that its workers apply before they hand a unit on
    cdef void* fused_operators[MAX_OPERATORS]
    cdef int32_t n_fused
    cdef Stage next                             # None behind the last one
    cdef void* before                           # the Stage before it, borrowed; NULL before the first one
    cdef Partitioning scatter_for               # of the next stage, where that is partitioned
    cdef bint routes_in_order                   # units are indexed for that by whoever holds the order, as published
    cdef ReorderBuffer reorder                  # None behind the last one
    cdef bint before_sink
    cdef bint enters                            # its operator is the first: a unit's latency counts from its start here
    cdef Egress egress
    cdef CounterLine* counters
    cdef PaddedCounter* enqueued                # tuples put into the worklist, see `weight`; one writer at a time
    cdef int64_t max_workers
    cdef bint traced
    cdef uint64_t trace                         # digest of the ordered output, if traced
    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil
    cdef bint schedulable(self) noexcept nogil
    cdef void enqueue(self, Unit* unit) noexcept nogil
    cdef void finish(self, Unit* unit, Tally* tally) noexcept nogil
    cdef void next_piece(self, Unit* unit) noexcept nogil
    cdef int64_t make_piece(self, Unit* unit, Tally* tally) noexcept nogil
    cdef void operator_left(self) noexcept nogil
    cdef void pass_on(self, Unit* unit, int32_t place, Tally* tally) noexcept nogil
    cdef void route(self, Unit* unit) noexcept nogil
    cdef void put_in_order(self, Unit* unit) noexcept nogil
    cdef void apply_fused(self, Unit* unit, int32_t place) noexcept nogil
    cdef void state(self, OperatorState* state) noexcept nogil
    cdef void account(self, int64_t elapsed, Tally* tally) noexcept nogil
    cdef void publish(self) noexcept nogil
    cdef void trace_output(self, Unit* unit) noexcept nogil
    cdef void* last_operator(self) noexcept nogil
    cdef void sample(self, vector[int64_t]* into) noexcept nogil
    cdef void fade(self) noexcept nogil
    cdef void fade_one(self, int faded, int counted) noexcept nogil

    cdef inline int64_t counted(self, int which) noexcept nogil:
        return self.counters.value[which].load(memory_order_relaxed)

    cdef inline int64_t queued(self) noexcept nogil:
        """Tuples in the worklist; a guess, as the two counters are not read at one time."""
        return self.enqueued.value.load(memory_order_relaxed) - self.counted(DEQUEUED)

    cdef inline void count_enqueued(self, int64_t tuples) noexcept nogil:
        # No read-modify-write: the reorder buffer lets one worker at a time enqueue, and hands this over to the next.
        self.enqueued.value.store(self.enqueued.value.load(memory_order_relaxed) + tuples, memory_order_relaxed)

    cdef inline void count_dequeued(self, Tally* tally, int64_t tuples) noexcept nogil:
        tally.dequeued += tuples
        if tally.dequeued >= COUNTED_AT_ONCE:
            self.settle(tally)

    cdef inline void settle(self, Tally* tally) noexcept nogil:
        self.counters.value[DEQUEUED].fetch_add(tally.dequeued, memory_order_relaxed)
        tally.dequeued = 0

cdef inline Tally new_tally() noexcept nogil:
    cdef Tally tally
    tally.tuples_in = tally.tuples_out = tally.dequeued = 0
    return tally

cdef inline void read_state(CounterLine* counters, int64_t enqueued, int64_t max_workers,
                            OperatorState* state) noexcept nogil:
    """What a heuristic is told of a stage; a guess, as nothing stops the workers meanwhile."""
    cdef int64_t waiting = enqueued - counters.value[DEQUEUED].load(memory_order_relaxed)
    state.workers = counters.value[WORKERS].load(memory_order_relaxed)
    state.max_workers = max_workers
    state.schedulable = waiting > 0 and state.workers < max_workers
    state.worklist = waiting if waiting > 0 else 0
    state.window_time = <double>(counters.value[TICKS].load(memory_order_relaxed)
                                 - counters.value[WINDOW_BEGAN].load(memory_order_relaxed))
    state.cost = from_bits(counters.value[COST].load(memory_order_relaxed))
    state.selectivity = from_bits(counters.value[SELECTIVITY].load(memory_order_relaxed))

cdef inline bint passes_by(const Unit* unit) noexcept nogil:
    """Whether nothing is left of the unit that an operator would have to see: no worklist gets it but the sink's."""
    return unit.now.n == 0 and unit.n_held == 0 and not unit.marked and unit.failed_operator < 0

cdef inline int64_t weight(int64_t tuples) noexcept nogil:
    """What a group counts in a worklist, or a unit that does not pass by: never 0, or an empty one would be forgotten
    there."""
    return tuples if tuples > 0 else 1
