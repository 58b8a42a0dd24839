"""Operators that do another operator's work, and so many rounds of the parametric computation for each tuple besides.

The paper's operators take microseconds a tuple (paper 000, section 7.1), and those of the queries far less. A state
is not saved through them: runs with checkpoints have none.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.partition.every_partition cimport EveryPartition
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Operator, PartitionedStateful, Stateful, Stateless
from streambench.queries.parametric.matrix cimport mixed, multiply

cdef enum:
    SIZE = 16                           # values of the vector that a round multiplies

TUPLE_SIZE = SIZE


cdef struct Work:
    int64_t rounds
    uint64_t weights[2 * SIZE]


def costly(Operator operator, int64_t rounds):
    """Return an operator in the place of ``operator``, which is not prepared yet: ``inner`` of what is returned."""
    if isinstance(operator, EveryPartition):
        raise ValueError(f"operator {operator.name} looks at all units, and its work cannot be done by another")
    if isinstance(operator, Stateless):
        return CostlyStateless(operator, rounds)
    if isinstance(operator, PartitionedStateful):
        return CostlyPartitioned(operator, rounds)
    return CostlyStateful(operator, rounds)


cdef void set_up(Work* work, int64_t rounds) noexcept:
    cdef int32_t k
    work.rounds = rounds
    for k in range(2 * SIZE):
        work.weights[k] = mixed(<uint64_t>(k % SIZE)) | 1


cdef void work_for(const Work* work, int64_t tuples) noexcept nogil:
    """Do the work of so many tuples."""
    cdef uint64_t[SIZE] values
    cdef int32_t k
    for k in range(SIZE):
        values[k] = <uint64_t>k
    multiply(work.weights, values, SIZE, NULL, 0, work.rounds * tuples)


cdef inline int64_t taken(Operator operator, int32_t n, const Columns* out) noexcept nogil:
    """How many of ``n`` tuples the operator has taken: one that emits many may stop before their end."""
    return n if operator.in_place else out.taken


cdef object take_over(Operator operator, Operator inner):
    """What others ask of an operator before it is bound."""
    operator.name = inner.name
    operator.columns = inner.columns
    operator.types = inner.types
    operator.reads = inner.reads
    operator.list_column = inner.list_column
    operator.in_place = inner.in_place


cdef object bound(Operator operator, Operator inner, inputs):
    operator.schema = inner.bind(inputs)
    return operator.schema


cdef object prepared(Operator operator, Operator inner, int32_t partitions):
    inner.prepare(partitions)
    operator.schema = inner.schema
    operator.emitted_width = inner.emitted_width
    operator.layout = inner.layout


cdef class CostlyStateless(Stateless):
    cdef readonly Stateless inner
    cdef Work work

    def __init__(self, Stateless inner, int64_t rounds):
        self.inner = inner
        take_over(self, inner)
        set_up(&self.work, rounds)

    def bind(self, inputs):
        return bound(self, self.inner, inputs)

    def prepare(self, int32_t partitions):
        prepared(self, self.inner, partitions)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t n = rows.n, refused = self.inner.process(rows, out)
        work_for(&self.work, taken(self, n, out) if refused < 0 else refused)
        return refused


cdef class CostlyStateful(Stateful):
    cdef readonly Stateful inner
    cdef Work work

    def __init__(self, Stateful inner, int64_t rounds):
        self.inner = inner
        take_over(self, inner)
        set_up(&self.work, rounds)

    def bind(self, inputs):
        return bound(self, self.inner, inputs)

    def prepare(self, int32_t partitions):
        prepared(self, self.inner, partitions)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t n = rows.n, refused = self.inner.process(rows, out)
        work_for(&self.work, taken(self, n, out) if refused < 0 else refused)
        return refused

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        return self.inner.flush(out, at_most)


cdef class CostlyPartitioned(PartitionedStateful):
    cdef readonly PartitionedStateful inner
    cdef Work work

    def __init__(self, PartitionedStateful inner, int64_t rounds):
        self.inner = inner
        take_over(self, inner)
        self.low_key = inner.low_key
        self.high_key = inner.high_key
        self.partition_free = inner.partition_free
        set_up(&self.work, rounds)

    def bind(self, inputs):
        return bound(self, self.inner, inputs)

    def prepare(self, int32_t partitions):
        self.partitions = partitions
        prepared(self, self.inner, partitions)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        self.inner.select_keys(rows, keys)

    cdef void share(self, bint shared) noexcept nogil:
        self.inner.share(shared)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t refused = self.inner.process(partition, rows, selected, n, out)
        work_for(&self.work, taken(self, n, out) if refused < 0 else 0)
        return refused

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        return self.inner.flush(out, at_most)
