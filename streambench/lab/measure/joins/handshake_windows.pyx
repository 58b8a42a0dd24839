"""Every pair meets once, though left tuples come from the left and right ones from the right, each at its own pace.

Left tuple r and right tuple s cross at one thread k: r has been at those before it first, s at k and those behind it.
Where s has its home at k or behind, r finds it stored there. Where its home is before k, r was there too early; but
then s is just between k and k - 1 as r comes to k, among those ``in_flight``: the acknowledgement from k - 1 comes
behind r. And where r had passed all threads before s came to any, s finds r at r's home, its expedition ended: the
message of this is ahead of s then, and never else.
"""

from cython.operator cimport dereference, predecrement, preincrement
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from streambench.pyx.join.ready_batch cimport LEFT, RIGHT, Streams, earlier, rows_before
from streambench.pyx.join.tuple_list cimport Tuple, TupleList, append_to_list, share_memory
from streambench.pyx.machine.clock cimport nanoseconds


cdef class HandshakeWindows(ListTier):
    """The share of thread ``number``: the tuples of which it is the home, every so many of each side."""

    def __cinit__(self, *args):
        rows_before(&self.definition.streams, self.definition.streams.compared_from, self.compared_from)
        self.comparing_ns = INT64_MAX
        share_memory(self.left, self.expeditions)

    cdef void fill(self) noexcept nogil:
        """Store the share of the tuples that only fill the windows, as if they had come by."""
        cdef Streams* streams = &self.definition.streams
        cdef int32_t side
        cdef Tuple one
        cdef int64_t row, first_ts = INT64_MAX
        for side in range(2):
            if self.compared_from[side] < streams.rows[side]:
                first_ts = min(first_ts, earlier(streams.ts[side][self.compared_from[side]], streams.window))
        for side in range(2):
            row = self.number
            while row < self.compared_from[side]:
                one = self.tuple_at(side, row)
                if one.ts >= first_ts:
                    append_to_list(self.window[side][0], one)
                row += self.threads
            self.seen[side] = self.compared_from[side]

    cdef void left_comes(self, int64_t row) noexcept nogil:
        """Append to ``found`` the rows that this tuple of the left side is one with, and store
        it where this is its home."""
        cdef Tuple one = self.tuple_at(LEFT, row)
        self.remove(RIGHT, earlier(one.ts, self.definition.streams.window))
        self.compare_window(LEFT, &one, &self.right)
        self.compare_window(LEFT, &one, &self.in_flight)
        if row % self.threads == self.number:
            append_to_list(self.expeditions, one)
        self.seen[LEFT] = row + 1

    cdef void right_comes(self, int64_t row) noexcept nogil:
        cdef Tuple one = self.tuple_at(RIGHT, row)
        self.remove(LEFT, earlier(one.ts, self.definition.streams.window))
        self.compare_window(RIGHT, &one, &self.left)
        if row % self.threads == self.number:
            append_to_list(self.right, one)
        elif row % self.threads < self.number:
            append_to_list(self.in_flight, one)
        self.seen[RIGHT] = row + 1

    cdef void acknowledge(self) noexcept nogil:
        """The left neighbour has the oldest of those in flight."""
        self.in_flight.pop_front()

    cdef void end_expedition(self) noexcept nogil:
        """The oldest of those on expedition has been at all threads: right tuples that come from now on may see it."""
        self.left.splice(self.left.end(), self.expeditions, self.expeditions.begin())

    cdef void compare_window(self, int side, Tuple* one, TupleList* others) noexcept nogil:
        """Compare with those that are in one window with the tuple: one side may be ahead of the other."""
        cdef int64_t window = self.definition.streams.window
        cdef int64_t first_ts = earlier(one.ts, window)
        cdef int64_t last_ts = one.ts + window if one.ts <= INT64_MAX - window else INT64_MAX
        cdef int64_t n = <int64_t>others.size()
        cdef TupleList.iterator begin = others.begin(), end = others.end(), newest
        while n > 0:
            newest = end
            predecrement(newest)
            if dereference(newest).ts <= last_ts:
                break
            end = newest
            n -= 1
        if self.comparing_ns == INT64_MAX:
            self.comparing_ns = nanoseconds()
        while n > 0 and dereference(begin).ts < first_ts:
            preincrement(begin)
            n -= 1
        self.compared += n
        self.compare(side, one, 0, begin, end)
