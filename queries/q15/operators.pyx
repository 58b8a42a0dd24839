"""Q15's operators: lines of interest, their category, and the least-squares line of a category's daily sales."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, emit_from, reserve
from streambench.pyx.tuples.keep_rows cimport NOT_NULL, keep_rows, pass_column
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.queries.common.row_loop cimport RowLoop, run_loop

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef enum:
    LINE = 8                            # values
    VALUES_AHEAD = 256                  # values by which the stream's columns are asked for

cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    // Cython has no 128-bit integers. Sums of x = days since 1900 and y = cents, over the days that had sales.
    struct LineSums {
        __int128 n, x, y, xy, xx;
        void add(int64_t day, int64_t cents) {
            n += 1; x += day; y += cents;
            xy += (__int128)day * cents; xx += (__int128)day * day;
        }
        int64_t days() const { return int64_t(n); }
        // Exact numerators and denominator; y comes in cents, the answer in currency units.
        double slope() const { return double(n * xy - x * y) / double(n * xx - x * x) / 100.0; }
        double intercept() const { return double(y * xx - x * xy) / double(n * xx - x * x) / 100.0; }
    };
    }
    """
    cppclass LineSums "streambench::LineSums" nogil:
        void add(int64_t day, int64_t cents)
        int64_t days()
        double slope()
        double intercept()


@cython.final
cdef class KeepLines(Stateless):
    """SL: keep the lines of the chosen store and days (inclusive); None for all. Input (date, item, cents[, store])."""

    cdef int64_t store
    cdef int64_t first_date
    cdef int64_t last_date
    cdef bint check_store

    def __init__(self, store=None, first_date=None, last_date=None):
        self.columns = ("date", "item", "cents")
        self.in_place = store is None and first_date is None and last_date is None      # all lines pass
        self.check_store = store is not None
        self.store = store if store is not None else -1
        self.first_date = first_date if first_date is not None else 0
        self.last_date = last_date if last_date is not None else <int64_t>1 << 62

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* date = rows.column[0]
        cdef int64_t* verdict
        cdef int32_t i
        if self.in_place:
            return -1
        reserve(out, rows.n)
        verdict = out.column[0]
        for i in range(rows.n):
            verdict[i] = (date[i] - self.first_date) | (self.last_date - date[i])           # negative if one is
        if self.check_store:
            for i in range(rows.n):
                verdict[i] |= -<int64_t>(rows.column[3][i] != self.store)
        out.n = keep_rows(verdict, verdict, NOT_NULL, rows.n, 3, rows.column, out.column)
        return -1


@cython.final
cdef class LookUpCategory(Stateless):
    """SL: (date, item, cents) becomes (category, x, cents); lines of an item without a category are dropped.

    ``categories``: by item key, -1 for none.
    """

    cdef const int64_t[::1] categories      # and one more: -1, of all items beyond

    def __init__(self, categories):
        self.columns = ("category", "x", "cents")
        self.categories = np.append(np.asarray(categories, dtype=np.int64), -1)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* categories = &self.categories[0]
        cdef uint64_t beyond = self.categories.shape[0] - 1
        cdef int64_t* item = rows.column[1]
        cdef int64_t* category
        cdef int64_t* source[3]
        cdef int64_t known = 0
        cdef int32_t i = 0, end
        reserve(out, rows.n)
        category = out.column[0]
        while i < rows.n:
            prefetch(&rows.column[1][i + VALUES_AHEAD], 0)      # beyond the end it does no harm
            end = min(i + LINE, rows.n)
            while i < end:
                category[i] = categories[min(<uint64_t>item[i], beyond)]
                known |= category[i]
                i += 1
        if known >= 0:
            out.n = rows.n
            pass_column(rows, 0, out, 1)
            pass_column(rows, 2, out, 2)
        else:
            source[0] = category
            source[1] = rows.column[0]
            source[2] = rows.column[2]
            out.n = keep_rows(category, category, NOT_NULL, rows.n, 3, source, out.column)
        return -1


cdef struct DailySales:
    # A row; the sums begin at 0.
    LineSums line                       # of the days that are over
    int64_t tomorrow                    # the day after the one that is being summed; 0 before the first sale
    int64_t cents                       # of that day
    int64_t unused[4]


