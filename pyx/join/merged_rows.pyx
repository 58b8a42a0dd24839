"""Several streams in memory through a gate: which row comes when."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.unit cimport Unit, begin_unit, clear_unit, init_unit

import numpy as np

from streambench.pyx.join.gate_source import GateSource
from streambench.pyx.tuples.table_source import TableSource

cdef enum:
    CLAIMED_AT_ONCE = 16384


def merged_rows(streams, int64_t slack=0):
    """The rows of all ``streams``, arrays of times, by (time, stream, place), and by stream how many were late.

    Rows are counted through one stream after the other; late ones are left out. ``slack``: by how much a stream may be
    out of order, as for a ``GateSource``. Raises StreamError where a time is 2**63 - 1. Late tuples are not warned of:
    the caller knows what streams are called. Ctrl-C gets through.
    """
    cdef int64_t n = sum(len(each) for each in streams), first = 0, done = 0, merged
    cdef Unit unit
    order = np.empty(n, np.int64)
    cdef int64_t[::1] rows = order
    tables = []
    for times in streams:
        tables.append(TableSource([times, np.arange(first, first + len(times))], ("ts", "row")))
        first += len(times)
    cdef Source source = GateSource(tables, slack=slack)
    source.told = True
    source.prepare(1)
    init_unit(&unit)
    try:
        while True:
            begin_unit(&unit, 0)
            with nogil:
                merged = source.claim(&unit, CLAIMED_AT_ONCE)
            if source.error is not None:
                raise source.error
            if merged < 0:
                return order[:done], source.late
            if merged > 0:
                memcpy(&rows[done], unit.now.column[1], merged * sizeof(int64_t))
                done += merged
            PyErr_CheckSignals()
    finally:
        clear_unit(&unit)
