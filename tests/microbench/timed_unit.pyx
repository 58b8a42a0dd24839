"""What is done with one unit: its index by partition, and a pipeline's operator called on it; by
one thread, without Python."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from streambench.pyx.partition.group cimport scatter
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.apply cimport apply, kind_of
from streambench.pyx.tuples.columns cimport reserve, reset
from streambench.pyx.tuples.operator cimport Operator, PartitionedStateful, Source
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit, begin_unit, clear_unit, init_unit


cdef class Partitions:
    """A column of keys told apart by partition, and a unit of that column indexed by it."""

    cdef Unit unit
    cdef Partitioning partitioning
    cdef PartitionedStateful operator

    def __cinit__(self, *args):
        init_unit(&self.unit)

    def __init__(self, const int64_t[::1] keys, int32_t partitions):
        cdef int32_t row, n = <int32_t>keys.shape[0]
        self.partitioning = Partitioning(partitions)
        self.operator = PartitionedStateful()
        self.operator.emitted_width = 1
        begin_unit(&self.unit, 0)
        reset(self.unit.now, 1)
        reserve(self.unit.now, n)
        for row in range(n):
            self.unit.now.column[0][row] = keys[row]
        self.unit.now.n = n

    def __dealloc__(self):
        clear_unit(&self.unit)

    def of_all(self, uint32_t[::1] to, int64_t n):
        """Write the partition of every key, ``n`` times."""
        cdef int64_t k
        with nogil:
            for k in range(n):
                self.partitioning.partition_all(self.unit.now.column[0], &to[0], self.unit.now.n)

    def scatter(self, int64_t n):
        """Index the unit ``n`` times; return how many groups it has."""
        cdef int64_t k
        with nogil:
            for k in range(n):
                scatter(self.partitioning, self.operator, 0, &self.unit, False)
        return self.unit.index.n_groups


cdef class OneUnit:
    """The operator at ``place`` and the unit that it is to be given, after ``before`` units that went through it.

    ``operators``: of a pipeline, source first, prepared for one partition; ``rows`` of the stream make a unit. Raises
    ValueError for a stream that is too short.
    """

    cdef Unit unit
    cdef list operators
    cdef void* at[MAX_OPERATORS]        # borrowed
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t place
    cdef readonly int64_t given         # rows that the operator is given

    def __cinit__(self, *args):
        init_unit(&self.unit)

    def __init__(self, list operators, int32_t place, int64_t rows, int64_t before):
        cdef int64_t serial
        cdef int32_t k
        self.operators, self.place = operators, place
        for k, each in enumerate(operators):
            self.at[k] = <void*>each
            self.kinds[k] = kind_of(each)
        for serial in range(before + 1):
            if not self.admit(serial, rows):
                raise ValueError(f"the stream ends before its unit {serial}")
            for k in range(1, place):
                apply(<Operator>self.at[k], self.kinds[k], k, &self.unit)
            if serial < before:
                self.process()
        self.given = self.unit.now.n

    def __dealloc__(self):
        clear_unit(&self.unit)

    cdef bint admit(self, int64_t serial, int64_t rows) noexcept nogil:
        cdef int64_t first = self.unit.first + self.unit.arrived, n
        begin_unit(&self.unit, serial)
        n = (<Source>self.at[0]).claim(&self.unit, rows)
        if n <= 0:
            return False
        self.unit.first = first
        self.unit.arrived = n
        (<Source>self.at[0]).fill(&self.unit)
        return True

    cpdef int32_t process(self):
        """Call the operator, once; return the place of the operator that refused a tuple, or -1."""
        with nogil:
            apply(<Operator>self.at[self.place], self.kinds[self.place], self.place, &self.unit)
        return self.unit.failed_operator
