"""The pairs with the highest counts, of each window or of the whole stream: the last step of Q1 and Q2."""

from libcpp.algorithm cimport sort
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.tuples.columns cimport emit, integer_at, put_integer
from streambench.pyx.tuples.layout cimport INT32, type_of
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column
from streambench.queries.common.pair_counts cimport pack
from streambench.queries.common.windows cimport end_of_window

import numpy as np

from streambench.queries.common.column_types import KEY, TIME

cdef enum:
    BLOCK = 64                          # rows of which is asked at once whether any can come in


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
    uint64_t                            # both members in one number


cdef inline bint any_comes_to(int64_t level, const int64_t* n, int32_t size) noexcept nogil:
    cdef int64_t below = level - 1, sign = 0
    cdef int32_t k
    for k in range(size):               # negative if any of them does: in this form compilers make vectors of it
        sign |= below - n[k]
    return sign < 0


cdef inline int32_t part_of(uint64_t pair, int32_t parts) noexcept nogil:
    return partition_by_hash(<int64_t>(pair >> 32), parts)


cdef class TopPairs(Stateful):
    """Keeps the ``top`` pairs by (n descending, a, b) of tuples ``([window,] a, b, n)`` whose n counts up by one.

    Emits them in that order, those with n > ``min_count``: for a window, which never decreases, when a tuple of a later
    one arrives, and at end of stream.

    Exact: a pair comes to each count once. So when ``top`` pairs have come to a count, the *level*, none below it can
    be among the top any more. Fewer than ``top`` pairs are above the level; of those that have come to it the ``top``
    least are enough to fill up with, even if some of them are the ones that have risen above.
    """

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
        self.flushed = self.divided = False
        self.start_window()

    def save(self):
        """What it holds; it is not divided."""
        cdef size_t k
        cdef int32_t i
        self.drop_outdated()
        above = np.empty((self.above.size(), 2), np.int64)
        for k in range(self.above.size()):
            above[k] = <int64_t>self.above[k].pair, self.above[k].n
        level = np.array([self.level_pairs[i] for i in range(self.n_level)], np.uint64)
        numbers = np.array([self.window, self.level, <int64_t>self.limit, self.n_next])
        return {"numbers": numbers, "level": level, "above": above}

    def load(self, saved):
        cdef int64_t limit, pair
        cdef Ranked one
        cdef int32_t k
        self.window, self.level, limit, self.n_next = saved["numbers"]
        self.limit = <uint64_t>limit
        self.n_level = <int32_t>len(saved["level"])
        self.level_pairs.resize(max(self.level_pairs.size(), <size_t>self.n_level))
        for k in range(self.n_level):
            self.level_pairs[k] = saved["level"][k]
        for pair, one.n in saved["above"]:
            one.pair = <uint64_t>pair
            self.above.push_back(one)

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
        cdef int32_t size
        while begin < end:
            size = min(end - begin, <int32_t>BLOCK)
            if not any_comes_to(self.level, n + begin, size):
                pass
            elif type_of(rows.layout, a) == INT32:
                take_block(self, int32_column(rows, a) + begin, int32_column(rows, b) + begin, n + begin, size)
            else:
                take_block(self, int64_column(rows, a) + begin, int64_column(rows, b) + begin, n + begin, size)
            begin += size

    cdef void take_packed(self, const uint64_t* pairs, const int64_t* n, int32_t size) noexcept nogil:
        """The same for pairs in one number each, see ``pack``."""
        cdef int32_t begin = 0, more
        while begin < size:
            more = min(size - begin, <int32_t>BLOCK)
            if any_comes_to(self.level, n + begin, more):
                take_block(self, pairs + begin, pairs + begin, n + begin, more)
            begin += more

    def in_parts(self, int32_t n):
        """Make room for ``divide`` into so many, and for ``unite``; returns them. They take
        tuples by ``take_packed``."""
        cdef TopPairs part
        cdef list parts = []
        self.part_at.clear()
        self.level_pairs.resize(max(n, 4) * self.top + BLOCK)
        self.above.reserve(max(n, 4) * self.top)
        for _ in range(n):
            part = TopPairs(tuple(self.reads), self.top, self.min_count, self.windowed)
            part.open()
            parts.append(part)
            self.part_at.push_back(<void*>part)
        self.parts = parts
        return parts

    cdef void divide(self) noexcept nogil:
        """Share out what it holds among its parts, by partition of a pair's first member, until ``unite``.

        What cannot be among the top of all cannot be among them in a part either, so that the
        level and its limit hold there.
        """
        cdef size_t k
        cdef int32_t i, n = <int32_t>self.part_at.size()
        self.drop_outdated()
        for i in range(n):
            (<TopPairs>self.part_at[i]).begin_at(self.window, self.level, self.limit)
        for i in range(self.n_level):
            (<TopPairs>self.part_at[part_of(self.level_pairs[i], n)]).came_to_level(self.level_pairs[i])
        for k in range(self.above.size()):
            (<TopPairs>self.part_at[part_of(self.above[k].pair, n)]).came_above(self.above[k])
        self.divided = True

    cdef void begin_at(self, int64_t window, int64_t level, uint64_t limit) noexcept nogil:
        self.start_window()
        self.window = window
        self.level = level
        self.limit = limit

    cdef void unite(self) noexcept nogil:
        """Take back what the parts hold, up to the highest of their levels: no pair below can be among the top."""
        cdef size_t p
        self.start_window()
        self.divided = False
        for p in range(self.part_at.size()):
            self.window = max(self.window, (<TopPairs>self.part_at[p]).window)
            self.level = max(self.level, (<TopPairs>self.part_at[p]).level)
        for p in range(self.part_at.size()):
            self.take_back(<TopPairs>self.part_at[p])
        self.drop_outdated()
        if self.above.size() >= <size_t>self.top:       # at once: parts may be many counts above their level
            sort(self.above.begin(), self.above.end(), &before)
            self.raise_level_to(self.above[self.top - 1].n)

    cdef void take_back(self, TopPairs part) noexcept nogil:
        cdef size_t k
        cdef int32_t i
        part.drop_outdated()
        if part.level == self.level:
            self.limit = min(self.limit, part.limit)
            for i in range(part.n_level):
                self.came_to_level(part.level_pairs[i])
        for k in range(part.above.size()):
            if part.level < self.level and part.above[k].n >= self.level:
                self.came_to_level(part.above[k].pair)
            if part.above[k].n > self.level:
                self.came_above(part.above[k])

    cdef void came_above(self, Ranked one) noexcept nogil:
        """Of a pair that has not been above the level yet: so it has come to the next one."""
        self.above.push_back(one)
        self.n_next += 1

    cdef void came_to_level(self, uint64_t pair) noexcept nogil:
        if <size_t>self.n_level == self.level_pairs.size():
            self.drop_highest(2 * self.top + 2)
        self.level_pairs[self.n_level] = pair
        self.n_level += 1

    cdef void drop_highest(self, int32_t most) noexcept nogil:
        """Of the pairs that came to the level keep ``most`` or fewer: the least ones, and not fewer than ``top``.

        Quickselect that need not hit a place exactly, so ``most`` is at least ``top`` + 2; without a branch to guess it
        takes a quarter of the time of ``nth_element``.
        """
        cdef uint64_t* pairs = self.level_pairs.data()
        cdef uint64_t pivot, pair
        cdef int32_t low = 0, high = self.n_level, k, split  # those before `low` are kept, those from `high` on are not
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
                low = max(split, low + 1)  # a step at least, even if counts do not rise one by one and pairs repeat
        self.n_level = high

    cdef void rise(self, uint64_t pair, int64_t n) noexcept nogil:
        cdef Ranked one
        one.pair = pair
        one.n = n
        self.above.push_back(one)
        if n == self.level + 1:
            self.n_next += 1
        if self.n_next == self.top:
            self.raise_level_to(self.level + 1)
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

    cdef void raise_level_to(self, int64_t level) noexcept nogil:
        """``top`` pairs have come to this level, and fewer are above it."""
        cdef size_t k
        self.drop_outdated()
        self.level = level
        self.n_level = 0
        self.n_next = 0
        for k in range(self.above.size()):
            if self.above[k].n >= level:
                self.level_pairs[self.n_level] = self.above[k].pair
                self.n_level += 1
            if self.above[k].n > level:
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
        if self.divided:
            self.unite()
        return self.emit_window(out)


cdef inline void take_block(TopPairs top, const item_t* a, const item_t* b, const int64_t* n,
                            int32_t size) noexcept nogil:
    """At most ``BLOCK`` rows, of which one at least comes to the level."""
    cdef uint64_t* at
    cdef uint64_t pair, limit
    cdef int64_t level
    cdef int32_t k
    if <size_t>(top.n_level + size) > top.level_pairs.size():
        top.drop_highest(2 * top.top + 2)
    level, limit, at = top.level, top.limit, top.level_pairs.data() + top.n_level
    for k in range(size):
        if item_t is uint64_t:
            pair = a[k]
        else:
            pair = pack(a[k], b[k])
        at[0] = pair                # written always, kept if it can come in: no branch guesses that
        at += pair < (limit if n[k] == level else 0)
        if n[k] > level:
            top.n_level = <int32_t>(at - top.level_pairs.data())
            top.rise(pair, n[k])
            level, limit, at = top.level, top.limit, top.level_pairs.data() + top.n_level
    top.n_level = <int32_t>(at - top.level_pairs.data())
