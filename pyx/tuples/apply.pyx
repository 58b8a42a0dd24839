"""Calling an operator on a whole unit, in the calling worker: what every engine does where nothing is to be shared out.

An operator that emits far more than it is given need not take all of it at once (``columns.enough``). What it has
emitted goes on as a piece of the unit, through the operators behind it, and then ``apply_rest`` has it make the next
piece. So memory and caches hold pieces, however many tuples a unit becomes.
"""

from streambench.pyx.tuples.columns cimport Columns, drop_first, reset_after, widen
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful, Stateful, Stateless
from streambench.pyx.tuples.unit cimport Held, fail_unit, hold, need_identity, swap


cdef int kind_of(object operator) except -1:
    """Which ``process`` an operator has; sources have none and count as stateful."""
    if isinstance(operator, Stateless):
        return STATELESS
    return PARTITIONED if isinstance(operator, PartitionedStateful) else STATEFUL


cdef void apply(Operator operator, int kind, int32_t place, Unit* unit) noexcept nogil:
    """Run ``operator``, the one at ``place`` in the pipeline, over ``unit.now``; a refused tuple
    truncates the unit before it.

    A partitioned operator gets all rows as partition 0, or a partition-free one as what they are. What the operator
    does not take of them the unit holds.
    """
    cdef Columns* rows = unit.now
    cdef int32_t failed, width = rows.width
    unit.tuples_in[place] += rows.n
    if operator.in_place:
        widen(rows, operator.emitted_width, operator.layout)
        failed = call(operator, kind, unit, rows, rows)
        if failed >= 0:
            fail_unit(unit, place, rows, width, failed, rows.failure)
            rows.n = failed
        return
    failed = emit_piece(operator, kind, unit, rows)
    if failed >= 0:
        fail_unit(unit, place, rows, width, failed, unit.spare.failure)
    elif unit.spare.taken < rows.n:
        hold(unit, place, unit.spare.taken)
    swap(unit)


cdef void apply_rest(Operator operator, int kind, Unit* unit) noexcept nogil:
    """Make the unit's next piece: run ``operator``, the last one that has not taken all of its
    input, over the rest of it."""
    cdef Held* held = &unit.held[unit.n_held - 1]
    cdef Columns* rows = &held.rows
    cdef int32_t failed = emit_piece(operator, kind, unit, rows)
    unit.again = True
    if failed >= 0:
        fail_unit(unit, held.place, rows, rows.width, failed, unit.spare.failure)
    elif unit.spare.taken < rows.n:
        drop_first(rows, unit.spare.taken)
    else:
        unit.n_held -= 1
    swap(unit)


cdef inline int32_t emit_piece(Operator operator, int kind, Unit* unit, Columns* rows) noexcept nogil:
    """Have the operator emit into ``unit.spare``. Returns the row that it refuses, or -1."""
    reset_after(unit.spare, rows, operator.emitted_width, operator.layout)
    unit.spare.most = unit.most
    unit.spare.taken = rows.n
    return call(operator, kind, unit, rows, unit.spare)


cdef inline int32_t call(Operator operator, int kind, Unit* unit, Columns* rows, Columns* out) noexcept nogil:
    if kind == STATELESS:
        return (<Stateless>operator).process(rows, out)
    if kind == STATEFUL:
        return (<Stateful>operator).process(rows, out)
    if rows.n == 0:
        return -1
    if (<PartitionedStateful>operator).partition_free:
        return (<PartitionedStateful>operator).process(ANY_PARTITION, rows, NULL, rows.n, out)
    need_identity(unit, rows.n)
    return (<PartitionedStateful>operator).process(0, rows, unit.identity, rows.n, out)
