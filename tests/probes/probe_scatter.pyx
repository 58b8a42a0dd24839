"""The index that a unit gets for a partitioned operator."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns, reserve, reset
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.partition.group cimport scatter
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.unit cimport Unit, begin_unit, clear_unit, init_unit


cdef class Index:
    """One unit, which is given keys again and again, as a unit's slot is."""
    cdef Unit unit
    cdef Partitioning partitioning
    cdef PartitionedStateful operator

    def __cinit__(self, *args, **kwargs):
        init_unit(&self.unit)

    def __init__(self, Partitioning partitioning):
        self.partitioning = partitioning
        self.operator = PartitionedStateful()
        self.operator.emitted_width = 1

    def __dealloc__(self):
        clear_unit(&self.unit)

    def groups(self, list keys, bint empty_too):
        """Per group, its partition and the numbers of its rows."""
        cdef Columns* given = self.unit.now
        cdef int32_t row, g
        cdef uint32_t* order
        begin_unit(&self.unit, 0)
        reset(given, 1)
        reserve(given, max(len(keys), 1))
        for row in range(<int32_t>len(keys)):
            given.column[0][row] = keys[row]
        given.n = <int32_t>len(keys)
        scatter(self.partitioning, self.operator, 0, &self.unit, empty_too)
        assert self.unit.pending.value.load() == self.unit.index.n_groups
        order = self.unit.identity if self.unit.index.n_groups == 1 else self.unit.index.order
        return [(self.unit.index.groups[g].partition,
                 [order[row] for row in range(self.unit.index.groups[g].begin, self.unit.index.groups[g].end)])
                for g in range(self.unit.index.n_groups)]
