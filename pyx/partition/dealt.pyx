"""Neighbouring operators that run by partition of what they make, not of what they are given.

Where an operator makes many tuples of one, to share out what it has made is dearer than to make it: all of it goes
through memory, is indexed, and moves to another core. Such an operator may offer that every partition is dealt all rows
of a unit, makes of them only what belongs to the partition, and brings that through the operators behind at once. What
the last of them emits is merged. Rows are read once for each partition, so this is for operators that emit far more
than they are given, in front of some that emit far less.
"""

from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.tuples.columns cimport reset_after
from streambench.pyx.tuples.operator cimport Operator
from streambench.pyx.tuples.unit cimport MOST_DEALT, need_groups, swap


cdef class Dealt:
    """``operators``: those that it stands for, neighbours in this order, prepared. It works on
    their state, of ``partitions``.

    The first one is partitioned. None of them refuses a tuple, and none but the last one
    emits anything at end of stream.
    """

    def __init__(self, tuple operators, int32_t partitions):
        cdef Operator last = operators[len(operators) - 1]
        if len(operators) > MOST_DEALT:
            raise ValueError(f"{len(operators)} operators are to be dealt together; {MOST_DEALT} can be")
        self.operators = operators
        self.n = <int32_t>len(operators)
        self.partitions = partitions
        self.emitted_width = last.emitted_width
        self.layout = last.layout

    cdef void share(self, bint dealt) noexcept nogil:
        """From now on ``process`` is called, or the operators are again; at first they are.
        Nobody is in them meanwhile.

        Told after the operators' own ``share`` where they are dealt from now on, before it where they no longer are.
        """
        pass

    cdef void process(self, int32_t partition, Columns* rows, Columns* out, int64_t* counts) noexcept nogil:
        """Do with all rows, of which there are some, what belongs to the partition; emit with ``emit_from(out, row)``.

        ``given[k]``, for each but the first, 0 before: what the k-th operator is given of that.
        """
        pass

    cdef void merge(self, Group* groups, int32_t n, Columns* out) noexcept nogil:
        """Emit what the operators would, from what each of the ``n`` groups' ``out`` has, of a unit."""
        pass


def dealt_behind(list operators, list partitions):
    """Return {place: Dealt} of those that operators at these places offer, of ``operators`` from the
    source to the sink, prepared.

    ``partitions`` by place; only where all of the Dealt's keyed operators have the same number, of two at least.
    Raises ValueError for one that stands for other operators.
    """
    by_place = {}
    behind = operators[: len(operators) - 1]        # the sink is never one of them
    for place, operator in enumerate(behind):
        if not hasattr(operator, "dealt_with") or partitions[place] < 2:
            continue
        dealt = operator.dealt_with(tuple(behind[place + 1 :]), True)
        if dealt is not None and any(one is not other for one, other in zip(dealt.operators, behind[place:])):
            raise ValueError(f"what operator {place} is dealt with does not stand for it and those behind it")
        if dealt is not None and len(set(partitions[place : place + len(dealt.operators)])) == 1:
            by_place[place] = dealt
    return by_place


cdef void deal(Dealt dealt, int32_t place, Unit* unit) noexcept nogil:
    """A group of all rows for each partition."""
    cdef int32_t p, k
    cdef Group* group
    unit.tuples_in[place] += unit.now.n
    need_groups(unit, dealt.partitions)
    for p in range(dealt.partitions):
        group = &unit.index.groups[p]
        group.partition = p
        group.begin = 0
        group.end = unit.now.n
        group.again = False
        group.failed_row = -1
        group.failure = NULL
        group.unit = unit
        for k in range(dealt.n):
            group.given[k] = 0
    unit.index.n_groups = dealt.partitions
    unit.index.given_width = unit.now.width
    unit.index.gone_on = 0
    # Relaxed: the unit's readiness publishes it.
    unit.pending.value.store(dealt.partitions, memory_order_relaxed)


cdef void process_dealt(Dealt dealt, Group* group) noexcept nogil:
    """Process a group: all of it, whatever it becomes."""
    cdef Unit* unit = <Unit*>group.unit
    reset_after(&group.out, unit.now, dealt.emitted_width, dealt.layout)
    group.given[0] = group.end
    if group.end > 0:
        dealt.process(group.partition, unit.now, &group.out, group.given)
    group.begin = group.end


cdef void gather_dealt(Dealt dealt, int32_t place, Unit* unit) noexcept nogil:
    """All groups are processed: merge what they have emitted."""
    cdef int32_t p, k
    for k in range(1, dealt.n):
        for p in range(unit.index.n_groups):
            unit.tuples_in[place + k] += unit.index.groups[p].given[k]
    reset_after(unit.spare, unit.now, dealt.emitted_width, dealt.layout)
    dealt.merge(unit.index.groups, unit.index.n_groups, unit.spare)
    swap(unit)
