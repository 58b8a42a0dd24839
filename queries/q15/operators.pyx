"""Q15's operators: lines of interest, their category, and the least-squares line of a category's daily sales."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset
from streambench.pyx.tuples.columns cimport Columns, emit_from, integer_at, reserve
from streambench.pyx.tuples.fused cimport Fused
from streambench.pyx.tuples.keep_rows cimport (
    Kept, begin_blocks, copy_kept, count_kept, drop_nulls, keep_equal, keep_within, next_block, pass_column,
)
from streambench.pyx.tuples.layout cimport INT16, INT32, type_of
from streambench.pyx.tuples.typed_columns cimport float64_column, int16_column, int32_column, int64_column
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful, Stateless
from streambench.queries.common.look_up cimport LookUp, value_of
from streambench.queries.common.windows cimport end_of_window

from streambench.pyx.machine.memory import OUT_OF_MEMORY
from streambench.pyx.state.saved_rows import load_rows, save_rows
from streambench.queries.common.column_types import CODE, DATE, KEY, MONEY

cdef enum:
    LANES = 4                               # sums of a category that are added to in turn
    MOST_SUMMED = 256                       # categories that are summed so
    COUNT_BITS = 16
    SUMMED_AT_ONCE = (1 << COUNT_BITS) - 1  # rows; a sum of a lane's takes 46 bits

cdef extern from "line_sums.h":
    cppclass LineSums "streambench::LineSums" nogil:
        void add(int64_t day, int64_t cents)
        int64_t days()
        double slope()
        double intercept()


@cython.final
cdef class KeepLines(Stateless):
    """SL: keep the lines of the chosen store and days (inclusive); None for all."""

    cdef int64_t store
    cdef int64_t first_date
    cdef int64_t last_date
    cdef bint check_store

    def __init__(self, store=None, first_date=None, last_date=None):
        self.reads = {"date": DATE, "ss_item_sk": KEY, "cents": MONEY}
        self.in_place = store is None and first_date is None and last_date is None      # all lines pass
        if not self.in_place:
            self.columns = tuple(self.reads)
            self.types = tuple(f"={name}" for name in self.columns)
        self.check_store = store is not None
        if self.check_store:
            self.reads = {**self.reads, "ss_store_sk": CODE}
        self.store = store if store is not None else -1
        self.first_date = first_date if first_date is not None else 0
        self.last_date = last_date if last_date is not None else <int64_t>1 << 62

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Kept kept
        cdef int32_t k
        if self.in_place:
            return -1
        reserve(out, rows.n)
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            keep_within(&kept, rows, self.at[0], self.first_date, self.last_date)
            if self.check_store:
                keep_equal(&kept, rows, self.at[3], self.store)
            for k in range(3):
                copy_kept(&kept, rows, self.at[k], out, k)
            out.n += count_kept(&kept)
        return -1


@cython.final
cdef class LookUpCategory(Stateless):
    """SL: (date, item, cents) becomes (category, date, cents); lines of an item without a category are dropped.

    ``categories``: by item key, -1 for none.
    """

    cdef LookUp categories

    def __init__(self, categories):
        self.categories = LookUp(categories)
        self.reads = {"date": DATE, "ss_item_sk": KEY, "cents": MONEY}
        self.columns = ("category", "date", "cents")
        self.types = (self.categories.type, "=date", "=cents")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Kept kept
        reserve(out, rows.n)
        if self.categories.look_up(rows, self.at[1], out.column[0]):
            out.n = rows.n                  # as nearly always: nothing is copied
            pass_column(rows, self.at[0], out, 1)
            pass_column(rows, self.at[2], out, 2)
            return -1
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            drop_nulls(&kept, out, 0)
            copy_kept(&kept, out, 0, out, 0)
            copy_kept(&kept, rows, self.at[0], out, 1)
            copy_kept(&kept, rows, self.at[2], out, 2)
            out.n += count_kept(&kept)
        return -1


cdef struct DailySales:
    # A row; the sums begin at 0.
    LineSums line                       # of the days that are over
    int64_t tomorrow                    # the day after the one that is being summed; 0 before the first sale
    int64_t cents                       # of that day
    int64_t unused[4]

SUMS = (*(f"{sum}_{half}" for sum in ("n", "x", "y", "xy", "xx") for half in ("low", "high")), "tomorrow", "cents")


cdef void begin_flush(void* rows) noexcept nogil:
    (<KeyedRows>rows).begin_flush()


ctypedef fused category_t:
    int64_t
    int16_t
    int32_t                                 # items, whose categories are looked up


ctypedef fused cents_t:
    int64_t
    int32_t


@cython.final
cdef class SalesLine(PartitionedStateful):
    """PS by category: emits (category, n, slope, intercept) on the first sale of a new day, and at end of stream.

    Nothing is emitted while n < 2: there is no line. Slope and intercept are in currency units. Where the stream
    ``continues`` behind this run, the day that is being summed stays open, for `save`.
    """

    cdef public bint continues
    cdef KeyedRows sales                    # by category

    def __init__(self):
        self.reads = {"category": CODE, "date": DATE, "cents": MONEY}
        self.columns = ("category", "n", "slope", "intercept")
        self.types = ("int64", "int64", "float64", "float64")
        self.partition_free = True
        self.sales = KeyedRows(sizeof(DailySales))

    def open(self, int32_t partitions=1):
        self.sales.open(partitions, self.high_key)

    def save(self):
        """The sums, as int64 columns by name, ascending by category; those of 128 bits in two halves."""
        return save_rows(self.sales, SUMS)

    def load(self, saved):
        load_rows(self.sales, saved, SUMS)

    cdef void emit_line(self, int64_t category, LineSums* line, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        int64_column(out, 0)[row] = category
        int64_column(out, 1)[row] = line.days()
        float64_column(out, 2)[row] = line.slope()
        float64_column(out, 3)[row] = line.intercept()

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t begin = 0, end, date = self.at[1]
        while begin < n:                    # a day after the other
            end = end_of_day(rows, date, selected, begin, n)
            self.add_day(integer_at(rows, date, row_at(selected, begin)), partition, rows, selected, begin, end, out)
            begin = end
        return -1

    cdef void add_day(self, int64_t day, int32_t partition, Columns* rows, const uint32_t* selected, int32_t begin,
                      int32_t end, Columns* out) noexcept nogil:
        cdef int32_t category = self.at[0], cents = self.at[2]
        cdef bint narrow = type_of(rows.layout, cents) == INT32
        if type_of(rows.layout, category) == INT16:
            if narrow:
                add_sales(self, day, partition, int16_column(rows, category), NULL, 0, int32_column(rows, cents),
                          selected, begin, end, out)
            else:
                add_sales(self, day, partition, int16_column(rows, category), NULL, 0, int64_column(rows, cents),
                          selected, begin, end, out)
        elif narrow:
            add_sales(self, day, partition, int64_column(rows, category), NULL, 0, int32_column(rows, cents), selected,
                      begin, end, out)
        else:
            add_sales(self, day, partition, int64_column(rows, category), NULL, 0, int64_column(rows, cents), selected,
                      begin, end, out)

    cdef DailySales* sales_of_day(self, int64_t day, int32_t partition, int64_t category, Columns* out,
                                  uint32_t row) noexcept nogil:
        """A category's, of which this row is a sale; the day before ends with the first."""
        cdef DailySales* one
        if <uint64_t>category < self.sales.near_keys:
            one = <DailySales*>self.sales.near + category
        else:
            one = <DailySales*>self.sales.far(partition, category)
        if one.tomorrow != day + 1:
            self.begin_day(one, category, day, out, row)
        return one

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
        if self.continues:
            return 0
        while out.n < at_most:
            one = <DailySales*>self.sales.next_in_order(&category)
            if one is NULL:
                break
            if one.tomorrow:
                self.end_day(one, category, out, 0)
        return out.n

    def fused_behind(self, tuple before):
        cdef LookUp categories
        if not before or type(before[0]) is not LookUpCategory:
            return None
        categories = (<LookUpCategory>before[0]).categories
        if categories.wide or categories.values.max() >= min(self.sales.near_keys, <uint64_t>MOST_SUMMED):
            return None
        return CategorisedSales(before[0], self)

    def lines(self):
        """Return [(category, slope, intercept)] of the categories with two days or more, by
        category; after the flush."""
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


