"""Q15's operators: lines of interest, their category, and the least-squares line of a category's daily sales."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, emit, emit_from, reserve
from streambench.pyx.flat_map cimport unordered_flat_map
from streambench.pyx.operator cimport PartitionedStateful, Stateless

from cython.operator cimport dereference, preincrement

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


cdef class SalesLine(PartitionedStateful):
    """PS by category: emits (category, n, slope, intercept) on the first sale of a new day, and at end of stream.

    Nothing is emitted while n < 2: there is no line. Slope and intercept are the bits of doubles, in currency units.
    """

    cdef vector[unordered_flat_map[int64_t, int32_t]] place         # per partition: category -> place in `sales`
    cdef vector[vector[DailySales]] sales
    cdef vector[int64_t] flush_category
    cdef vector[int32_t] flush_partition
    cdef vector[int32_t] flush_place
    cdef size_t next_flush
    cdef bint flushing

    def __init__(self):
        self.columns = ("category", "n", "slope", "intercept")

    def open(self, int32_t partitions=1):
        self.place.clear()
        self.place.resize(partitions)
        self.sales.clear()
        self.sales.resize(partitions)
        self.flushing = False

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
        cdef int32_t i, row
        for i in range(n):
            row = <int32_t>selected[i]
            one = self.of_category(partition, category[row])
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

    cdef DailySales* of_category(self, int32_t partition, int64_t category) noexcept nogil:
        cdef int32_t* place = &self.place[partition][category]      # 0 where it is new: places are counted from 1
        if place[0] == 0:
            self.sales[partition].resize(self.sales[partition].size() + 1)
            place[0] = <int32_t>self.sales[partition].size()
        return &self.sales[partition][place[0] - 1]

    cdef void prepare_flush(self) noexcept nogil:
        """Categories are few: an insertion sort by category over all partitions."""
        cdef unordered_flat_map[int64_t, int32_t].iterator at
        cdef size_t p, k
        self.flush_category.clear()
        self.flush_partition.clear()
        self.flush_place.clear()
        for p in range(self.place.size()):
            at = self.place[p].begin()
            while at != self.place[p].end():
                k = 0
                while k < self.flush_category.size() and self.flush_category[k] < dereference(at).first:
                    k += 1
                self.flush_category.insert(self.flush_category.begin() + k, dereference(at).first)
                self.flush_partition.insert(self.flush_partition.begin() + k, <int32_t>p)
                self.flush_place.insert(self.flush_place.begin() + k, dereference(at).second - 1)
                preincrement(at)
        self.next_flush = 0
        self.flushing = True

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef DailySales* one
        cdef size_t k
        cdef int32_t emitted = 0
        if not self.flushing:
            self.prepare_flush()
        while self.next_flush < self.flush_category.size() and emitted < at_most:
            k = self.next_flush
            self.next_flush += 1
            one = &self.sales[self.flush_partition[k]][self.flush_place[k]]
            one.line.add(one.day, one.cents)
            if one.line.days() >= 2:
                self.emit_line(self.flush_category[k], &one.line, out, 0)
                emitted += 1
        return emitted

    def lines(self):
        """Return [(category, slope, intercept)] of the categories with two days or more, by category (after a flush)."""
        cdef DailySales* one
        cdef size_t k
        rows = []
        for k in range(self.flush_category.size()):
            one = &self.sales[self.flush_partition[k]][self.flush_place[k]]
            if one.line.days() >= 2:
                rows.append((self.flush_category[k], one.line.slope(), one.line.intercept()))
        return rows
