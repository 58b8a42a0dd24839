"""The pairs with the highest counts, of each window or of the whole stream: the last step of Q1 and Q2."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns, emit, integer_at, put_integer
from streambench.pyx.tuples.layout cimport INT32, type_of
from streambench.pyx.tuples.operator cimport Stateful
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column
from streambench.queries.common.pair_counts cimport pack
from streambench.queries.common.windows cimport end_of_window

from streambench.queries.common.column_types import KEY, TIME

cdef enum:
    BLOCK = 64                          # rows of which is asked at once whether any can come in


cdef struct Ranked:
    uint64_t pair
    int64_t n


cdef inline bint before(const Ranked& x, const Ranked& y) noexcept nogil:
    """By (n descending, a, b)."""
    if x.n != y.n:
        return x.n > y.n
    return x.pair < y.pair


cdef inline bint lower_pair(const Ranked& x, const Ranked& y) noexcept nogil:
    """By (a, b), of one pair the highest count first."""
    if x.pair != y.pair:
        return x.pair < y.pair
    return x.n > y.n


cdef inline uint64_t median(uint64_t x, uint64_t y, uint64_t z) noexcept nogil:
    return max(min(x, y), min(max(x, y), z))


ctypedef fused item_t:
    int64_t
    int32_t


@cython.final
cdef class TopPairs(Stateful):
    """Keeps the ``top`` pairs by (n descending, a, b) of tuples ``([window,] a, b, n)`` whose n counts up by one.

    Emits them in that order, those with n > ``min_count``: for a window, which never decreases, when a tuple of a later one
    arrives, and at end of stream.

    Exact: a pair comes to each count once. So when ``top`` pairs have come to a count, the *level*, none below it can be among
    the top any more. Fewer than ``top`` pairs are above the level; of those that have come to it the ``top`` least are enough to
    fill up with, even if some of them are the ones that have risen above.
    """

    cdef int32_t top
    cdef int64_t min_count
    cdef bint windowed
    cdef int64_t window
    cdef int64_t level                  # at first the least count that is wanted
    cdef uint64_t limit                 # of the pairs that come to the level, only lower ones can be among the `top` least
    cdef vector[uint64_t] level_pairs   # `n_level` of them: those that came to the level, at least the `top` least
    cdef int32_t n_level
    cdef vector[Ranked] above           # tuples with n > level, of one pair perhaps several
    cdef int32_t n_next                 # pairs that have come to the level above
    cdef bint flushed

    def __init__(self, columns, int32_t top, int64_t min_count=0, bint windowed=False):
        if top < 1:
            raise ValueError(f"top must be at least 1, not {top}")
        *window, a, b, n = columns
        self.reads = {**{name: TIME + KEY for name in window}, a: KEY, b: f"={a}", n: "int64"}
        self.columns = tuple(columns)
        self.types = tuple(f"={name}" for name in columns)
        self.top = top
        self.min_count = min_count
        self.windowed = windowed

    def open(self, int32_t partitions=1):
        self.level_pairs.resize(4 * self.top + BLOCK)
        self.above.reserve(4 * self.top)
        self.window = -1
        self.flushed = False
        self.start_window()

    cdef void start_window(self) noexcept nogil:
        self.level = max(self.min_count, 0) + 1         # everything has been counted at least once
        self.limit = <uint64_t>-1
        self.n_level = 0
        self.above.clear()
        self.n_next = 0

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t begin = 0, end, window = self.at[0]
        while begin < rows.n:
            end = rows.n
            if self.windowed:
                end = end_of_window(rows, window, NULL, begin, end)
                if integer_at(rows, window, begin) != self.window:
                    self.emit_window(out)
                    self.window = integer_at(rows, window, begin)
            self.take(rows, begin, end)
            begin = end
        return -1

    cdef void take(self, Columns* rows, int32_t begin, int32_t end) noexcept nogil:
        cdef int32_t a = self.at[self.windowed], b = self.at[self.windowed + 1]
        cdef const int64_t* n = int64_column(rows, self.at[self.windowed + 2])
        cdef int64_t wanted, unwanted
        cdef int32_t size, k
        while begin < end:
            size = min(end - begin, <int32_t>BLOCK)
            unwanted = self.level - 1
            wanted = 0
            for k in range(begin, begin + size):        # negative if any of them is: in this form compilers make vectors of it
                wanted |= unwanted - n[k]
            if wanted >= 0:
                pass
            elif type_of(rows.layout, a) == INT32:
                take_block(self, int32_column(rows, a) + begin, int32_column(rows, b) + begin, n + begin, size)
            else:
                take_block(self, int64_column(rows, a) + begin, int64_column(rows, b) + begin, n + begin, size)
            begin += size

    cdef void drop_highest(self, int32_t most) noexcept nogil:
        """Of the pairs that came to the level keep ``most`` or fewer: the least ones, and not fewer than ``top``.

        Quickselect that need not hit a place exactly, so ``most`` is at least ``top`` + 2; without a branch to guess it takes
        a quarter of the time of ``nth_element``.
        """
        cdef uint64_t* pairs = self.level_pairs.data()
        cdef uint64_t pivot, pair
        cdef int32_t low = 0, high = self.n_level, k, split     # those before `low` are kept, those from `high` on are not
        while high > most:
            pivot = median(pairs[low], pairs[low + (high - low) // 2], pairs[high - 1])
            split = low
            for k in range(low, high):
                pair = pairs[k]
                pairs[k] = pairs[split]
                pairs[split] = pair
                split += pair < pivot
            if split >= self.top:
                high = split
                self.limit = pivot
            else:
                low = max(split, low + 1)       # a step at least, even if counts do not rise one by one and pairs repeat
        self.n_level = high

    cdef void rise(self, uint64_t pair, int64_t n) noexcept nogil:
        cdef Ranked one
        one.pair = pair
        one.n = n
        self.above.push_back(one)
        if n == self.level + 1:
            self.n_next += 1
        if self.n_next == self.top:
            self.raise_level()
        elif self.above.size() == <size_t>(4 * self.top):
            self.drop_outdated()

    cdef void drop_outdated(self) noexcept nogil:
        """Keep each pair above the level once, with its highest count; by (a, b)."""
        cdef size_t k, kept = 0
        sort(self.above.begin(), self.above.end(), &lower_pair)
        for k in range(self.above.size()):
            if k == 0 or self.above[k].pair != self.above[k - 1].pair:
                self.above[kept] = self.above[k]
                kept += 1
        self.above.resize(kept)

    cdef void raise_level(self) noexcept nogil:
        """``top`` pairs have come to the next level."""
        cdef size_t k
        self.drop_outdated()
        self.level += 1
        self.n_level = <int32_t>self.above.size()
        self.n_next = 0
        for k in range(self.above.size()):
            self.level_pairs[k] = self.above[k].pair
            if self.above[k].n > self.level:
                self.above[self.n_next] = self.above[k]
                self.n_next += 1
        self.limit = self.level_pairs[self.n_level - 1]
        self.above.resize(self.n_next)

    cdef int32_t emit_window(self, Columns* out) noexcept nogil:
        cdef Ranked one
        cdef size_t k = 0, n_above
        cdef int32_t i
        self.drop_outdated()
        self.drop_highest(self.top + self.top // 8 + 2)
        sort(self.level_pairs.begin(), self.level_pairs.begin() + self.n_level)
        n_above = self.above.size()
        one.n = self.level
        for i in range(self.n_level):
            if self.above.size() == <size_t>self.top:
                break
            one.pair = self.level_pairs[i]
            while k < n_above and self.above[k].pair < one.pair:
                k += 1
            if k == n_above or self.above[k].pair != one.pair:
                self.above.push_back(one)
        sort(self.above.begin(), self.above.begin() + n_above, &before)
        self.emit_rows(out)
        i = <int32_t>self.above.size()
        self.start_window()
        return i

    cdef void emit_rows(self, Columns* out) noexcept nogil:
        cdef int32_t row, first = 1 if self.windowed else 0
        cdef size_t k
        for k in range(self.above.size()):
            row = emit(out)
            if self.windowed:
                put_integer(out, 0, row, self.window)
            put_integer(out, first, row, <int64_t>(self.above[k].pair >> 32))
            put_integer(out, first + 1, row, <int64_t>(self.above[k].pair & <uint64_t>0xFFFFFFFF))
            out.column[first + 2][row] = self.above[k].n

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        if self.flushed:
            return 0
        self.flushed = True
        return self.emit_window(out)


cdef inline void take_block(TopPairs top, const item_t* a, const item_t* b, const int64_t* n, int32_t size) noexcept nogil:
    """At most ``BLOCK`` rows, of which one at least comes to the level."""
    cdef uint64_t* at
    cdef uint64_t pair, limit
    cdef int64_t level
    cdef int32_t k
    if <size_t>(top.n_level + size) > top.level_pairs.size():
        top.drop_highest(2 * top.top + 2)
    level, limit, at = top.level, top.limit, top.level_pairs.data() + top.n_level
    for k in range(size):
        pair = pack(a[k], b[k])
        at[0] = pair                # written always, kept if it can come in: no branch guesses that
        at += pair < (limit if n[k] == level else 0)
        if n[k] > level:
            top.n_level = <int32_t>(at - top.level_pairs.data())
            top.rise(pair, n[k])
            level, limit, at = top.level, top.limit, top.level_pairs.data() + top.n_level
    top.n_level = <int32_t>(at - top.level_pairs.data())
