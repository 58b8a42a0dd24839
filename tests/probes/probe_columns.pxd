"""Units of NumPy arrays, for probes that call operators by hand."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, reserve, reset_as
from streambench.pyx.tuples.layout cimport LayoutPointer, layout_of, size_of
from streambench.pyx.tuples.operator cimport Operator


cdef inline bind_to(Operator operator, columns):
    """Let the operator take columns of these types, in the order in which it reads them."""
    names = operator.reads if operator.reads is not None else [f"c{k}" for k in range(len(columns))]
    operator.bind(tuple(zip(names, [each.dtype for each in columns])))


cdef inline int fill_unit(Columns* rows, columns, int64_t begin, int32_t n) except -1:
    """Write rows ``begin`` to ``begin`` + ``n`` - 1 of the columns to a unit's own memory."""
    cdef LayoutPointer layout = layout_of(tuple([each.dtype for each in columns]))
    cdef size_t memory
    cdef int64_t size
    cdef int32_t k
    reset_as(rows, <int32_t>len(columns), layout)
    reserve(rows, n)
    rows.n = n
    for k in range(rows.width):
        memory, size = columns[k].ctypes.data, size_of(layout, k)
        memcpy(rows.column[k], <char*>memory + begin * size, n * size)
    return 0


cdef inline list emitted_tuples(Columns* out, Operator operator):
    """The tuples that an operator has emitted; of one that emits lists those lists, each a tuple of its own."""
    cdef size_t memory
    cdef int64_t i, begin
    cdef int32_t k, list_column = operator.list_column
    columns = []
    import numpy
    for k, (_, kind) in enumerate(operator.schema):
        values = numpy.empty(out.n, dtype=kind)
        memory = values.ctypes.data
        memcpy(<void*>memory, out.column[k], out.n * kind.itemsize)
        columns.append(values.tolist())
    if list_column < 0:
        return list(zip(*columns, strict=True))
    tuples = []
    for i in range(out.n):
        begin = columns[list_column][i]
        tuples.append((tuple([out.heap[begin + k] for k in range(columns[list_column + 1][i])]),))
    return tuples
