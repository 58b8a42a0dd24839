"""Q15's operators: lines of interest, their category, and the least-squares line of a category's daily sales."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, emit_from, reserve
from streambench.pyx.operator cimport PartitionedStateful, Stateless
from streambench.queries.keyed_places cimport KeyedPlaces, KeyPlace

import numpy as np

cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    // Cython has no 128-bit integers. Sums of x = days since 1900 and y = cents, over the days that had sales.
    struct LineSums {
        __int128 n = 0, x = 0, y = 0, xy = 0, xx = 0;
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
        cdef int32_t i, k, row
        if self.in_place:
            return -1
        for i in range(rows.n):
            if not self.first_date <= rows.column[0][i] <= self.last_date:
                continue
            if self.check_store and rows.column[3][i] != self.store:
                continue
            row = emit(out)
            for k in range(3):
                out.column[k][row] = rows.column[k][i]
        return -1


@cython.final
cdef class LookUpCategory(Stateless):
    """SL: (date, item, cents) becomes (category, x, cents); lines of an item without a category are dropped.

    ``categories``: by item key, -1 for none.
    """

    cdef const int64_t[::1] categories

    def __init__(self, categories):
        self.columns = ("category", "x", "cents")
        self.categories = np.ascontiguousarray(categories if len(categories) else [-1], dtype=np.int64)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, kept = 0
        cdef int64_t known = self.categories.shape[0], category
        cdef int64_t* date = rows.column[0]
        cdef int64_t* item = rows.column[1]
        cdef int64_t* cents = rows.column[2]
        cdef int64_t* to_category
        cdef int64_t* to_x
        cdef int64_t* to_cents
        reserve(out, rows.n)
        to_category = out.column[0]
        to_x = out.column[1]
        to_cents = out.column[2]
        for i in range(rows.n):
            category = self.categories[item[i]] if item[i] < known else -1
            to_category[kept] = category
            to_x[kept] = date[i]
            to_cents[kept] = cents[i]
            kept += category >= 0
        out.n = kept
        return -1


cdef cppclass DailySales:
    LineSums line                       # of the days that are over
    int64_t day                         # the day that is being summed
    int64_t cents
    bint open                           # has it had a sale?


@cython.final
cdef class SalesLine(PartitionedStateful):
    """PS by category: emits (category, n, slope, intercept) on the first sale of a new day, and at end of stream.

    Nothing is emitted while n < 2: there is no line. Slope and intercept are the bits of doubles, in currency units.
    """

    cdef KeyedPlaces categories
    cdef vector[vector[DailySales]] sales           # per partition, at the category's place

    def __init__(self):
        self.columns = ("category", "n", "slope", "intercept")
        self.categories = KeyedPlaces()

    def open(self, int32_t partitions=1):
        self.categories.open(partitions)
        self.sales.clear()
        self.sales.resize(partitions)

    cdef void emit_line(self, int64_t category, LineSums* line, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        cdef double slope = line.slope(), intercept = line.intercept()
        out.column[0][row] = category
        out.column[1][row] = line.days()
        memcpy(&out.column[2][row], &slope, 8)
        memcpy(&out.column[3][row], &intercept, 8)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef vector[DailySales]* sales = &self.sales[partition]
        cdef int64_t* category = rows.column[0]
        cdef int64_t* day = rows.column[1]
        cdef int64_t* cents = rows.column[2]
        cdef DailySales* one
        cdef int32_t i, row, place
        for i in range(n):
            row = <int32_t>selected[i]
            place = self.categories.find(partition, category[row])
            if <size_t>place == sales.size():
                sales.resize(sales.size() + 1)      # zeroed: no sale yet
            one = &sales[0][place]
            if day[row] != one.day or not one.open:
                if one.open:
                    one.line.add(one.day, one.cents)
                    if one.line.days() >= 2:
                        self.emit_line(category[row], &one.line, out, <uint32_t>row)
                one.open = True
                one.day = day[row]
                one.cents = 0
            one.cents += cents[row]
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef KeyPlace* category
        cdef DailySales* one
        while out.n < at_most:
            category = self.categories.next_in_order()
            if category is NULL:
                break
            one = &self.sales[category.partition][category.place]
            one.line.add(one.day, one.cents)
            if one.line.days() >= 2:
                self.emit_line(category.key, &one.line, out, 0)
        return out.n

    def lines(self):
        """Return [(category, slope, intercept)] of the categories with two days or more, by category; after the flush."""
        cdef DailySales* one
        cdef KeyPlace category
        cdef size_t k
        rows = []
        for k in range(self.categories.ordered.size()):
            category = self.categories.ordered[k]
            one = &self.sales[category.partition][category.place]
            if one.line.days() >= 2:
                rows.append((category.key, one.line.slope(), one.line.intercept()))
        return rows
