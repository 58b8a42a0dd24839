"""The meters of all workers."""

from streambench.pyx.engine.profile cimport profile_of
from streambench.pyx.machine.padded cimport delete_counter_lines, new_counter_lines_under_the_gil


cdef class Meters:
    """A line for each operator, for each of ``workers``."""

    def __cinit__(self, int operators, int workers):
        for _ in range(workers):
            self.lines.push_back(new_counter_lines_under_the_gil(operators))

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.lines.size()):
            delete_counter_lines(self.lines[k])

    def worked(self, int32_t operators) -> list:
        """Return each worker's time in operators, in ticks: by the rows that it was given, at
        what a row takes all workers."""
        cdef int32_t k, w
        cdef Metered total
        seconds = [0.0] * <Py_ssize_t>self.lines.size()
        for k in range(operators):
            sum_meters(self.lines.data(), <int32_t>self.lines.size(), k, &total)
            if total.value[METER_TIMED] == 0:
                continue
            for w in range(<int32_t>self.lines.size()):
                seconds[w] += (<double>total.value[METER_TICKS] / total.value[METER_TIMED]
                               * self.lines[w][k].value[METER_IN].load(memory_order_relaxed))
        return seconds

    def profile(self, list operators) -> list:
        """Return a mapping per operator: worker time in ticks (estimated where the clock was
        not read), tuples, visits."""
        cdef int32_t k
        cdef Metered total
        rows = []
        for k in range(<int32_t>len(operators)):
            sum_meters(self.lines.data(), <int32_t>self.lines.size(), k, &total)
            ticks, timed, read, emitted, visits = [total.value[f] for f in range(METER_FIELDS)]
            rows.append(profile_of([operators[k]], int(ticks * read / timed) if timed else 0, read, emitted, visits,
                                   {}))
        return rows
