"""A ScaleGate for Python: to feed and read one by hand, and in tests."""

from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.ring_scale_gate cimport RingScaleGate
from streambench.pyx.join.scale_gate cimport ADDED, CLOSED, ENDED, FULL, LATE, ScaleGate
from streambench.pyx.join.skip_list_scale_gate cimport SkipListScaleGate
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport values_of

from collections.abc import Iterable

import numpy as np

from streambench.pyx.tuples.errors import UnfitDataError, UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.layout import type_named
from streambench.pyx.tuples.stream_column import stream_column
from streambench.pyx.tuples.whole_number import is_number, is_whole_number, whole_number

OUTCOMES = {ADDED: "added", FULL: "full", LATE: "late", CLOSED: "closed"}
KINDS = {"ring": RingScaleGate, "skip-list": SkipListScaleGate}


def make_scale_gate(kind, types, readers=1, capacity=4096) -> ScaleGate:
    """The implementation of this name, see ``ScaleGate``. Raises UnfitOptionError where there is none."""
    if kind not in list(KINDS):
        raise UnfitOptionError(f"there is no gate {kind!r}: choose from {', '.join(KINDS)}")
    return KINDS[kind](types, whole_number("readers", readers, most=2**31 - 1), whole_number("capacity", capacity))


cdef class ManualScaleGate:
    """Merges ordered sources into one order, by (timestamp, source, sequence).

    ``kind``: ``ring``, or ``skip-list`` for the paper's; ``types``: for each source the types of its columns;
    ``readers`` and ``capacity`` as for ``ScaleGate``. Threads may use it at a time, each a
    source or a reader of its own.
    """

    cdef ScaleGate gate
    cdef list types

    def __init__(self, kind, types, readers=1, capacity=4096):
        if not isinstance(types, Iterable) or not all(isinstance(own, Iterable) for own in types):
            raise UnfitTypeError(f"types= lists for each source the types of its columns, and {types!r} does not")
        self.types = [tuple(type_named(each) for each in own) for own in types]
        self.gate = make_scale_gate(kind, self.types, readers, capacity)

    @property
    def capacity(self) -> int:
        """Tuples of a source that may wait for the slowest reader."""
        return self.gate.capacity

    @property
    def allocated(self) -> int:
        """Tuples for which there is memory, in use or not."""
        return self.gate.allocated()

    def add(self, source, ts, values=()) -> str:
        """Add a tuple; "added", or "full", "late" or "closed" where it is refused.

        Raises DataError for a value that its column's type does not hold as it is, and for a time that is none.
        """
        cdef int32_t of = self._require(source, self.gate.sources, "source")
        cdef int64_t at = self._time(ts)
        types = self.types[of]
        if not hasattr(values, "__len__"):
            raise UnfitTypeError(f"a tuple's values stand in a list, not {values!r}")
        if len(values) != len(types):
            raise UnfitDataError(f"a tuple of source {source} has {len(types)} values, not {len(values)}")
        record = b"".join(value_bytes(f"value {k}", each, type) for k, (each, type) in enumerate(zip(values, types)))
        cdef const char* begin = record
        cdef int outcome
        with nogil:
            outcome = self.gate.add(of, at, begin)
        return OUTCOMES[outcome]

    def add_rows(self, source, ts, columns=()) -> int:
        """Add a batch of tuples, column by column; returns how many, all before the first that would be refused."""
        times = stream_column(ts, "ts", np.dtype("int64"))
        cdef int32_t of = self._require(source, self.gate.sources, "source")
        types = self.types[of]
        if not hasattr(columns, "__len__"):
            raise UnfitTypeError(f"a batch's columns stand in a list, not {columns!r}")
        if len(columns) != len(types):
            raise UnfitDataError(f"a batch of source {source} has {len(types)} columns, not {len(columns)}")
        arrays = [stream_column(each, f"column {k}", type)
                  for k, (each, type) in enumerate(zip(columns, types, strict=True))]
        if any(len(each) != len(times) for each in arrays):
            raise UnfitDataError("the columns of a batch must be equally long")
        self._time(max(times, default=0))
        cdef Columns rows
        cdef int32_t k
        cdef int64_t n = len(times), added
        cdef const int64_t* at = <const int64_t*><size_t>times.ctypes.data
        for k in range(<int32_t>len(arrays)):
            rows.column[k] = <int64_t*><size_t>arrays[k].ctypes.data
        with nogil:
            added = self.gate.add_rows(of, at, &rows, 0, n)
        return added

    def heartbeat(self, source, ts) -> str:
        """Promise that the source adds nothing earlier than ``ts`` any more; "added", "late" or "closed"."""
        return OUTCOMES[self.gate.heartbeat(self._require(source, self.gate.sources, "source"), self._time(ts))]

    def close(self, source) -> str:
        """Promise that the source adds nothing any more; "added" or "closed"."""
        return OUTCOMES[self.gate.close(self._require(source, self.gate.sources, "source"))]

    def next_ready(self, reader, at_most=1):
        """Up to so many next tuples, each (ts, source, sequence, values); None when there will be none any more."""
        cdef int32_t of = self._require(reader, self.gate.readers, "reader")
        cdef int64_t most = min(whole_number("at_most", at_most, 0), self.gate.capacity * self.gate.sources)
        cdef vector[Ready] ready
        cdef int64_t n, i
        ready.resize(max(most, 1))
        with nogil:
            n = self.gate.next_ready(of, ready.data(), most)
        if n == ENDED:
            return None
        tuples = []
        for i in range(n):
            record = &self.gate.records[ready[i].source]
            tuples.append((ready[i].ts, ready[i].source, ready[i].sequence,
                           values_of(ready[i].values, record.layout, record.width)))
        return tuples

    def waits_for(self, reader) -> int:
        """The source without which a reader cannot go on that has just got less than it asked for."""
        return self.gate.waits_for(self._require(reader, self.gate.readers, "reader"))

    def _require(self, number, of, what) -> int:
        if not 0 <= whole_number(what, number) < of:
            raise UnfitOptionError(f"there is no {what} {number}: the gate has {of}, counted from 0")
        return int(number)

    def _time(self, ts) -> int:
        if whole_number("a timestamp", ts) == INT64_MAX:
            raise UnfitDataError("2**63 - 1 is the end of time: a timestamp must be lower")
        return int(ts)


def value_bytes(name, value, type) -> bytes:
    """A value as a column of this type has it. Raises UnfitDataError and UnfitTypeError where it
    would be another value there."""
    if type.kind == "V":
        if not isinstance(value, (bytes, np.void)) or len(bytes(value)) > type.itemsize:
            raise UnfitTypeError(f"{name} must be at most {type.itemsize} bytes, not {value!r}")
        return bytes(value).ljust(type.itemsize, b"\0")
    if not (isinstance(value, (bool, np.bool_)) if type.kind == "b" else is_number(value)):
        raise UnfitTypeError(f"{name} must be a {type.name}, not {value!r}")
    if type.kind in "iu" and (not is_whole_number(value)
                              or not np.iinfo(type).min <= value <= np.iinfo(type).max):
        raise UnfitDataError(f"{name} is {value!r}, which {type.name} does not hold")
    return np.array(value, type).tobytes()
