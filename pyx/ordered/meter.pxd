"""What a worker has measured of every operator. One writer each, so no read-modify-write; anyone may read.

Counted elsewhere is what means something else: what the scheduler looks at of a stage (``Stage``), and what the
units that have reached the sink gave each operator (``Egress.tuples_in``), which meters are ahead of. The serial engine
has that count and no meters: with units of one tuple they would take 8 % of its time.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.machine.padded cimport CounterLine
from streambench.pyx.machine.simulated cimport METERS, look_with_others, touch

cdef enum:
    # Places on a line.
    METER_TICKS         # spent on the rows of METER_TIMED
    METER_TIMED         # rows given while the clock was read
    METER_IN            # rows given
    METER_OUT           # rows emitted
    METER_VISITS        # calls
    METER_FIELDS

cdef struct Metered:
    # A sum over workers.
    int64_t value[METER_FIELDS]

cdef inline void count(CounterLine* lines, int32_t place, int64_t elapsed, int64_t rows_in,
                       int64_t rows_out) noexcept nogil:
    """Add a call of the operator at ``place``; ``elapsed`` in ticks, -1 where the clock was not read."""
    touch(METERS, lines + place)
    count_untold(lines, place, elapsed, rows_in, rows_out)

cdef inline void count_untold(CounterLine* lines, int32_t place, int64_t elapsed, int64_t rows_in,
                              int64_t rows_out) noexcept nogil:
    """As ``count``; the caller has told a simulated machine of the line."""
    cdef CounterLine* line = lines + place
    if elapsed >= 0:
        line.value[METER_TICKS].store(line.value[METER_TICKS].load(memory_order_relaxed) + elapsed,
                                      memory_order_relaxed)
        line.value[METER_TIMED].store(line.value[METER_TIMED].load(memory_order_relaxed) + rows_in,
                                      memory_order_relaxed)
    line.value[METER_IN].store(line.value[METER_IN].load(memory_order_relaxed) + rows_in, memory_order_relaxed)
    line.value[METER_OUT].store(line.value[METER_OUT].load(memory_order_relaxed) + rows_out, memory_order_relaxed)
    line.value[METER_VISITS].store(line.value[METER_VISITS].load(memory_order_relaxed) + 1, memory_order_relaxed)

cdef inline void count_emitted(CounterLine* lines, int32_t place, int64_t rows) noexcept nogil:
    """Add rows that calls counted before have emitted."""
    cdef CounterLine* line = lines + place
    line.value[METER_OUT].store(line.value[METER_OUT].load(memory_order_relaxed) + rows, memory_order_relaxed)

cdef inline void sum_meters(CounterLine** of_worker, int32_t workers, int32_t place, Metered* total) noexcept nogil:
    cdef int32_t w, k
    for w in range(workers):
        look_with_others(METERS, of_worker[w] + place)
    for k in range(METER_FIELDS):
        total.value[k] = 0
        for w in range(workers):
            total.value[k] += of_worker[w][place].value[k].load(memory_order_relaxed)

@cython.final
cdef class Meters:
    cdef vector[CounterLine*] lines             # by worker, then by operator
