# distutils: language = c++
# distutils: extra_compile_args = -std=c++20
# cython: language_level=3, boundscheck=False, wraparound=False
"""Two operators of one's own: readings in range, and the highest reading of each sensor so far."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, emit_from, fail
from streambench.pyx.operator cimport PartitionedStateful, Stateless


cdef class InRange(Stateless):
    """Stateless: keep the readings from ``low`` to ``high``; a sensor number below 0 is an error."""

    cdef int64_t low
    cdef int64_t high

    def __init__(self, int64_t low, int64_t high):
        self.columns = ("sensor", "reading")
        self.low = low
        self.high = high

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(rows.n):
            if rows.column[0][i] < 0:
                return fail(out, i, b"a sensor number must not be negative")
            if self.low <= rows.column[1][i] <= self.high:
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = rows.column[1][i]
        return -1


cdef class Record(PartitionedStateful):
    """Partitioned stateful, by sensor: emit (sensor, reading) whenever a sensor sets a new record."""

    cdef int64_t sensors
    cdef vector[int64_t] highest        # by sensor: no two partitions share one, so no two workers touch the same place

    def __init__(self, int64_t sensors):
        self.columns = ("sensor", "record")
        self.sensors = sensors

    def open(self, int32_t partitions=1):
        self.highest.assign(self.sensors, -(1 << 62))

    # The key selector is inherited: the first column.

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row, made
        cdef int64_t sensor
        for i in range(n):
            row = <int32_t>selected[i]
            sensor = rows.column[0][row]
            if sensor >= self.sensors:
                return fail(out, row, b"a sensor number is too high")
            if rows.column[1][row] > self.highest[sensor]:
                self.highest[sensor] = rows.column[1][row]
                made = emit_from(out, row)          # from which input row: it takes that row's place in the order
                out.column[0][made] = sensor
                out.column[1][made] = rows.column[1][row]
        return -1