@cython.final
cdef class CategorisedSales(Fused):
    """LookUpCategory and SalesLine over columns of 32 bits; leaves units of others."""

    cdef LookUpCategory looked_up
    cdef SalesLine line

    def __init__(self, looked_up, line):
        Fused.__init__(self, (looked_up, line))
        self.looked_up, self.line = looked_up, line

    cdef bint process(self, Columns* rows, Columns* out, int64_t* counts) noexcept nogil:
        cdef int32_t date = self.looked_up.at[0], item = self.looked_up.at[1], cents = self.looked_up.at[2]
        cdef const int16_t* table = <const int16_t*>self.looked_up.categories.table
        cdef uint64_t size = self.looked_up.categories.size
        cdef int32_t begin = 0, end, dropped = 0
        if type_of(rows.layout, item) != INT32 or type_of(rows.layout, cents) != INT32:
            return False
        while begin < rows.n:
            end = end_of_day(rows, date, NULL, begin, rows.n)
            dropped += add_sales(self.line, integer_at(rows, date, begin), ANY_PARTITION, int32_column(rows, item),
                                 table, size, int32_column(rows, cents), NULL, begin, end, out)
            begin = end
        counts[1] = rows.n - dropped
        return True


cdef inline int32_t end_of_day(Columns* rows, int32_t date, const uint32_t* selected, int32_t begin,
                               int32_t n) noexcept nogil:
    """As ``end_of_window``; most units lie in one day."""
    return n if rows.first_time == rows.last_time else end_of_window(rows, date, selected, begin, n)


