"""The index tier, for bands and equalities: the paper's "extensibility" (001, section IV-C).

Cells of one or two filters form a grid. A cell is a list of chunks of 16 tuples, of which the oldest goes when all its
tuples have left the window. Threads have the grid's strips in turn, a few cells wide, so that a probe is looked at only
by those who can have matches for it: mostly one.
Where one strip would be too heavy, threads have strips of rows, as in the scan tier.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.join.cells cimport Cells
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.ready_batch cimport Batch, Probes
from streambench.pyx.join.terms cimport SINGLE, Term, as_32, code_of, low_of, matches_nothing
from streambench.pyx.join.tier cimport Found, Match, Tier
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages, map_pages_under_the_gil, unmap_pages
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.prefetch cimport prefetch

import math

import numpy as np

from streambench.pyx.tuples.errors import UnfitOptionError

cdef enum:
    TUPLES_OF_A_CELL = 24               # about so many: fewer would leave chunks empty, more would be looked at in vain
    STRIP = 64                          # rows, where threads share those
    STRIP_CELLS = 4                     # of the first filter, where threads share cells: most
                                        # probes are then one thread's
    CELLS_AHEAD = 16                    # visits whose cells are on their way,
    CHUNKS_AHEAD = 8                    # and those whose first chunks are
    CHUNKS_OF_A_BLOCK = HUGE_PAGE // sizeof(Chunk)
    SWEPT_AT_ONCE = 2                   # cells for each new chunk: those that nobody comes to are emptied, too
    FEWEST_STRIPS = 8                   # of a thread: with fewer, shares would be unequal

cdef extern from *:
    int32_t lowest_bit "__builtin_ctz"(uint32_t bits) noexcept nogil


cdef class IndexTier(Tier):
    """Raises ValueError where the predicate has neither band nor equality."""

    def __init__(self, Definition definition, int32_t number=0, int32_t threads=1):
        cdef int32_t side, k
        filters = definition.terms.filters
        if filters == 0:
            raise UnfitOptionError("an index needs a band or an equality: choose another tier")
        cells = max(1, max(definition.widest[0], definition.widest[1]) // TUPLES_OF_A_CELL)
        hashed = definition.terms.term[definition.terms.filter[0]].hashed
        # Two bands share the cells; an equality takes as many as it has keys, and leaves the rest to the other.
        self.first = Cells(definition, 0, cells if filters == 1 or hashed else math.isqrt(cells) + 1)
        self.second = Cells(definition, 1, max(1, cells // self.first.n)) if filters == 2 else None
        self.cells_of_second = self.second.n if filters == 2 else 1
        self.by_rows = self.first.heaviest * 2 * threads > 1
        strip_of = np.arange(self.first.n) // (
            STRIP_CELLS if self.first.n >= STRIP_CELLS * FEWEST_STRIPS * threads else 1)
        own = np.full(self.first.n, True) if self.by_rows else strip_of % threads == number
        self.own_cells = np.where(own, np.cumsum(own) - 1, -1).astype(np.int32)
        self.grid_cells = max(1, np.count_nonzero(own)) * self.cells_of_second
        self.grid_bytes = self.grid_cells * sizeof(Cell)
        self.codes_tell = definition.terms.n == filters and not definition.has_predicate
        for k in range(filters):
            self.codes_tell = self.codes_tell and definition.terms.term[definition.terms.filter[k]].certain
        for side in range(2):
            self.share[side] = definition.widest[side] * np.count_nonzero(own) // (
                self.first.n * (threads if self.by_rows else 1))
            self.grid[side] = <Cell*>map_pages_under_the_gil(self.grid_bytes)

    def __dealloc__(self):
        cdef int32_t side
        cdef size_t i
        for side in range(2):
            if self.grid[side] is not NULL:
                unmap_pages(self.grid[side], self.grid_bytes)
        for i in range(self.blocks.size()):
            unmap_pages(self.blocks[i], HUGE_PAGE)

    cdef void begin(self) noexcept nogil:
        """A machine may take milliseconds to find a page: no tuple shall wait for that once the windows are full."""
        cdef int64_t chunks = 0, k
        cdef int32_t side
        for side in range(2):  # a cell's newest chunk is not full yet, its oldest one goes late (see ``new_chunk``)
            chunks += self.share[side] // CHUNK * 7 // 6 + min(self.grid_cells, self.share[side])
        for k in range(chunks // CHUNKS_OF_A_BLOCK + 1):
            self.add_block()

    cdef void process(self, Batch* batch, vector[Match]* out) noexcept nogil:
        cdef int32_t side
        for side in range(2):
            if batch.side[side].n > 0:
                self.oldest[1 - side] = batch.side[side].first[0]
        for side in range(2):
            self.store(side, &batch.side[side])
        for side in range(2):
            self.plan(side, &batch.side[side])
            self.look(1 - side)
            self.test(side)
        self.put_out(batch, out)

    cdef inline Term* filter(self, int32_t k) noexcept nogil:
        return &self.definition.terms.term[self.definition.terms.filter[k]]

    cdef bint nothing(self, int32_t side, int64_t row) noexcept nogil:
        """No value of the other side can match this row's."""
        cdef int32_t k
        for k in range(self.definition.terms.filters):
            if matches_nothing(self.filter(k), side, row):
                return True
        return False

    cdef Cell* cell_at(self, int32_t side, int32_t first, int32_t second) noexcept nogil:
        """NULL where it is another thread's."""
        cdef int64_t own = self.own_cells[first]
        return &self.grid[side][own * self.cells_of_second + second] if own >= 0 else NULL

    cdef void store(self, int32_t side, Probes* rows) noexcept nogil:
        """Put those of the batch's tuples into the grid that are this thread's."""
        cdef int32_t i, n = 0
        cdef int64_t row, code
        cdef Storing* each
        for row in range(rows.begin, rows.begin + rows.n):
            if self.by_rows and row // STRIP % self.threads != self.number:
                continue
            each = &self.storing[n]
            code = code_of(self.filter(0), side, row)
            each.row = row
            each.code[0] = as_32(self.filter(0), code)
            each.cell = self.cell_at(side, self.first.cell_of(code), 0)
            if each.cell is NULL or self.nothing(side, row):
                continue
            each.code[1] = 0
            if self.definition.terms.filters > 1:
                code = code_of(self.filter(1), side, row)
                each.code[1] = as_32(self.filter(1), code)
                each.cell += self.second.cell_of(code)
            prefetch(each.cell, 1)
            n += 1
        for i in range(n):
            if i + CHUNKS_AHEAD < n and self.storing[i + CHUNKS_AHEAD].cell.newest is not NULL:
                prefetch(&self.storing[i + CHUNKS_AHEAD].cell.newest.newest, 1)
            self.append_to(side, &self.storing[i])

    cdef void append_to(self, int32_t side, Storing* each) noexcept nogil:
        cdef Cell* cell = each.cell
        cdef Chunk* chunk = cell.newest
        if chunk is NULL or chunk.n == CHUNK:
            self.expire(side, cell)
            chunk = self.new_chunk(side)
            if cell.oldest is NULL:
                cell.oldest = chunk
            else:
                cell.newest.next = chunk
            cell.newest = chunk
        chunk.x[chunk.n] = each.code[0]
        chunk.y[chunk.n] = each.code[1]
        chunk.row[chunk.n] = <uint32_t>each.row
        chunk.newest = each.row
        chunk.n += 1

    cdef void expire(self, int32_t side, Cell* cell) noexcept nogil:
        """Free the chunks that are in no window any more."""
        cdef Chunk* chunk
        while cell.oldest is not NULL and cell.oldest.newest < self.oldest[side]:
            chunk = cell.oldest
            cell.oldest = chunk.next
            chunk.next = self.free
            self.free = chunk
        if cell.oldest is NULL:
            cell.newest = NULL

    cdef Chunk* new_chunk(self, int32_t side) noexcept nogil:
        cdef Chunk* chunk
        cdef int32_t i
        for i in range(SWEPT_AT_ONCE):
            self.swept[side] = self.swept[side] + 1 if self.swept[side] + 1 < self.grid_cells else 0
            self.expire(side, &self.grid[side][self.swept[side]])
        if self.free is NULL:
            self.add_block()
        chunk = self.free
        self.free = chunk.next
        chunk.next = NULL
        chunk.n = 0
        return chunk

    cdef void add_block(self) noexcept nogil:
        cdef Chunk* chunk = <Chunk*>map_pages(HUGE_PAGE)
        cdef int32_t i
        append(self.blocks, <void*>chunk)
        for i in range(CHUNKS_OF_A_BLOCK):
            chunk.next = self.free
            self.free = chunk
            chunk += 1

    cdef void plan(self, int32_t side, Probes* probes) noexcept nogil:
        """Which cells the batch's tuples of this side have to look at."""
        cdef int32_t i, first, last, second, last_second, k
        cdef int64_t low, low_second = 0
        cdef Probe probe
        cdef Visit visit
        self.probes.clear()
        self.visits.clear()
        for i in range(probes.n):
            if probes.first[i] == probes.last[i]:
                continue
            probe.row = probes.begin + i
            low = low_of(self.filter(0), side, probe.row)
            first = self.first.cell_of(low)
            last = self.first.last_cell(first, low, self.filter(0).reach)
            while first <= last and self.own_cells[first] < 0:
                first += 1
            if first > last or self.nothing(side, probe.row):
                continue
            probe.place = probes.place[i]
            probe.first = probes.first[i]
            probe.last = probes.last[i]
            probe.low[0] = as_32(self.filter(0), low)
            probe.low[1] = 0
            second = last_second = 0
            if self.definition.terms.filters > 1:
                low_second = low_of(self.filter(1), side, probe.row)
                probe.low[1] = as_32(self.filter(1), low_second)
                second = self.second.cell_of(low_second)
                last_second = self.second.last_cell(second, low_second, self.filter(1).reach)
            visit.probe = <int32_t>self.probes.size()
            append(self.probes, probe)
            for first in range(first, last + 1):
                visit.cell = self.cell_at(1 - side, first, second)
                if visit.cell is not NULL:
                    for k in range(second, last_second + 1):
                        append(self.visits, visit)
                        visit.cell += 1

    cdef void look(self, int32_t side) noexcept nogil:
        """Find the tuples of this side whose codes the probes match; of each probe in the order of cells."""
        cdef size_t i, n = self.visits.size()
        cdef uint32_t bits, sure, reach_y = 0xFFFFFFFF, margin_y = 0
        cdef uint32_t reach_x = self.filter(0).reach_32, margin_x = self.filter(0).margin
        cdef int64_t row
        cdef int32_t at
        cdef Chunk* chunk
        cdef Probe* each
        if self.definition.terms.filters > 1:
            reach_y = self.filter(1).reach_32
            margin_y = self.filter(1).margin
        self.matched.clear()
        self.match_begins.clear()
        for i in range(n):
            if i + CELLS_AHEAD < n:
                prefetch(self.visits[i + CELLS_AHEAD].cell, 0)
            if i + CHUNKS_AHEAD < n:
                self.fetch(self.visits[i + CHUNKS_AHEAD].cell.oldest)
            while <int32_t>self.match_begins.size() <= self.visits[i].probe:
                append(self.match_begins, <int64_t>self.matched.size())
            each = &self.probes[self.visits[i].probe]
            chunk = self.visits[i].cell.oldest
            while chunk is not NULL:
                if chunk.next is not NULL:
                    self.fetch(chunk.next)
                if chunk.newest >= each.first:
                    self.compared += chunk.n
                    bits = passing(chunk, each.low[0], reach_x, each.low[1], reach_y) & ((<uint32_t>1 << chunk.n) - 1)
                    sure = 0
                    if bits and self.codes_tell:
                        sure = passing(chunk, each.low[0] + margin_x, reach_x - 2 * margin_x, each.low[1] + margin_y,
                                       reach_y - 2 * margin_y)
                    while bits:
                        at = lowest_bit(bits)
                        bits &= bits - 1
                        row = chunk.newest - <int64_t>(<uint32_t>chunk.newest - chunk.row[at])
                        if each.first <= row < each.last:
                            if not sure >> at & 1:
                                self.fetch_values(side, row)
                            append(self.matched, row << 1 | sure >> at & 1)
                chunk = chunk.next
        while self.match_begins.size() <= self.probes.size():
            append(self.match_begins, <int64_t>self.matched.size())

    cdef inline void fetch(self, Chunk* chunk) noexcept nogil:
        if chunk is not NULL:
            prefetch(chunk, 0)
            prefetch(<char*>chunk + 64, 0)
            prefetch(<char*>chunk + 128, 0)
            prefetch(<char*>chunk + 192, 0)

    cdef inline void fetch_values(self, int32_t side, int64_t row) noexcept nogil:
        """The exact test reads them soon."""
        cdef int32_t k
        cdef Term* term
        for k in range(self.definition.terms.filters):
            term = self.filter(k)
            prefetch(<const char*>term.column[side] + row * (4 if term.kind == SINGLE else 8), 0)

    cdef void test(self, int32_t side) noexcept nogil:
        """Put each probe's matches in order, and test those exactly that are not sure."""
        cdef size_t i
        cdef Probe* each
        cdef Found matches
        cdef int64_t* begin
        cdef int64_t* end
        for i in range(self.probes.size()):
            each = &self.probes[i]
            begin = self.matched.data() + self.match_begins[i]
            end = self.matched.data() + self.match_begins[i + 1]
            if end - begin > 1:
                sort(begin, end)
            matches.place = each.place
            while begin != end:
                matches.row = begin[0] >> 1
                if begin[0] & 1 or self.definition.holds(side, each.row, matches.row):
                    append(self.found, matches)
                begin += 1
