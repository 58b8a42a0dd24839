"""The operators of the engine `ordered`, called on whole units or groups of them, and what each call takes."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.ordered.meter cimport Meters
from streambench.pyx.machine.padded cimport CounterLine, PaddedCounter
from streambench.pyx.ordered.plan cimport Cuts
from streambench.pyx.tuples.fused cimport Fusions
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef enum:
    FIRST_OPERATOR = 1          # behind the source
    SMALL = 64                  # tuples: of smaller units the clock is read for one of eight

cdef struct Stopwatch:
    # A worker's own.
    CounterLine* meters         # by operator
    uint64_t drawn              # a linear congruential generator (Knuth): whether the clock is read
    int64_t alone[MAX_OPERATORS]        # by operator: the ticks of its latest unit that was
                                        # timed and not fused; 0 before
    int64_t alone_rows[MAX_OPERATORS]   # how many rows it was given then

cdef inline bint draw(Stopwatch* watch, int bits) noexcept nogil:
    """True for one of 2 ** ``bits``."""
    watch.drawn = watch.drawn * <uint64_t>6364136223846793005 + <uint64_t>1442695040888963407
    return watch.drawn >> (64 - bits) == 0

cdef inline bint is_timed(Stopwatch* watch, int64_t rows) noexcept nogil:
    """Whether to read the clock: for small units it would cost more than the operators, so one of eight is drawn."""
    return rows >= SMALL or draw(watch, 3)

@cython.final
cdef class MeteredOperators:
    cdef list operators                         # source, operators, sink
    cdef list kept                              # the Partitionings
    cdef Fusions fusions
    cdef int32_t n
    cdef void* at[MAX_OPERATORS]                # borrowed, by place
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t partitions[MAX_OPERATORS]
    cdef void* partitioning[MAX_OPERATORS]      # borrowed Partitioning of partitioned operators
    cdef bint free[MAX_OPERATORS]               # takes rows of any partitions
    cdef bint shared[MAX_OPERATORS]             # as the operator was last told
    cdef void* dealt[MAX_OPERATORS]             # borrowed, by the place of the first of its
                                                # operators: the Dealt, or NULL
    cdef int32_t dealt_ends[MAX_OPERATORS]      # behind its last one; 0 where there is none
    cdef Meters meters
    cdef PaddedCounter* stopped                 # borrowed of the engine's token
    cdef void share(self, Cuts cuts) noexcept nogil
    cdef void operate(self, Unit* unit, int32_t begin, int32_t end, Stopwatch* watch) noexcept nogil
    cdef int32_t operate_fused(self, Unit* unit, int32_t place, int32_t end, bint timed,
                               Stopwatch* watch) noexcept nogil
    cdef void count_fused(self, Unit* unit, int32_t place, int32_t end, const int64_t* given, int64_t elapsed,
                          Stopwatch* watch) noexcept nogil
    cdef int32_t resume(self, Unit* unit, Stopwatch* watch) noexcept nogil
    cdef void call_all(self, Unit* unit, int32_t begin, int32_t end, Stopwatch* watch) noexcept nogil
    cdef void share_dealt(self, Cuts cuts, bint dealt) noexcept nogil
    cdef void deal(self, int32_t place, Unit* unit) noexcept nogil
    cdef void process_dealt(self, int32_t place, Unit* unit, int32_t shard, Stopwatch* watch) noexcept nogil
    cdef void gather_dealt(self, int32_t place, Unit* unit, Stopwatch* watch) noexcept nogil
    cdef void scatter(self, int32_t place, Unit* unit) noexcept nogil
    cdef void process_shard(self, int32_t place, Unit* unit, int32_t shard, Stopwatch* watch) noexcept nogil
    cdef void gather(self, int32_t place, Unit* unit, Stopwatch* watch) noexcept nogil
