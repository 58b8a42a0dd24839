"""A window's cells: what its aggregates have of its tuples, 64-bit words."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport MAX_COLUMNS
from streambench.pyx.windows.definition cimport Aggregate, Definition
from streambench.pyx.windows.sketches cimport Gathered

cdef enum:
    BLOCK = 128                         # tuples that are taken in at a time

cdef struct Block:
    # Tuples that are taken in: their values as words, integers or the bits of doubles.
    int32_t n
    bint alone                          # all are in the same cells
    int32_t row[BLOCK]
    int64_t* cells[BLOCK]               # of the window that each belongs to
    const int64_t* value[MAX_COLUMNS]   # by input
    int64_t room[MAX_COLUMNS][BLOCK]    # for values that are not so in their column

cdef struct Closing:
    # A window that is emitted.
    const int64_t* key                  # its words
    const int64_t* cells
    void* panes                         # the Panes that hold the values it keeps; NULL: its own cells do

cdef void read_values(const Definition* definition, Columns* rows, bint consecutive, Block* block) noexcept nogil
cdef void take_in(const Definition* definition, Block* block, int32_t begin, int32_t end) noexcept nogil
cdef void merge(const Definition* definition, int64_t* earlier, const int64_t* later) noexcept nogil
cdef void free_values(const Definition* definition, int64_t* cells) noexcept nogil
cdef void emit_cells(const Aggregate* aggregate, const Closing* closing, int32_t n, Columns* out,
                     int32_t first) noexcept nogil
cdef void emit_values(const Aggregate* aggregate, Gathered& all, Columns* out, int32_t row) noexcept nogil
