"""Sinks that are given the output sequence in Arrow record batches while the run lasts.

A worker copies columns into the batch under way, without the GIL; once a batch it takes the GIL and calls ``write``.
"""

from libc.stdint cimport int32_t
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.mutexes cimport delete_mutexes, new_mutexes
from streambench.pyx.tuples.columns cimport Columns, digest_columns, fail

import math
from collections.abc import Mapping

import numpy as np

from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.whole_number import whole_number

LARGEST_BATCH = 1 << 24
LONGEST_WAIT = 1e9                      # seconds


cdef class BatchSink(Sink):
    """Base of sinks that take the output, in order, as ``pyarrow.RecordBatch`` es of ``batch_rows`` rows.

    The last batch may be shorter. ``batch_seconds``: a batch is given at the latest so many seconds after its first row
    came, however few rows it has; None: when it is full, so that batches never depend on time. ``restore``: columns of
    the source come out as they were in its data (texts, dates, nulls); a mapping says which are called otherwise, as of
    ``ArrowSource.restore``; False: as the runtime holds them. ``nulls``: what stands for null in other columns.

    A subclass in Python has ``write(batch)``, and may have ``begin(schema)``, called before the run; ``finish()``, when
    all batches have been written; ``abandon()`` in its place when the run has failed; ``has_room()`` and
    ``interrupt()`` where it waits. ``write`` is called by one thread at a time; while it does not return the run waits,
    with as many tuples in memory as its credit admits. What it raises ends the run. Raises UnfitOptionError for options
    that cannot be met.
    """

    def __cinit__(self, *args, **kwargs):
        self.guard = new_mutexes(1)
        self.batch_rows = 65536             # a subclass may forget to call this class's __init__

    def __dealloc__(self):
        delete_mutexes(self.guard)

    def __init__(self, batch_rows=65536, batch_seconds=None, restore=True, nulls=None):
        self.batch_rows = whole_number("batch_rows", batch_rows, 1)
        if self.batch_rows > LARGEST_BATCH:
            raise UnfitOptionError(f"`batch_rows` must be at most {LARGEST_BATCH}, not {batch_rows}.")
        if batch_seconds is not None and not (isinstance(batch_seconds, (int, float)) and
                                              not isinstance(batch_seconds, bool) and 0 < batch_seconds <= LONGEST_WAIT
                                              and math.isfinite(batch_seconds)):
            raise UnfitOptionError(
                f"`batch_seconds` must be a number above 0 up to {LONGEST_WAIT:g}, or None, not {batch_seconds!r}."
            )
        if not isinstance(restore, (bool, Mapping)):
            raise UnfitOptionError(f"`restore` must be True, False or a mapping of names, not {restore!r}.")
        self.batch_seconds = batch_seconds
        self.most_ns = 0 if batch_seconds is None else max(1, <int64_t>(batch_seconds * 1e9))
        self.nulls = nulls
        self.renamed = None if restore is False else {} if restore is True else dict(restore)

    def bind(self, given):
        """Take any columns; emit none."""
        self.given = tuple(given)
        self.schema = ()
        return self.schema

    def open(self, int32_t partitions=1):
        self.filling = KeptColumns()
        self.filled = self.count = self.written = 0
        self.sequence = 0
        self.error = None
        self.broken = False
        self.begin(self.arrow_schema)

    @property
    def arrow_schema(self):
        """The ``pyarrow.Schema`` of its batches, in a pipeline."""
        return self._batch(KeptColumns()).schema

    @property
    def tuples(self) -> int:
        """Length of the output sequence so far."""
        return self.count

    @property
    def digest(self) -> str:
        """Of the output sequence, as of a ``TableSink``."""
        return f"{self.sequence:016x}"

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t row = 0, n
        cdef int32_t failed = -1
        if rows.n == 0:
            return -1
        if self.most_ns:
            self.guard.lock()
        if self.broken:
            failed = 0
        while failed < 0 and row < rows.n:
            if self.filled == 0 and self.most_ns:
                self.begun_ns = nanoseconds()
            n = <int32_t>min(<int64_t>(rows.n - row), self.batch_rows - self.filled)
            self.filling.append(rows, row, n)
            self.filled += n
            row += n
            if self.filled == self.batch_rows and not self.hand_over():
                failed = row - 1
        if failed < 0:
            self.sequence = digest_columns(rows, -1, self.sequence)
            self.count += rows.n
        if self.most_ns:
            self.guard.unlock()
        return -1 if failed < 0 else fail(out, failed, "the sink failed")

    cdef bint hand_over(self) noexcept with gil:
        try:
            self._give()
        except BaseException as problem:        # a worker cannot raise: the run looks here when it has ended
            self.error = problem
            self.broken = True
        return not self.broken

    @property
    def identity(self) -> str:
        """How rows are cut into batches."""
        return f"batch_rows {self.batch_rows}"

    def save(self):
        """The batch under way, and what is counted. A subclass in Python adds what it holds itself."""
        with nogil:                             # who gives a batch may have the lock, and wait for the GIL
            self.guard.lock()
        try:
            if self.broken:
                raise self.error
            counts = np.array([self.count, self.written, self.filled])
            return {"counts": counts, "sequence": np.array([self.sequence], np.uint64), **self.filling.save()}
        finally:
            self.guard.unlock()

    def load(self, saved):
        self.count, self.written, self.filled = saved["counts"]
        self.sequence = saved["sequence"][0]
        self.begun_ns = nanoseconds()
        self.filling.load(saved)

    def tick(self):
        """Give the batch under way where it has waited for long enough; by the thread that looks on. Raises what
        ``write`` raises."""
        if self.most_ns == 0 or not self.guard.try_lock():
            return
        try:
            if (self.filled and not self.broken and nanoseconds() - self.begun_ns >= self.most_ns and self.has_room()
                    and not self.hand_over()):
                raise self.error
        finally:
            self.guard.unlock()

    def give_rest(self):
        """When no worker is left: give the batch under way, if it has rows. Raises what ``write`` raises."""
        if self.filled and not self.broken and not self.hand_over():
            raise self.error

    def _give(self):
        kept, self.filling, self.filled = self.filling, KeptColumns(), 0
        batch = self._batch(kept)
        self.write(batch)
        self.written += batch.num_rows

    def _batch(self, kept):
        from streambench.pyx.tuples.arrow_columns import kept_batch     # pyarrow is large: only for those who ask

        restorer = self.restorer if self.renamed is not None else None
        return kept_batch(self.given or (), kept, restorer, self.renamed, self.nulls)

    def begin(self, schema):
        """Called before the run with the batches' schema."""

    def write(self, batch):
        """Take a batch."""
        raise NotImplementedError(f"{type(self).__name__} has no method write")

    def has_room(self) -> bool:
        """Would ``write`` return soon? Asked before a batch is given that is not full."""
        return True

    def interrupt(self):
        """The run has been cancelled, by any thread: let a ``write`` that waits return."""

    def finish(self):
        """All batches have been written."""

    def abandon(self):
        """The run has failed, or was cancelled: nothing more comes."""
