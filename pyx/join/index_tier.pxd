"""The index tier: the window lies in a grid of small chunks, and a probe looks at the few cells that it can match."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.join.cells cimport Cells
from streambench.pyx.join.ready_batch cimport MOST_READY, Probes
from streambench.pyx.join.terms cimport Term
from streambench.pyx.join.tier cimport Tier

cdef extern from "chunk_codes.h" nogil:
    enum:
        CHUNK "streambench::CHUNK"

    cppclass Chunk "streambench::Chunk":
        uint32_t x[16]                  # codes of the first filter, and of the second
        uint32_t y[16]
        uint32_t row[16]                # its low bits; rows ascend
        int64_t newest                  # row
        Chunk* next
        int32_t n

    uint32_t passing "streambench::passing"(const Chunk* chunk, uint32_t low_x, uint32_t reach_x, uint32_t low_y,
                                            uint32_t reach_y) noexcept

cdef struct Cell:
    Chunk* oldest
    Chunk* newest

cdef struct Storing:                    # a tuple on its way into the grid
    Cell* cell
    int64_t row
    uint32_t code[2]

cdef struct Probe:
    int32_t place
    int64_t first                       # rows of the other side that it is compared with
    int64_t last
    int64_t row
    uint32_t low[2]

cdef struct Visit:
    Cell* cell
    int32_t probe

cdef class IndexTier(Tier):
    cdef Cells first                    # of the first filter
    cdef Cells second                   # of the second; None where there is none
    cdef int32_t cells_of_second
    cdef int32_t[::1] own_cells         # by cell of the first filter: which of this thread's it is; below 0: none
    cdef Cell* grid[2]                  # by side: cells of the first filter that are this
                                        # thread's, each by cells of the second
    cdef int64_t share[2]               # by side: about the most tuples that are this
                                        # thread's and in the window at a time
    cdef size_t grid_bytes
    cdef int64_t grid_cells
    cdef bint codes_tell                # what passes within the margins is a match
    cdef bint by_rows                   # threads share rows, not cells: one cell has too many
    cdef vector[void*] blocks           # of chunks
    cdef Chunk* free
    cdef int64_t swept[2]
    cdef int64_t oldest[2]              # rows of the side before it are in no window any more
    cdef vector[Probe] probes
    cdef vector[Visit] visits
    cdef vector[int64_t] matched        # rows, each twice, and one more where it is sure
    cdef vector[int64_t] match_begins   # by probe
    cdef Storing storing[MOST_READY]
    cdef Term* filter(self, int32_t k) noexcept nogil
    cdef bint nothing(self, int32_t side, int64_t row) noexcept nogil
    cdef Cell* cell_at(self, int32_t side, int32_t first, int32_t second) noexcept nogil
    cdef void store(self, int32_t side, Probes* rows) noexcept nogil
    cdef void append_to(self, int32_t side, Storing* each) noexcept nogil
    cdef void expire(self, int32_t side, Cell* cell) noexcept nogil
    cdef Chunk* new_chunk(self, int32_t side) noexcept nogil
    cdef void add_block(self) noexcept nogil
    cdef void plan(self, int32_t side, Probes* probes) noexcept nogil
    cdef void look(self, int32_t side) noexcept nogil
    cdef void fetch(self, Chunk* chunk) noexcept nogil
    cdef void fetch_values(self, int32_t side, int64_t row) noexcept nogil
    cdef void test(self, int32_t side) noexcept nogil
