"""The scan tier: stored tuples are slots of a ring, a column for each filter; what a pass finds is tested exactly.

No slot is marked as dead: windows are bounds on rows, which are looked at only where codes match. A thread stores
strips of 64 rows, in turn with the others, so that a stored tuple's row follows from its number.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.ready_batch cimport MOST_READY, Batch, Probes
from streambench.pyx.join.terms cimport Term, as_32, code_of, low_of
from streambench.pyx.join.tier cimport Found, Match, Tier
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages_under_the_gil, unmap_pages
from streambench.pyx.machine.memory cimport append

cdef enum:
    STRIP = 64                          # rows; the slots at once, so that a pass begins where a strip does


def best_level() -> int:
    """What this processor has: 2 for AVX-512, 1 for AVX2, 0 for none of them."""
    return scan_level()


cdef class ScanTier(Tier):
    """``level``: as `best_level`, or lower to do without; -1 for the best."""

    def __init__(self, Definition definition, int32_t number=0, int32_t threads=1, int32_t level=-1):
        cdef int32_t side, k
        cdef int64_t slots, least_slots
        self.narrow = self.of_8_bits()
        self.level = min(level, scan_level()) if level >= 0 else scan_level()
        self.hits.resize(PIECE * 8)
        for side in range(2):
            least_slots = (definition.widest[side] + MOST_READY) // threads + 4 * STRIP
            slots = SLOTS_AT_ONCE
            while slots < least_slots:
                slots *= 2
            self.ring[side].mask = slots - 1
            self.bytes[side] = slots * (1 if self.narrow else 4)
            if self.bytes[side] > HUGE_PAGE // 4:
                self.bytes[side] = (self.bytes[side] + HUGE_PAGE - 1) // HUGE_PAGE * HUGE_PAGE
            for k in range(definition.terms.filters):
                self.ring[side].column[k] = map_pages_under_the_gil(self.bytes[side])

    def __dealloc__(self):
        cdef int32_t side, k
        for side in range(2):
            for k in range(2):
                if self.ring[side].column[k] is not NULL:
                    unmap_pages(self.ring[side].column[k], self.bytes[side])

    def of_8_bits(self) -> bool:
        return False

    cdef void process(self, Batch* batch, vector[Match]* out) noexcept nogil:
        cdef int32_t side
        for side in range(2):
            self.store(side, &batch.side[side])
        for side in range(2):
            if batch.side[side].n == 0:
                continue
            if self.definition.terms.filters > 0:
                self.probe(side, &batch.side[side])
            else:
                self.compare_all(side, &batch.side[side])
        self.put_out(batch, out)

    cdef int64_t stored_before(self, int64_t row) noexcept nogil:
        """How many rows before this one are stored here."""
        cdef int64_t rounds, rest
        if self.threads == 1:
            return row
        rounds = row // (STRIP * self.threads)
        rest = row - rounds * STRIP * self.threads - self.number * STRIP
        return rounds * STRIP + min(max(rest, <int64_t>0), <int64_t>STRIP)

    cdef int64_t row_of(self, int64_t stored) noexcept nogil:
        if self.threads == 1:           # without divisions: this is asked for whatever passes by chance
            return stored
        return (stored // STRIP * self.threads + self.number) * STRIP + stored % STRIP

    cdef void store(self, int32_t side, Probes* rows) noexcept nogil:
        """Put those of the batch's tuples into the ring that are this thread's."""
        cdef int64_t stored, slot, row, code
        cdef int32_t k
        cdef Term* term
        for stored in range(self.stored_before(rows.begin), self.stored_before(rows.begin + rows.n)):
            slot = stored & self.ring[side].mask
            row = self.row_of(stored)
            for k in range(self.definition.terms.filters):
                term = &self.definition.terms.term[self.definition.terms.filter[k]]
                code = code_of(term, side, row)
                if self.narrow:
                    (<uint8_t*>self.ring[side].column[k])[slot] = <uint8_t>(code >> term.narrow_shift)
                else:
                    (<uint32_t*>self.ring[side].column[k])[slot] = as_32(term, code)

    cdef int32_t prepare(self, int32_t side, Probes* probes) noexcept nogil:
        """Divide the probes into passes; returns how many there are."""
        cdef int32_t i, k, n = 0
        cdef int64_t low
        cdef Pass* each = NULL
        cdef Term* term
        for i in range(probes.n):
            if i % PROBES_AT_ONCE == 0:
                each = &self.passes[n]
                n += 1
                each.begin = i
                each.first = self.stored_before(probes.first[i])
            each.n = i - each.begin + 1
            each.last = self.stored_before(probes.last[i])
            self.compared += each.last - self.stored_before(probes.first[i])
            for k in range(self.definition.terms.filters):
                term = &self.definition.terms.term[self.definition.terms.filter[k]]
                low = low_of(term, side, probes.begin + i)
                each.codes.low[k][i - each.begin] = as_32(term, low)
                each.codes.reach[k] = term.reach_32
                each.narrow.low[k][i - each.begin] = <uint8_t>(low >> term.narrow_shift)
                each.narrow.reach[k] = term.reach_8
        return n

    cdef void probe(self, int32_t side, Probes* probes) noexcept nogil:
        """Find what the batch's tuples of this side match of the other."""
        cdef int32_t n = self.prepare(side, probes), k, slots
        cdef int64_t stored = self.passes[0].first // SLOTS_AT_ONCE * SLOTS_AT_ONCE
        cdef int64_t last = (self.passes[n - 1].last + SLOTS_AT_ONCE - 1) // SLOTS_AT_ONCE * SLOTS_AT_ONCE
        cdef int64_t mask = self.ring[1 - side].mask
        while stored < last:
            slots = <int32_t>min(min(<int64_t>PIECE, last - stored), mask + 1 - (stored & mask))
            for k in range(n):
                if self.passes[k].first < stored + slots and self.passes[k].last > stored:
                    self.scan(side, probes, &self.passes[k], stored, slots)
            stored += slots

    cdef void scan(self, int32_t side, Probes* probes, Pass* each, int64_t stored, int32_t n) noexcept nogil:
        cdef Ring* ring = &self.ring[1 - side]
        cdef int64_t slot = stored & ring.mask, row
        cdef bint two = self.definition.terms.filters > 1
        cdef int32_t hits, i, probe
        cdef Found matches
        if self.narrow:
            hits = scan_codes(self.level, <const uint8_t*>ring.column[0] + slot,
                              <const uint8_t*>ring.column[1] + slot if two else NULL, n, each.narrow, each.n,
                              self.hits.data())
        else:
            hits = scan_codes(self.level, <const uint32_t*>ring.column[0] + slot,
                              <const uint32_t*>ring.column[1] + slot if two else NULL, n, each.codes, each.n,
                              self.hits.data())
        for i in range(hits):
            probe = each.begin + self.hits[i] % PROBES_AT_ONCE
            row = self.row_of(stored + self.hits[i] // PROBES_AT_ONCE)
            if (probes.first[probe] <= row < probes.last[probe]
                    and self.definition.holds(side, probes.begin + probe, row)):
                matches.place = probes.place[probe]
                matches.row = row
                append(self.found, matches)

    cdef void compare_all(self, int32_t side, Probes* probes) noexcept nogil:
        """Without a filter: call the predicate for each pair."""
        cdef int32_t i
        cdef int64_t stored
        cdef Found matches
        for i in range(probes.n):
            matches.place = probes.place[i]
            for stored in range(self.stored_before(probes.first[i]), self.stored_before(probes.last[i])):
                matches.row = self.row_of(stored)
                self.compared += 1
                if self.definition.holds(side, probes.begin + i, matches.row):
                    append(self.found, matches)


cdef class CodesTier(ScanTier):
    """With codes of 8 bits: four times as many in a register, and a few more of them match by chance."""

    def of_8_bits(self) -> bool:
        return True
