"""Calling an operator on a whole unit, in the calling worker: what every engine does where nothing is to be shared out."""

from streambench.pyx.tuples.columns cimport Columns, reset_after, widen
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful, Stateful, Stateless
from streambench.pyx.tuples.unit cimport fail_unit, need_identity, swap


cdef int kind_of(object operator) except -1:
    """Which ``process`` an operator has; sources have none and count as stateful."""
    if isinstance(operator, Stateless):
        return STATELESS
    return PARTITIONED if isinstance(operator, PartitionedStateful) else STATEFUL


cdef void apply(Operator operator, int kind, int32_t place, Unit* unit) noexcept nogil:
    """Run ``operator``, the one at ``place`` in the pipeline, over ``unit.now``; a refused tuple truncates the unit before it.

    A partitioned operator gets all rows as partition 0, or a partition-free one as what they are.
    """
    cdef Columns* rows = unit.now
    cdef Columns* out = unit.spare
    cdef int32_t failed = -1, width = rows.width
    unit.tuples_in[place] = rows.n
    if operator.in_place:
        widen(rows, operator.emitted_width, operator.layout)
        out = rows
    else:
        reset_after(out, rows, operator.emitted_width, operator.layout)
    if kind == STATELESS:
        failed = (<Stateless>operator).process(rows, out)
    elif kind == STATEFUL:
        failed = (<Stateful>operator).process(rows, out)
    elif rows.n > 0 and (<PartitionedStateful>operator).partition_free:
        failed = (<PartitionedStateful>operator).process(ANY_PARTITION, rows, NULL, rows.n, out)
    elif rows.n > 0:
        need_identity(unit, rows.n)
        failed = (<PartitionedStateful>operator).process(0, rows, unit.identity, rows.n, out)
    if failed >= 0:
        fail_unit(unit, place, rows, width, failed, out.failure)
        if operator.in_place:
            rows.n = failed
    if not operator.in_place:
        swap(unit)