cdef inline int64_t category_at(const category_t* category, const int16_t* table, uint64_t size,
                                int32_t row) noexcept nogil:
    """A row's category, or -1: ``category`` holds it, or its item where there is a ``table`` of items."""
    return category[row] if table is NULL else value_of(table, size, category[row])


cdef inline int32_t add_sales(SalesLine line, int64_t day, int32_t partition, const category_t* category,
                              const int16_t* table,
                              uint64_t size, const cents_t* cents, const uint32_t* selected, int32_t begin, int32_t end,
                              Columns* out) noexcept nogil:
    """Add one day's rows ``selected[begin:end]``, or ``begin`` to ``end`` - 1 if that is NULL; returns how many have no
    category, where there is a ``table``."""
    cdef uint64_t near_keys = line.sales.near_keys
    cdef int64_t one
    cdef int32_t i, row, n, dropped = 0
    if cents_t is int32_t and selected is NULL and near_keys <= MOST_SUMMED:
        while True:
            n = min(end - begin, <int32_t>SUMMED_AT_ONCE) // LANES * LANES
            if (<uint64_t>n < LANES * near_keys
                    or not all_near(category + begin, n, table, near_keys if table is NULL else size)):
                break
            dropped += sum_near(line, day, category + begin, table, cents + begin, n, begin, out)
            begin += n
    for i in range(begin, end):
        row = row_at(selected, i)
        one = category_at(category, table, size, row)
        if table is not NULL and one < 0:
            dropped += 1
        else:
            line.sales_of_day(day, partition, one, out, <uint32_t>row).cents += cents[row]
    return dropped


cdef inline bint all_near(const category_t* category, int32_t n, const int16_t* table, uint64_t bound) noexcept nogil:
    """Are all categories below ``bound``, of which none is -1? Or, with a ``table``, all items in
    it: ``bound`` is its size."""
    cdef category_t highest = 0
    cdef int32_t i
    if table is NULL:
        for i in range(n):
            highest = max(highest, category[i])
    else:
        for i in range(n):                  # a power of two: no bit of any item's place reaches it
            highest |= category[i] + 1
    return <uint64_t><int64_t>highest < bound


cdef inline int64_t near_at(const category_t* category, const int16_t* table, int32_t row) noexcept nogil:
    """The same as ``category_at`` for items in the table."""
    return category[row] if table is NULL else table[category[row] + 1]


cdef inline int32_t sum_near(SalesLine line, int64_t day, const category_t* category, const int16_t* table,
                             const cents_t* cents, int32_t n, int32_t row, Columns* out) noexcept nogil:
    """Add the cents of ``n`` rows of near categories or none, a multiple of `LANES`; the
    first is row ``row`` of the unit.

    Each lane has sums of its own: rows of one category that follow each other need not wait for each other. A sum's low
    16 bits count its rows, which tells which categories had a sale at all. Returns how many rows have none.
    """
    cdef DailySales* near = <DailySales*>line.sales.near
    cdef int64_t sums_from_none[(MOST_SUMMED + 1) * LANES]
    cdef int64_t* sums = sums_from_none + LANES         # so that of category -1 there are some, too
    cdef int64_t sum
    cdef uint64_t k, near_keys = line.sales.near_keys
    cdef int32_t i = 0, lane
    memset(sums_from_none, 0, (near_keys + 1) * LANES * sizeof(int64_t))
    while i < n:
        for lane in range(LANES):
            sums[near_at(category, table, i + lane) * LANES + lane] += (<int64_t>cents[i + lane] << COUNT_BITS) + 1
        i += LANES
    for k in range(near_keys):
        for lane in range(1, LANES):
            sums[k * LANES] += sums[k * LANES + lane]
    begin_days(line, day, category, table, n, sums, row, out)
    for k in range(near_keys):
        sum = sums[k * LANES]
        near[k].cents += sum >> COUNT_BITS
    sum = 0
    for lane in range(LANES):
        sum += sums_from_none[lane]
    return <int32_t>(sum & ((1 << COUNT_BITS) - 1))


cdef inline void begin_days(SalesLine line, int64_t day, const category_t* category, const int16_t* table,
                            int32_t n, const int64_t* sums, int32_t row, Columns* out) noexcept nogil:
    """Begin the day of those categories whose first sale is among the rows, in the order of these sales."""
    cdef DailySales* near = <DailySales*>line.sales.near
    cdef uint64_t k, begun = 0
    cdef int64_t one
    cdef int32_t i
    for k in range(line.sales.near_keys):
        begun += (near[k].tomorrow != day + 1) & (sums[k * LANES] != 0)
    for i in range(n):
        if begun == 0:
            return
        one = near_at(category, table, i)
        if one >= 0 and near[one].tomorrow != day + 1:
            line.begin_day(near + one, one, day, out, <uint32_t>(row + i))
            begun -= 1
