"""Samples of worklist sizes, workers and worker time, taken by the workers themselves between two visits.

No thread is added: the first worker that ends a visit after a sample is due reads the stages' counters,
which costs less than a microsecond. Memory is bounded: when ``most`` samples are held, every second one
goes and the interval doubles.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.machine.clock cimport ticks_per_second
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.schemes.stage cimport Stage

import numpy as np

cdef enum:
    FIELDS = 8
    MOST = 4096

NAMES = ("queued", "workers", "seconds", "tuples_in", "refused", "waiting", "retries", "contended")  # as Stage.sample


cdef class Timeline:
    """Of ``n_stages`` stages; ``interval`` in seconds, at first. ``most``: samples that are held."""

    def __cinit__(self, int64_t n_stages, double interval=1e-3, int64_t most=MOST):
        self.due = new_counters(1)
        self.busy = new_counters(1)
        self.most = most
        self.interval = <int64_t>(interval * ticks_per_second())
        self.row = 1 + FIELDS * n_stages
        self.samples.reserve(most * self.row)

    def __dealloc__(self):
        delete_counters(self.due)
        delete_counters(self.busy)

    cdef bint is_due(self, int64_t now) noexcept nogil:
        return now >= self.due.value.load(memory_order_relaxed)

    cdef void sample(self, void** stages, int64_t now) noexcept nogil:
        cdef int64_t k
        # Acquire pairs with the release below: the next one to sample sees these rows. A
        # worker that comes too late leaves.
        if self.busy.value.exchange(1, memory_order_acquire) != 0:
            return
        if self.is_due(now):
            self.due.value.store(now + self.interval, memory_order_relaxed)
            if <int64_t>self.samples.size() == self.most * self.row:
                self.thin()
            self.samples.push_back(now)
            for k in range((self.row - 1) // FIELDS):
                (<Stage>stages[k]).sample(&self.samples)
        self.busy.value.store(0, memory_order_release)

    cdef void thin(self) noexcept nogil:
        cdef int64_t kept = self.most // 2, i, k
        for i in range(kept):
            for k in range(self.row):
                self.samples[i * self.row + k] = self.samples[2 * i * self.row + k]
        self.samples.resize(kept * self.row)
        self.interval *= 2

    def to_dict(self, int64_t begun_ticks) -> dict:
        """Return the samples as arrays: ``at`` in seconds since the start, and per name a row for each
        sample, a column for each stage: tuples queued and workers then; worker seconds, tuples taken in and
        reorder events since the start."""
        cdef Py_ssize_t i
        numbers = np.empty(self.samples.size(), dtype=np.int64)
        cdef int64_t[::1] view = numbers
        for i in range(view.shape[0]):
            view[i] = self.samples[i]
        table = numbers.reshape(-1, self.row)
        fields = table[:, 1:].reshape(len(table), -1, FIELDS)
        columns = {name: fields[:, :, place] for place, name in enumerate(NAMES)}
        columns["seconds"] = columns["seconds"] / ticks_per_second()
        columns["at"] = (table[:, 0] - begun_ticks) / ticks_per_second()
        return columns
