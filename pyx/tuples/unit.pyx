"""Work units and their memory: a unit keeps its buffers, so that the hot path allocates only while they still grow."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.tuples.columns cimport NO_END, clear_columns, drop_first
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.tuples.place_rows cimport PLACED_AT_ONCE


cdef int init_unit(Unit* unit) except -1:
    memset(unit, 0, sizeof(Unit))
    unit.pending = new_counters(3)
    unit.entered = unit.pending + 1
    unit.ready = unit.pending + 2
    unit.now = &unit.buffers[0]
    unit.spare = &unit.buffers[1]
    unit.failed_operator = -1
    unit.most = NO_END
    return 0


cdef void clear_unit(Unit* unit) noexcept nogil:
    cdef int32_t g
    clear_columns(&unit.buffers[0])
    clear_columns(&unit.buffers[1])
    clear_index(&unit.index)
    for g in range(unit.allotted_held):
        clear_columns(&unit.held[g].rows)
        clear_index(&unit.held[g].index)
    free(unit.held)
    free(unit.starts)
    free(unit.identity)
    free(unit.failed_tuple)
    if unit.pending is not NULL:
        delete_counters(unit.pending)
    memset(unit, 0, sizeof(Unit))


cdef void clear_index(Index* index) noexcept nogil:
    cdef int32_t g
    for g in range(index.allotted_groups):
        clear_columns(&index.groups[g].out)
    free(index.groups)
    free(index.order)
    free(index.keys)
    free(index.partition_of)


cdef void begin_unit(Unit* unit, int64_t serial) noexcept nogil:
    """Make a recycled unit ready for its next tuples. ``source_row`` stays: it tells a source
    what the unit was before."""
    cdef int32_t k
    unit.serial = serial
    unit.first = 0
    unit.arrived = 0
    unit.failed_operator = -1
    unit.failed_row = -1
    unit.failure = NULL
    unit.n_held = 0
    unit.again = False
    unit.now.n = 0
    if unit.marked:
        unit.marked = False
        unit.operated = 0
        unit.entered.value.store(0, memory_order_relaxed)   # the admission of the unit publishes it
    for k in range(0, MAX_OPERATORS, 8):                    # by the line: of all at once gcc makes a slow `rep stos`
        memset(&unit.tuples_in[k], 0, 64)


cdef void take_memory(Unit* unit, Unit* other) noexcept nogil:
    """Give ``unit``, which has never been used, the memory of another that is at rest; that one is as
    if it had never been used."""
    cdef Unit none
    move_memory(&none, unit)
    move_memory(unit, other)
    move_memory(other, &none)
    other.used = False


cdef void move_memory(Unit* to, const Unit* unit) noexcept nogil:
    """``now`` and ``spare`` stay: what they point at has changed hands."""
    to.buffers[0] = unit.buffers[0]
    to.buffers[1] = unit.buffers[1]
    to.held = unit.held
    to.allotted_held = unit.allotted_held
    to.index = unit.index
    to.starts = unit.starts
    to.n_starts = unit.n_starts
    to.identity = unit.identity
    to.identity_rows = unit.identity_rows


cdef void hold(Unit* unit, int32_t place, int32_t rows) noexcept nogil:
    """Keep ``unit.now``, the input of the operator at ``place``, but for the tuples that it has taken."""
    cdef Held* held = hold_rows(unit, place)
    held.by_group = False
    drop_first(&held.rows, rows)


cdef void hold_groups(Unit* unit, int32_t place) noexcept nogil:
    """The same with the index by which it gets its input, and what groups hold: all of it, until ``take_up_groups``."""
    cdef Held* held = hold_rows(unit, place)
    cdef Index index = held.index
    held.by_group = True
    held.index = unit.index
    unit.index = index


cdef void take_up_groups(Unit* unit) noexcept nogil:
    """What ``hold_groups`` has kept last is the unit's again."""
    cdef Held* held = &unit.held[unit.n_held - 1]
    cdef Index index = held.index
    cdef Columns rows = held.rows
    held.index = unit.index             # buffers change hands here, too
    held.rows = unit.now[0]
    unit.index = index
    unit.now[0] = rows
    unit.n_held -= 1


cdef Held* hold_rows(Unit* unit, int32_t place) noexcept nogil:
    cdef Held* held
    cdef Columns rows
    if unit.n_held == unit.allotted_held:
        unit.held = <Held*>enlarge(unit.held, (unit.n_held + 1) * sizeof(Held))
        memset(&unit.held[unit.n_held], 0, sizeof(Held))
        unit.allotted_held += 1
    held = &unit.held[unit.n_held]
    unit.n_held += 1
    held.place = place
    rows = held.rows                    # buffers change hands, so that no tuple is copied
    held.rows = unit.now[0]
    unit.now[0] = rows
    return held


cdef void need_groups(Unit* unit, int32_t groups) noexcept nogil:
    cdef int32_t size = 4
    if unit.index.allotted_groups >= groups:
        return
    while size < groups:
        size *= 2
    unit.index.groups = <Group*>enlarge(unit.index.groups, size * sizeof(Group))
    memset(&unit.index.groups[unit.index.allotted_groups], 0, (size - unit.index.allotted_groups) * sizeof(Group))
    unit.index.allotted_groups = size


cdef void need_order(Unit* unit, int32_t rows) noexcept nogil:
    cdef int32_t size = 16
    if unit.index.order_rows >= rows:
        return
    while size < rows:
        size *= 2
    unit.index.order = <uint32_t*>enlarge(unit.index.order, (size + PLACED_AT_ONCE) * sizeof(uint32_t))
    unit.index.keys = <int64_t*>enlarge(unit.index.keys, size * sizeof(int64_t))
    unit.index.partition_of = <uint32_t*>enlarge(unit.index.partition_of, size * sizeof(uint32_t))
    unit.index.order_rows = size


cdef void need_starts(Unit* unit, int32_t partitions) noexcept nogil:
    if unit.n_starts < partitions:
        unit.starts = <int32_t*>enlarge(unit.starts, partitions * sizeof(int32_t))
        unit.n_starts = partitions


cdef void need_identity(Unit* unit, int32_t rows) noexcept nogil:
    cdef int32_t size = 16, i
    if unit.identity_rows >= rows:
        return
    while size < rows:
        size *= 2
    unit.identity = <uint32_t*>enlarge(unit.identity, size * sizeof(uint32_t))
    for i in range(unit.identity_rows, size):
        unit.identity[i] = i
    unit.identity_rows = size


cdef void fail_unit(Unit* unit, int32_t operator, Columns* rows, int32_t width, int32_t row,
                    const char* why) noexcept nogil:
    """Remember a refused tuple. A later operator sees only what came before it, so the last to fail is first in order.

    What operators hold of the unit comes behind it and is given up. ``width``: of the input; what an operator in place
    appends to a refused row has no value.
    """
    cdef int32_t k, size
    cdef int64_t at = 0
    for k in range(width):
        at += size_of(rows.layout, k)
    unit.failed_tuple = <char*>enlarge(unit.failed_tuple, at)
    unit.n_held = 0
    unit.failed_operator = operator
    unit.failed_row = unit.tuples_in[operator] - rows.n + row       # pieces before may have gone through it
    unit.failure = why
    unit.failed_width = width
    unit.failed_layout = rows.layout
    at = 0
    for k in range(width):
        size = size_of(rows.layout, k)
        memcpy(unit.failed_tuple + at, <char*>rows.column[k] + <int64_t>row * size, size)
        at += size
