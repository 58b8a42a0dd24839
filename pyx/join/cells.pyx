"""Cells that hold about equally many tuples, whatever their distribution: their bounds are quantiles of a sample."""

from libc.stdint cimport INT64_MIN
from streambench.pyx.join.terms cimport Term, code_of, matches_nothing

import numpy as np

SAMPLE = 8192                           # rows of each side


cdef class Cells:
    """At most ``wanted`` cells of the codes that ``definition``'s filter number ``number`` has."""

    def __init__(self, Definition definition, int32_t number, int64_t cell_count):
        cdef Term* term = &definition.terms.term[definition.terms.filter[number]]
        codes = sample_codes(definition, term)
        self.hashed = term.hashed
        if self.hashed:
            distinct = len(np.unique(codes))
            self.n = 1 << max(
                0, int(min(cell_count, 4 * distinct if distinct < len(codes) // 2 else cell_count) - 1).bit_length())
            cells = (np.bincount((codes.view(np.uint64) >> 32).astype(np.int64) & (self.n - 1)) if len(codes)
                     else np.zeros(1))
        else:
            begins = [INT64_MIN]
            gap = int(term.reach) // 2 + 1      # narrower cells would only be more of them to look at
            for code in codes[np.arange(1, cell_count) * len(codes) // cell_count].tolist() if len(codes) else ():
                if code - begins[len(begins) - 1] >= gap:
                    begins.append(code)
            self.begins = np.array(begins, np.int64)
            self.begin = &self.begins[0]
            self.n = len(begins)
            self.look_up(begins)
            cells = np.diff(np.searchsorted(codes, [*begins, np.inf]))
        self.heaviest = cells.max() / max(1, len(codes))

    def look_up(self, begins):
        """Fill the table that says about where to search."""
        if self.n == 1:
            return
        self.least = begins[1]
        while (begins[self.n - 1] - begins[1]) >> self.shift >= LOOKUPS:
            self.shift += 1
        cell = 1
        for i in range(LOOKUPS):
            while cell < self.n - 1 and begins[cell + 1] <= begins[1] + (i << self.shift):
                cell += 1
            self.lookup[i] = cell
        self.lookup[LOOKUPS] = self.n - 1


cdef sample_codes(Definition definition, Term* term):
    cdef int32_t side
    cdef int64_t row, step
    codes = []
    for side in range(2):
        step = max(definition.streams.rows[side] // SAMPLE, 1)
        for row in range(0, definition.streams.rows[side], step):
            if not matches_nothing(term, side, row):
                codes.append(code_of(term, side, row))
    return np.sort(np.array(codes, np.int64))
