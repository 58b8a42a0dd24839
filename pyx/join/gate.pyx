"""A ScaleGate for Python: to feed and read one by hand, and in tests."""

from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.ring_gate cimport RingGate
from streambench.pyx.join.scale_gate cimport ADDED, CLOSED, ENDED, FULL, LATE, ScaleGate
from streambench.pyx.join.skip_list_gate cimport SkipListGate
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport values_of

import numpy as np

from streambench.pyx.tuples.layout import type_named
from streambench.pyx.tuples.stream_column import stream_column

OUTCOMES = {ADDED: "added", FULL: "full", LATE: "late", CLOSED: "closed"}
KINDS = {"ring": RingGate, "skip-list": SkipListGate}


def make_gate(str kind, types, int32_t readers=1, int64_t capacity=4096) -> ScaleGate:
    """The implementation of this name, see ``ScaleGate``. Raises ValueError where there is none."""
    if kind not in KINDS:
        raise ValueError(f"there is no gate {kind!r}: choose from {', '.join(KINDS)}")
    return KINDS[kind](types, readers, capacity)


cdef class Gate:
    """Merges ordered sources into one order, by (timestamp, source, sequence).

    ``kind``: ``ring``, or ``skip-list`` for the paper's; ``types``: for each source the types of its columns;
    ``readers`` and ``capacity`` as for ``ScaleGate``. Threads may use it at a time, each a source or a reader of its own.
    """

    cdef ScaleGate gate
    cdef list types

    def __init__(self, str kind, types, int32_t readers=1, int64_t capacity=4096):
        self.types = [tuple(type_named(each) for each in own) for own in types]
        self.gate = make_gate(kind, self.types, readers, capacity)

    @property
    def capacity(self) -> int:
        """Tuples of a source that may wait for the slowest reader."""
        return self.gate.capacity

    @property
    def allocated(self) -> int:
        """Tuples for which there is memory, in use or not."""
        return self.gate.allocated()

    def add(self, int32_t source, int64_t ts, values=()) -> str:
        """Add a tuple; "added", or "full", "late" or "closed" where it is refused."""
        self._require(source, self.gate.sources, "source", ts)
        types = self.types[source]
        if len(values) != len(types):
            raise ValueError(f"a tuple of source {source} has {len(types)} values, not {len(values)}")
        record = b"".join(np.array(each, type).tobytes() for each, type in zip(values, types))
        cdef const char* begin = record
        cdef int outcome
        with nogil:
            outcome = self.gate.add(source, ts, begin)
        return OUTCOMES[outcome]

    def add_rows(self, int32_t source, ts, columns=()) -> int:
        """Add a batch of tuples, column by column; returns how many, all before the first that would be refused."""
        times = stream_column(ts, "ts", np.dtype("int64"))
        types = self.types[source]
        arrays = [stream_column(each, f"column {k}", type) for k, (each, type) in enumerate(zip(columns, types, strict=True))]
        if any(len(each) != len(times) for each in arrays):
            raise ValueError("the columns of a batch must be equally long")
        self._require(source, self.gate.sources, "source", max(times, default=0))
        cdef Columns rows
        cdef int32_t k
        cdef int64_t n = len(times), added
        cdef const int64_t* at = <const int64_t*><size_t>times.ctypes.data
        for k in range(<int32_t>len(arrays)):
            rows.column[k] = <int64_t*><size_t>arrays[k].ctypes.data
        with nogil:
            added = self.gate.add_rows(source, at, &rows, 0, n)
        return added

    def heartbeat(self, int32_t source, int64_t ts) -> str:
        """Promise that the source adds nothing earlier than ``ts`` any more; "added", "late" or "closed"."""
        self._require(source, self.gate.sources, "source", ts)
        return OUTCOMES[self.gate.heartbeat(source, ts)]

    def close(self, int32_t source) -> str:
        """Promise that the source adds nothing any more; "added" or "closed"."""
        self._require(source, self.gate.sources, "source")
        return OUTCOMES[self.gate.close(source)]

    def next_ready(self, int32_t reader, int64_t at_most=1):
        """Up to so many next tuples, each (ts, source, sequence, values); None when there will be none any more."""
        self._require(reader, self.gate.readers, "reader")
        cdef vector[Ready] ready
        cdef int64_t n, i
        ready.resize(max(at_most, 1))
        with nogil:
            n = self.gate.next_ready(reader, ready.data(), at_most)
        if n == ENDED:
            return None
        found = []
        for i in range(n):
            record = &self.gate.records[ready[i].source]
            found.append((ready[i].ts, ready[i].source, ready[i].sequence,
                          values_of(ready[i].values, record.layout, record.width)))
        return found

    def waits_for(self, int32_t reader) -> int:
        """The source without which a reader cannot go on that has just got less than it asked for."""
        self._require(reader, self.gate.readers, "reader")
        return self.gate.waits_for(reader)

    def _require(self, number, of, what, ts=0):
        if not 0 <= number < of:
            raise IndexError(f"there is no {what} {number}: the gate has {of}, counted from 0")
        if ts == INT64_MAX:
            raise ValueError("2**63 - 1 is the end of time: a timestamp must be lower")
