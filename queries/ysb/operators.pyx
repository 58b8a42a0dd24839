"""YSB's operators: views alone, the campaign of their ad, and each campaign's views by window."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from streambench.pyx.tuples.columns cimport Columns, emit_from, integer_at, keys_of, put_integer, reserve
from streambench.pyx.tuples.keep_rows cimport (
    Kept, begin_blocks, copy_kept, count_kept, drop_nulls, keep_equal, next_block, pass_column,
)
from streambench.pyx.tuples.layout cimport INT16, UINT32, type_of
from streambench.pyx.state.keyed_rows cimport KeyedRows, row_at
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateless
from streambench.pyx.tuples.typed_columns cimport int16_column, int64_column, uint32_column
from streambench.queries.common.look_up cimport LookUp
from streambench.queries.common.windows cimport end_of_window, first_row_at_least

from streambench.pyx.state.saved_rows import load_rows, save_rows
from streambench.queries.common.column_types import CODE, EVENT_TYPE, KEY, TIME


@cython.final
cdef class KeepViews(Stateless):
    """SL: keep views, which have the event type 0; project (begins, ad), the begin of the view's window and its ad.

    Windows begin at multiples of ``window`` seconds. Time never decreases, so it is looked
    at where a window begins only.
    """

    cdef int64_t window

    def __init__(self, int64_t window):
        self.window = window
        self.reads = {"ts": TIME, "ae_ad_sk": KEY, "ae_event_type": EVENT_TYPE}
        self.columns = ("begins", "ae_ad_sk")
        self.types = ("=ts", "=ae_ad_sk")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t begin = 0, end, ts = self.at[0]
        cdef int64_t begins
        reserve(out, rows.n)
        while begin < rows.n:
            begins = integer_at(rows, ts, begin)
            begins -= begins % self.window
            end = rows.n
            if rows.last_time < rows.first_time or rows.last_time >= begins + self.window:
                end = first_row_at_least(rows, ts, NULL, begin, rows.n, begins + self.window)
            self.keep_window(begins, rows, begin, end, out)
            begin = end
        return -1

    cdef void keep_window(self, int64_t begins, Columns* rows, int32_t begin, int32_t end, Columns* out) noexcept nogil:
        cdef Kept kept
        cdef int32_t n
        begin_blocks(&kept, begin)
        while next_block(&kept, end):
            keep_equal(&kept, rows, self.at[2], 0)
            copy_kept(&kept, rows, self.at[1], out, 1)
            n = count_kept(&kept)
            if type_of(out.layout, 0) == UINT32:
                fill(uint32_column(out, 0) + out.n, n, <uint32_t>begins)
            else:
                fill(int64_column(out, 0) + out.n, n, begins)
            out.n += n


ctypedef fused time_t:
    int64_t
    uint32_t


cdef inline void fill(time_t* times, int32_t n, time_t time) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        times[i] = time


@cython.final
cdef class LookUpCampaign(Stateless):
    """SL: (begins, ad) becomes (begins, campaign); views of no ad, an unknown ad or one without a campaign are dropped.

    ``campaigns``: by ad key, -1 for none.
    """

    cdef LookUp campaigns

    def __init__(self, campaigns):
        self.campaigns = LookUp(campaigns)
        self.reads = {"begins": TIME, "ae_ad_sk": KEY}
        self.columns = ("begins", "campaign")
        self.types = ("=begins", self.campaigns.type)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Kept kept
        reserve(out, rows.n)
        if self.campaigns.look_up(rows, self.at[1], out.column[1]):
            out.n = rows.n                  # as nearly always: nothing is copied
            pass_column(rows, self.at[0], out, 0)
            return -1
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            drop_nulls(&kept, out, 1)
            copy_kept(&kept, rows, self.at[0], out, 0)
            copy_kept(&kept, out, 1, out, 1)
            out.n += count_kept(&kept)
        return -1


cdef struct Views:
    # A row: a campaign's window of which views have come last.
    int64_t begins
    int64_t n                               # 0 before the campaign's first view
    int64_t unused[6]

VIEWS = ("begins", "n")                     # its words


ctypedef fused campaign_t:
    int64_t
    int16_t


@cython.final
cdef class CampaignViews(PartitionedStateful):
    """PS by campaign: emits (begins, campaign, n), its views in a window, on its first view in a later one, and at end
    of stream. A window without views is not emitted."""

    cdef KeyedRows views                    # by campaign

    def __init__(self):
        self.reads = {"begins": TIME, "campaign": CODE}
        self.columns = ("begins", "campaign", "n")
        self.types = ("=begins", "=campaign", "int64")
        self.partition_free = True
        self.views = KeyedRows(sizeof(Views))

    def open(self, int32_t partitions=1):
        self.views.open(partitions, self.high_key)

    def save(self):
        return save_rows(self.views, VIEWS)

    def load(self, saved):
        load_rows(self.views, saved, VIEWS)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        keys_of(rows, self.at[1], keys)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t begin = 0, end, windows = self.at[0], campaign = self.at[1]
        cdef int64_t begins
        while begin < n:
            end = end_of_window(rows, windows, selected, begin, n)
            begins = integer_at(rows, windows, row_at(selected, begin))
            if type_of(rows.layout, campaign) == INT16:
                count_views(self, begins, partition, int16_column(rows, campaign), selected, begin, end, out)
            else:
                count_views(self, begins, partition, int64_column(rows, campaign), selected, begin, end, out)
            begin = end
        return -1

    cdef void begin_window(self, Views* one, int64_t campaign, int64_t begins, Columns* out,
                           uint32_t source_row) noexcept nogil:
        if one.n:
            self.emit_window(one, campaign, out, source_row)
        one.begins = begins
        one.n = 0

    cdef void emit_window(self, Views* one, int64_t campaign, Columns* out, uint32_t source_row) noexcept nogil:
        cdef int32_t row = emit_from(out, source_row)
        put_integer(out, 0, row, one.begins)
        put_integer(out, 1, row, campaign)
        int64_column(out, 2)[row] = one.n

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


cdef inline void count_views(CampaignViews counts, int64_t begins, int32_t partition, const campaign_t* campaign,
                             const uint32_t* selected, int32_t begin, int32_t end, Columns* out) noexcept nogil:
    """Count one window's rows ``selected[begin:end]``, or ``begin`` to ``end`` - 1 if that is NULL."""
    cdef Views* near = <Views*>counts.views.near
    cdef Views* one
    cdef uint64_t near_keys = counts.views.near_keys
    cdef int32_t i, row
    for i in range(begin, end):
        row = row_at(selected, i)
        if <uint64_t><int64_t>campaign[row] < near_keys:
            one = near + campaign[row]
        else:
            one = <Views*>counts.views.far(partition, campaign[row])
        if one.begins != begins:
            counts.begin_window(one, campaign[row], begins, out, <uint32_t>row)
        one.n += 1