cdef inline int32_t add_to_known_days(DailySales* near, uint64_t near_keys, const int64_t* category, const int64_t* day,
                                      const int64_t* cents, const uint32_t* selected, int32_t i, int32_t end) noexcept nogil:
    """Add rows ``i`` .. ``end`` - 1 up to the first that begins a day or is not near; return which that is. No call: all
    stays in registers."""
    cdef DailySales* one
    cdef int32_t row
    while i < end:
        row = row_at(selected, i)
        if <uint64_t>category[row] >= near_keys:
            break
        one = near + category[row]
        if day[row] + 1 != one.tomorrow:
            break
        one.cents += cents[row]
        i += 1
    return i


@cython.final
cdef void begin_flush(void* rows) noexcept nogil:
    (<KeyedRows>rows).begin_flush()


cdef class SalesLine(PartitionedStateful):
    """PS by category: emits (category, n, slope, intercept) on the first sale of a new day, and at end of stream.

    Nothing is emitted while n < 2: there is no line. Slope and intercept are the bits of doubles, in currency units.
    """

    cdef KeyedRows sales                    # by category

    def __init__(self):
        self.columns = ("category", "n", "slope", "intercept")
        self.partition_free = True
        self.sales = KeyedRows(sizeof(DailySales))

    def open(self, int32_t partitions=1):
        self.sales.open(partitions, self.high_key)

    cdef void emit_line(self, int64_t category, LineSums* line, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        cdef double slope = line.slope(), intercept = line.intercept()
        out.column[0][row] = category
        out.column[1][row] = line.days()
        memcpy(&out.column[2][row], &slope, 8)
        memcpy(&out.column[3][row], &intercept, 8)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>SalesLine.add_sales, self, partition, rows, selected, n, out)

    cdef inline void add_sales(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                               Columns* out) noexcept nogil:
        cdef DailySales* near = <DailySales*>self.sales.near
        cdef uint64_t near_keys = self.sales.near_keys
        cdef const int64_t* category = rows.column[0]
        cdef const int64_t* day = rows.column[1]
        cdef const int64_t* cents = rows.column[2]
        cdef DailySales* one
        cdef int32_t i = 0, row, end
        while i < n:
            # The next unit's, as they pass through: this loop has time to spare, the ones before it wait for memory. Where
            # there is nothing it does no harm.
            prefetch(&cents[row_at(selected, i) + rows.n], 0)
            end = min(i + LINE, n)
            while True:
                i = add_to_known_days(near, near_keys, category, day, cents, selected, i, end)
                if i == end:
                    break
                row = row_at(selected, i)
                if <uint64_t>category[row] < near_keys:
                    one = near + category[row]
                else:
                    one = <DailySales*>self.sales.far(partition, category[row])
                if day[row] + 1 != one.tomorrow:
                    self.begin_day(one, category[row], day[row], out, <uint32_t>row)
                one.cents += cents[row]
                i += 1

    cdef void begin_day(self, DailySales* one, int64_t category, int64_t day, Columns* out,
                        uint32_t source_row) noexcept nogil:
        if one.tomorrow:
            self.end_day(one, category, out, source_row)
        one.tomorrow = day + 1
        one.cents = 0

    cdef void end_day(self, DailySales* one, int64_t category, Columns* out, uint32_t source_row) noexcept nogil:
        one.line.add(one.tomorrow - 1, one.cents)
        if one.line.days() >= 2:
            self.emit_line(category, &one.line, out, source_row)

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int64_t category
        cdef DailySales* one
        while out.n < at_most:
            one = <DailySales*>self.sales.next_in_order(&category)
            if one is NULL:
                break
            if one.tomorrow:
                self.end_day(one, category, out, 0)
        return out.n

    def lines(self):
        """Return [(category, slope, intercept)] of the categories with two days or more, by category; after the flush."""
        cdef int64_t category
        cdef DailySales* one
        rows = []
        if not has_memory(begin_flush, <void*>self.sales):
            raise MemoryError(OUT_OF_MEMORY)
        while True:
            one = <DailySales*>self.sales.next_in_order(&category)
            if one is NULL:
                return rows
            if one.line.days() >= 2:
                rows.append((category, one.line.slope(), one.line.intercept()))
