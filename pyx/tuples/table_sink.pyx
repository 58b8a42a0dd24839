"""The sink of the benchmark: it digests the output sequence and, if asked to, keeps it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset
from streambench.pyx.tuples.columns cimport Columns, digest_columns
from streambench.pyx.tuples.kept_columns cimport KeptColumns
from streambench.pyx.tuples.layout cimport MAX_COLUMNS, layout_of
from streambench.pyx.tuples.operator cimport Sink

import numpy as np

from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.stream_column import stream_column


def digest_rows(columns, str before="") -> str:
    """Return the digest that a sink would have that was given these rows: arrays of one length, by column.

    ``before``: the digest of the rows ahead of them, if there are any.
    """
    cdef Columns rows
    cdef int32_t k
    arrays = [stream_column(each, f"{place}") for place, each in enumerate(columns)]
    if len({len(each) for each in arrays}) != 1 or len(arrays) > MAX_COLUMNS:
        raise ValueError(f"rows have 1 to {MAX_COLUMNS} columns of one length")
    memset(&rows, 0, sizeof(rows))
    rows.n = <int32_t>len(arrays[0])
    rows.width = <int32_t>len(arrays)
    rows.layout = layout_of(tuple(each.dtype for each in arrays))
    for k, each in enumerate(arrays):
        rows.column[k] = <int64_t*><size_t>each.ctypes.data
    return f"{digest_columns(&rows, -1, <uint64_t>int(before or '0', 16)):016x}"


cdef class TableSink(Sink):
    """``keep``: hold the whole output sequence in memory, for ``rows`` and ``to_arrow``. It takes columns of any types.

    pandas, Polars, DuckDB and others read what it keeps through ``__arrow_c_stream__``, as from ``to_arrow()``.
    """

    cdef readonly bint keep
    cdef public bint in_run             # workers append to what it keeps: nobody else may read it
    cdef KeptColumns kept
    cdef tuple given                    # schema
    cdef int64_t count
    cdef uint64_t sequence

    def __init__(self, bint keep=True):
        self.keep = keep
        self.kept = KeptColumns()

    def bind(self, inputs):
        """Take any columns; emit none."""
        self.given = tuple(inputs)
        self.schema = ()
        return self.schema

    def open(self, int32_t partitions=1):
        self.kept = KeptColumns()       # others may read the old ones
        self.count = self.sequence = 0

    def save(self):
        return {"count": np.array([self.count]), "sequence": np.array([self.sequence], np.uint64), **self.kept.save()}

    def load(self, saved):
        self.count, self.sequence = saved["count"][0], saved["sequence"][0]
        self.kept.load(saved)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        self.sequence = digest_columns(rows, -1, self.sequence)
        self.count += rows.n
        if self.keep:
            self.kept.append(rows, 0, rows.n)
        return -1

    @property
    def digest(self) -> str:
        """Order-sensitive digest of the output sequence, 16 hexadecimal digits."""
        return f"{self.sequence:016x}"

    @property
    def tuples(self) -> int:
        """Length of the output sequence."""
        return self.count

    def rows(self):
        """Return the output sequence, an array per column, of its type (only if kept). None arrived: no columns."""
        cdef size_t k
        columns = []
        self.require_kept()
        for k in range(self.kept.bytes.size()):
            type = self.given[k][1] if self.given else np.dtype("int64")
            bytes = np.empty(self.kept.bytes[k].size(), dtype=np.uint8)
            memcpy(<char*><size_t>bytes.ctypes.data, self.kept.bytes[k].data(), self.kept.bytes[k].size())
            columns.append(bytes.view(type))
        return columns

    def to_arrow(self, nulls=None):
        """Return the output sequence as a ``pyarrow.Table`` (only if kept), after the run, with
        the columns' names and types.

        The table reads the sink's own memory; booleans alone are copied, being bits in Arrow. Names that stand twice
        are told apart by their places. ``nulls``: what stands for null (see ``sentinels``), in a column by its name or
        in all; it becomes null. Raises ValueError for one that its column cannot hold.
        """
        from streambench.pyx.tuples.arrow_columns import kept_table     # pyarrow is large: only for those who ask

        self.require_kept()
        return kept_table(self.given or (), self.kept, nulls)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    cdef int require_kept(self) except -1:
        if not self.keep:
            raise ValueError("this sink was not asked to keep its rows")
        if self.in_run:
            raise UnfitOptionError("the run of this sink has not ended: read its rows then, or take them from stream()")
        return 0
