"""Groups: the tuples of a unit that fall into one partition, processed by one worker, and gathered by who is last."""

from libc.stdint cimport int32_t, uint32_t
from streambench.pyx.columns cimport Columns, reset
from streambench.pyx.operator cimport PartitionedStateful
from streambench.pyx.partitioning cimport merge_groups
from streambench.pyx.unit cimport Group, Unit, fail_unit, swap


cdef inline void view_columns(Columns* rows, Columns* out) noexcept nogil:
    """Let ``out`` stand for the same memory; groups that refuse tuples at the same time then each say why in their own."""
    cdef int32_t k
    out.n = rows.n
    out.width = rows.width
    out.capacity = 0                # not its own: the next user starts with what it owns
    for k in range(rows.width):
        out.column[k] = rows.column[k]


cdef void process_group(PartitionedStateful operator, Group* group) noexcept nogil:
    """Process a group. Outputs go to the group's own columns, or straight to the unit where it is the only group."""
    cdef Unit* unit = <Unit*>group.unit
    cdef Columns* out = &group.out
    cdef uint32_t* rows = unit.order
    if unit.n_groups == 1:
        rows = unit.identity
        out = unit.spare
    if not operator.in_place:
        reset(out, operator.emitted_width)
    elif unit.n_groups == 1:
        out = unit.now
    else:
        view_columns(unit.now, out)
    if group.end == group.begin:
        return
    group.failed_row = operator.process(group.partition, unit.now, rows + group.begin, group.end - group.begin, out)
    if group.failed_row >= 0:
        group.failure = out.failure


cdef void gather_groups(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil:
    """All groups are processed: put their outputs in the order of the input; the first refused row truncates the unit."""
    cdef int32_t g, first = -1, limit = unit.now.n
    for g in range(unit.n_groups):
        if unit.groups[g].failed_row >= 0 and (first < 0 or unit.groups[g].failed_row < unit.groups[first].failed_row):
            first = g
    if first >= 0:
        limit = unit.groups[first].failed_row
        fail_unit(unit, place, unit.now, unit.given_width, limit, unit.groups[first].failure)
    if operator.in_place:
        unit.now.n = limit
    elif unit.n_groups == 1:
        swap(unit)
    else:
        merge_groups(unit, operator.emitted_width, operator.list_column, limit)
