"""YSB's operators: views alone, the campaign of their ad, and each campaign's views by window."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns, emit_from, reserve
from streambench.pyx.tuples.keep_rows cimport NOT_NULL, keep_rows, pass_column
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.queries.common.row_loop cimport RowLoop, run_loop

import numpy as np


@cython.final
cdef class KeepViews(Stateless):
    """SL: keep views, which have the event type 0; project (ts, ad). Input (ts, ad, type)."""

    def __init__(self):
        self.columns = ("ts", "ad")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* type = rows.column[2]
        cdef int64_t* verdict
        cdef int32_t i
        reserve(out, rows.n)
        verdict = out.column[0]
        for i in range(rows.n):
            verdict[i] = type[i] | -type[i]                     # negative but for 0
        out.n = keep_rows(verdict, verdict, NOT_NULL, rows.n, 2, rows.column, out.column)
        return -1


@cython.final
cdef class LookUpCampaign(Stateless):
    """SL: (ts, ad) becomes (ts, campaign); views of no ad, an unknown ad or one without a campaign are dropped.

    ``campaigns``: by ad key, -1 for none.
    """

    cdef const int64_t[::1] campaigns       # and one more: -1, of all ads beyond and of none

    def __init__(self, campaigns):
        self.columns = ("ts", "campaign")
        self.campaigns = np.append(np.asarray(campaigns, dtype=np.int64), -1)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* campaigns = &self.campaigns[0]
        cdef uint64_t beyond = self.campaigns.shape[0] - 1
        cdef const int64_t* ad = rows.column[1]
        cdef int64_t* campaign
        cdef int64_t* source[2]
        cdef int64_t known = 0
        cdef int32_t i
        reserve(out, rows.n)
        campaign = out.column[1]
        for i in range(rows.n):
            campaign[i] = campaigns[min(<uint64_t>ad[i], beyond)]
            known |= campaign[i]
        if known >= 0:                      # as nearly always: nothing is copied
            out.n = rows.n
            pass_column(rows, 0, out, 0)
        else:
            source[0] = rows.column[0]
            source[1] = campaign
            out.n = keep_rows(campaign, campaign, NOT_NULL, rows.n, 2, source, out.column)
        return -1


cdef struct Views:
    # A row: a campaign's window of which views have come last.
    int64_t begins
    int64_t n                               # 0 before the campaign's first view
    int64_t unused[6]


cdef inline int32_t add_to_open_windows(Views* near, uint64_t near_keys, uint64_t window, const int64_t* ts,
                                        const int64_t* campaign, const uint32_t* selected, int32_t i,
                                        int32_t end) noexcept nogil:
    """Count rows ``i`` .. ``end`` - 1 up to the first that begins a window or is not near; return which that is. No call:
    all stays in registers."""
    cdef Views* one
    cdef int32_t row
    while i < end:
        row = row_at(selected, i)
        if <uint64_t>campaign[row] >= near_keys:
            break
        one = near + campaign[row]
        if <uint64_t>(ts[row] - one.begins) >= window:
            break
        one.n += 1
        i += 1
    return i


@cython.final
cdef class CampaignViews(PartitionedStateful):
    """PS by campaign: emits (begins, campaign, n) of a window of ``window`` seconds on the campaign's first view in a later
    one, and at end of stream. Windows begin at multiples of ``window``; one without views is not emitted."""

    cdef int64_t window
    cdef KeyedRows views                    # by campaign

    def __init__(self, int64_t window):
        self.columns = ("begins", "campaign", "n")
        self.partition_free = True
        self.window = window
        self.views = KeyedRows(sizeof(Views))

    def open(self, int32_t partitions=1):
        self.views.open(partitions, self.high_key)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        memcpy(keys, rows.column[1], rows.n * sizeof(int64_t))

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        return run_loop(<RowLoop>CampaignViews.count_views, self, partition, rows, selected, n, out)

    cdef inline void count_views(self, int32_t partition, Columns* rows, const uint32_t* selected, int32_t n,
                                 Columns* out) noexcept nogil:
        cdef Views* near = <Views*>self.views.near
        cdef uint64_t near_keys = self.views.near_keys
        cdef uint64_t window = self.window
        cdef const int64_t* ts = rows.column[0]
        cdef const int64_t* campaign = rows.column[1]
        cdef Views* one
        cdef int32_t i = 0, row
        while True:
            i = add_to_open_windows(near, near_keys, window, ts, campaign, selected, i, n)
            if i == n:
                break
            row = row_at(selected, i)
            if <uint64_t>campaign[row] < near_keys:
                one = near + campaign[row]
            else:
                one = <Views*>self.views.far(partition, campaign[row])
            if <uint64_t>(ts[row] - one.begins) >= window:
                self.begin_window(one, campaign[row], ts[row], out, <uint32_t>row)
            one.n += 1
            i += 1

    cdef void begin_window(self, Views* one, int64_t campaign, int64_t ts, Columns* out, uint32_t source_row) noexcept nogil:
        if one.n:
            self.emit_window(one, campaign, out, source_row)
        one.begins = ts - ts % self.window
        one.n = 0

    cdef void emit_window(self, Views* one, int64_t campaign, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        out.column[0][row] = one.begins
        out.column[1][row] = campaign
        out.column[2][row] = one.n

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int64_t campaign
        cdef Views* one
        while out.n < at_most:
            one = <Views*>self.views.next_in_order(&campaign)
            if one is NULL:
                break
            if one.n:
                self.emit_window(one, campaign, out, 0)
        return out.n
