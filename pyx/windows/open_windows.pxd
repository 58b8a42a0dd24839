"""The windows of a partition's keys that are open."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.deque cimport deque
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.windows.cells cimport Block, Closing
from streambench.pyx.windows.definition cimport Definition
from streambench.pyx.windows.keyed_cells cimport KeyedCells
from streambench.pyx.windows.panes cimport Panes
from streambench.pyx.windows.rows cimport Rows
from streambench.pyx.windows.sketches cimport Gathered

cdef struct PaneSums:
    # A pane whose keys' cells are part of the totals.
    int64_t begin
    int64_t n                           # keys
    int64_t* rows                       # of each the words of the key, and its cells

cdef struct Due:
    # When a session ends, as it seemed when somebody looked: at this time, or later.
    int64_t time
    int32_t row

cdef cppclass OpenWindows:
    const Definition* definition
    bint begun                          # what follows means something
    bint within                         # the pane belongs to a window; of windows with gaps between them some do not
    int64_t begin                       # of the tumbling window, or of the pane, that is open
    int64_t end
    int64_t next_close                  # of SLIDING the end of the next window that closes
    KeyedCells open                     # of keys in that window or pane; sessions and counted keys, all far
    Rows held                           # of SLIDING the keys that have panes; where aggregates invert, instead
    KeyedCells totals                   # of all panes together
    deque[PaneSums] panes
    vector[vector[int32_t]] wheel       # of SESSION rows by the bucket of time in which they seem to end
    vector[Due] due                     # a heap of those of this bucket; each row is here or in the wheel, once
    int64_t bucket
    int32_t shift                       # a bucket is a time without so many bits
    vector[int32_t] moved               # room
    vector[int64_t] keys                # room
    vector[Closing] closing
    Gathered gathered
    vector[char] kept
    vector[int64_t] nothing             # cells of no tuple
    char apart[128]                     # two partitions' workers share no cache line

cdef inline bint begins_earlier(const PaneSums& a, const PaneSums& b) noexcept nogil:
    return a.begin < b.begin

cdef void init_windows(OpenWindows* windows, const Definition* definition) noexcept nogil
cdef bint have_near(const Definition* definition) noexcept nogil
cdef void clear_windows(OpenWindows* windows) noexcept nogil
cdef bint close_next(OpenWindows* windows, int64_t time, bint fill, Columns* out, uint32_t source_row) noexcept nogil
cdef bint in_window(const Definition* definition, int64_t time) noexcept nogil
cdef void begin_at(OpenWindows* windows, int64_t time) noexcept nogil
cdef void await_end(OpenWindows* windows, int32_t number) noexcept nogil
cdef void forget_ends(OpenWindows* windows) noexcept nogil
cdef void close_sessions(OpenWindows* windows, int64_t time, Columns* out, uint32_t source_row) noexcept nogil
cdef void take_session(OpenWindows* windows, Block* block, int32_t i, const int64_t* key, int64_t time, Columns* out,
                       uint32_t source_row) noexcept nogil
cdef int64_t next_end(const OpenWindows* windows) noexcept nogil
cdef void add_closing(OpenWindows* windows, const int64_t* row, const int64_t* cells, Panes* panes) noexcept nogil
cdef void emit_closing(OpenWindows* windows, int64_t begin, int64_t end, Columns* out,
                       uint32_t source_row) noexcept nogil

cdef inline int64_t multiple_below(int64_t time, int64_t origin, int64_t step) noexcept nogil:
    """The last of the multiples from ``origin`` on, and before it, that is not behind ``time``."""
    cdef int64_t beyond = (time - origin) % step
    return time - beyond - (step if beyond < 0 else 0)
