"""Feeds a hand-written loop: the whole stream at once or, at a rate, what has arrived; takes markers' times.

::

    while pace.more():
        for i in range(pace.begin, pace.end):
            ...
"""

import numpy as np

cimport cython
from libc.stdint cimport int64_t
from streambench.pyx.machine.clock cimport nanoseconds

MARKERS = 10_000        # as many as a run of an engine carries


@cython.final
cdef class Pace:
    """A stream of ``tuples`` tuples, ``rate`` of them a second (0: all at once), in chunks of at most ``most``.

    A marked tuple enters when its chunk begins and leaves when it is done, as in an engine whose unit is the chunk.
    Raises ValueError for what is no stream.
    """

    def __init__(self, int64_t tuples, double rate=0, int64_t most=1):
        if tuples < 0 or rate < 0 or most < 1:
            raise ValueError("tuples and rate must not be negative, and a chunk holds at least one tuple")
        self.tuples, self.rate, self.most = tuples, rate, most
        self.interval = max(1, tuples // MARKERS) if rate > 0 else tuples + 1       # at full speed there is no marker
        count = (tuples + self.interval - 1) // self.interval if rate > 0 else 0    # C division: rounded up by hand
        self.entered, self.left = np.zeros(count), np.zeros(count)

    def markers(self):
        """Of every marked tuple its number, and when it entered and left, in seconds from the beginning."""
        index = np.arange(self.entered.shape[0], dtype=np.float64) * self.interval
        return index, np.asarray(self.entered), np.asarray(self.left)

    cdef bint more(self) noexcept nogil:
        """The last chunk is done: go on to the next. False when there is none."""
        cdef int64_t arrived = self.tuples, mark
        self.now = nanoseconds()                # one look ends a chunk and begins the next, if that has arrived
        if self.end == 0:
            self.begun = self.now
        mark = self.marked - self.interval
        while self.rate > 0 and mark >= self.begin and mark >= 0:
            self.left[mark // self.interval] = self.seconds()
            mark -= self.interval
        self.begin = self.end
        if self.begin == self.tuples:
            return False
        if self.rate > 0:
            arrived = <int64_t>(self.seconds() * self.rate) + 1
            while arrived <= self.begin:        # tuple i is due i / rate after the beginning
                self.now = nanoseconds()
                arrived = <int64_t>(self.seconds() * self.rate) + 1
            arrived = min(arrived, self.begin + self.most)
        self.end = min(arrived, self.tuples)
        while self.rate > 0 and self.marked < self.end:
            self.entered[self.marked // self.interval] = self.seconds()
            self.marked += self.interval
        return True

    cdef double seconds(self) noexcept nogil:
        """From the beginning to the last look at the clock."""
        return (self.now - self.begun) * 1e-9
