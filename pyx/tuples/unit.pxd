"""A work unit: a run of consecutive tuples that is scheduled and ordered as one."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport LayoutPointer
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.simulated cimport present

cpdef enum:
    # Python reads them, too.
    MAX_OPERATORS = 24                  # of a pipeline, source and sink among them
    NEAR_PIECE = 1 << 14                # tuples of a unit's piece where one worker takes it to the
                                        # sink: they stay in its cache
    MOST_DEALT = 4                      # operators that are dealt together
    FAR_PIECE = 1 << 16                 # and where workers hand it on: each piece goes all the way

cdef struct Group:
    # The tuples of a unit that fall into one partition: rows order[begin:end] of the unit
    # that the operator has not taken.
    int32_t partition
    int32_t begin
    int32_t end
    bint again                          # it has been processed, and `out` may hold what has not gone on
    int32_t failed_row                  # -1, or the input row that the operator refused
    const char* failure
    void* unit
    int64_t given[MOST_DEALT]           # of a group that is dealt: what each of the operators has been given
    Columns out

cdef struct Index:
    # A unit's rows by partition, for an operator that gets them so.
    uint32_t* order                     # row numbers, partition by partition
    int64_t* keys
    uint32_t* partition_of
    int32_t order_rows
    Group* groups
    int32_t n_groups
    int32_t allotted_groups
    int32_t given_width                 # columns that the operator was given, before it appends any
    int32_t gone_on                     # rows, from the first on, whose outputs are in pieces that have gone on

cdef struct Held:
    # What an operator that has stopped has not taken of its input, while what it emitted
    # goes on as a piece of the unit.
    int32_t place
    Columns rows
    bint by_group                       # it gets them by partition: all rows are kept, with their index
    Index index

cdef struct Unit:
    int64_t serial                      # place in the order, the same at every operator
    int64_t first                       # index of the unit's first tuple at the ingress
    int64_t source_row                  # the source's own: where `fill` finds the tuples
    int64_t arrived                     # tuples it entered with; 0 for a unit of end-of-stream state
    bint marked                         # a marker rides on it
    PaddedCounter* entered              # of a marked one: the tick at which the first operator began with it, 0 before
    int64_t operated                    # of a marked one: the tick at which the last
                                        # operator's output went on, in order
    Columns* now                        # what the next operator reads
    Columns* spare                      # where it writes
    Columns buffers[2]
    bint used                           # it has had tuples, and has memory for such
    int32_t most                        # tuples of a piece, after which operators may stop
    Held* held                          # by ascending place; while there are any, the unit comes again
    int32_t n_held
    int32_t allotted_held
    bint again                          # this is not its first piece
    Index index
    int32_t* starts                     # per partition, while the order is made: where its next row goes
    int32_t n_starts
    uint32_t* identity                  # 0, 1, 2, ...: the order of a unit that lies in one partition
    int32_t identity_rows
    PaddedCounter* pending              # groups not yet processed; who takes it to 0 finishes the unit
    PaddedCounter* ready                # engine `ordered`: the segment that may take the unit, see `ready_for`
    int32_t failed_operator             # -1, or the operator that refused a tuple: nothing after it may leave
    int64_t failed_row                  # counted from the first tuple that the unit gave the operator
    const char* failure
    char* failed_tuple                  # value by value, without gaps
    int32_t failed_width
    LayoutPointer failed_layout
    int64_t tuples_in[MAX_OPERATORS]    # per operator, what it was given of this unit

cdef int init_unit(Unit* unit) except -1
cdef void clear_unit(Unit* unit) noexcept nogil
cdef void begin_unit(Unit* unit, int64_t serial) noexcept nogil
cdef void take_memory(Unit* unit, Unit* other) noexcept nogil
cdef void hold(Unit* unit, int32_t place, int32_t taken) noexcept nogil
cdef void hold_groups(Unit* unit, int32_t place) noexcept nogil
cdef void take_up_groups(Unit* unit) noexcept nogil
cdef void need_groups(Unit* unit, int32_t groups) noexcept nogil
cdef void need_order(Unit* unit, int32_t rows) noexcept nogil
cdef void need_starts(Unit* unit, int32_t partitions) noexcept nogil
cdef void need_identity(Unit* unit, int32_t rows) noexcept nogil
cdef void fail_unit(Unit* unit, int32_t operator, Columns* rows, int32_t width, int32_t row,
                    const char* why) noexcept nogil

cdef inline void enter_unit(Unit* unit) noexcept nogil:
    """An operator begins with the unit. Of several workers, each with a group of it, the first counts."""
    cdef int64_t none = 0
    if unit.marked and unit.entered.value.load(memory_order_relaxed) == 0:
        unit.entered.value.compare_exchange_strong(none, present(), memory_order_relaxed, memory_order_relaxed)

cdef inline int32_t held_at(const Unit* unit) noexcept nogil:
    """The last of the operators that have not taken all of their input, -1 for none: the
    unit's next piece begins there."""
    return unit.held[unit.n_held - 1].place if unit.n_held else -1

cdef inline int32_t rest_of(const Unit* unit, int32_t place) noexcept nogil:
    """The tuples that the operator at ``place`` has not taken; by partition, those whose outputs have not gone on."""
    if held_at(unit) != place:
        return 0
    return unit.held[unit.n_held - 1].rows.n - (unit.held[unit.n_held - 1].index.gone_on if is_held_by_group(unit)
                                                else 0)

cdef inline bint is_held_by_group(const Unit* unit) noexcept nogil:
    """Is it by partition that the last of these operators gets its input?"""
    return unit.held[unit.n_held - 1].by_group

cdef inline bint has_stopped(const Group* group) noexcept nogil:
    """Of a group that has been processed: has the operator left rows of it for the next piece?"""
    return group.failed_row < 0 and group.begin < group.end

cdef inline void swap(Unit* unit) noexcept nogil:
    unit.now, unit.spare = unit.spare, unit.now
