"""What a worker does to units, told to a simulated machine; nothing where the machine is real."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_acq_rel
from streambench.pyx.machine.simulated cimport (
    ADMIT, FILL, PROCESS, UNIT, SimulatedMachine, is_told, machine_here, touch,
)
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.unit cimport Unit

cdef enum:
    LINE_BYTES = 64

cdef inline void begin_work(int kind, int32_t place, const Unit* unit, int64_t tuples) noexcept nogil:
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).begin_work(kind, place, unit, tuples,
                                               0 if kind == FILL or kind == ADMIT else bytes_read(kind, unit, tuples))

cdef inline void end_work(int kind, int32_t place, int64_t part, const Unit* unit, int64_t tuples) noexcept nogil:
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).end_work(kind, place, part, unit, tuples)

cdef inline bint end_group(Unit* unit) noexcept nogil:
    """A group of the unit has been processed; True: it was the last, and the unit is the caller's."""
    touch(UNIT, unit.pending)
    # acq_rel: the last one sees what the others wrote. From here on the group may be gone, unless it was the only one.
    return unit.index.n_groups == 1 or unit.pending.value.fetch_sub(1, memory_order_acq_rel) == 1

cdef inline int64_t bytes_read(int kind, const Unit* unit, int64_t tuples) noexcept nogil:
    cdef int64_t bytes = tuples * row_bytes(unit.now)
    if kind != PROCESS:
        return bytes
    # A group's rows lie here and there: for each value a whole line moves, but no line more than once.
    return min(unit.now.n * row_bytes(unit.now), tuples * unit.now.width * LINE_BYTES)

cdef inline int64_t row_bytes(Columns* rows) noexcept nogil:
    cdef int64_t bytes = 0
    cdef int32_t k
    for k in range(rows.width):
        bytes += size_of(rows.layout, k)
    return bytes
