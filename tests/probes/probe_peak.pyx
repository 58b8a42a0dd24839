"""The most tuples that a unit, or a piece of one, has where it passes; and operators that emit many for one."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from streambench.pyx.tuples.columns cimport Columns, emit, emit_from, enough
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateful, Stateless


cdef class Thousandfold(Stateless):
    """(value) -> (value) a thousand times."""

    def __init__(self):
        self.columns = ("value",)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, k, row
        for i in range(rows.n):
            for k in range(1000):
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
            if enough(out, i + 1):
                return -1
        return -1


cdef class ThousandfoldByKey(PartitionedStateful):
    """The same for each key, which is the value. ``most``: tuples in what it emits into, at most ever."""
    cdef atomic[int64_t] held

    def __init__(self):
        self.columns = ("value",)

    @property
    def most(self):
        return self.held.load()

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, k, row
        cdef int64_t most
        for i in range(n):
            for k in range(1000):
                row = emit_from(out, selected[i])
                out.column[0][row] = rows.column[0][selected[i]]
            most = self.held.load(memory_order_relaxed)
            while (most < out.n
                    and not self.held.compare_exchange_weak(most, out.n, memory_order_relaxed, memory_order_relaxed)):
                pass
            if enough(out, i + 1):
                break
        return -1


cdef class Peak(Stateful):
    """Counts, per value, whether there are a thousand in a row, and emits that value; ``most``: tuples at a time."""
    cdef readonly int64_t most
    cdef int64_t last, n

    def __init__(self):
        self.columns = ("value",)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        self.most = max(self.most, <int64_t>rows.n)
        for i in range(rows.n):
            self.n = self.n + 1 if self.n > 0 and rows.column[0][i] == self.last else 1
            self.last = rows.column[0][i]
            if self.n == 1000:
                row = emit(out)
                out.column[0][row] = self.last
                self.n = 0
        return -1


cdef class Passing(Stateful):
    """Passes on what it is given, of which one column has that name and type; ``most``: tuples at a time."""
    cdef readonly int64_t most

    def __init__(self, name, kind):
        self.reads = {name: kind}
        self.columns = ()
        self.in_place = True

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        self.most = max(self.most, <int64_t>rows.n)
        return -1
