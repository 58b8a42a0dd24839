"""What all tiers have in common."""

from libc.string cimport memset
from streambench.pyx.join.ready_batch cimport LEFT, Probes
from streambench.pyx.machine.memory cimport lengthen


cdef class Tier:
    """The share of thread ``number`` of ``threads`` in a join: it stores some tuples, and compares all with those."""

    def __cinit__(self, Definition definition, int32_t number=0, int32_t threads=1, *args):
        self.definition = definition
        self.number = number
        self.threads = threads

    cdef void begin(self) noexcept nogil:
        """Before the first batch, in the thread that does the work: find the memory that full windows take."""
        pass

    cdef void process(self, Batch* batch, vector[Match]* out) noexcept nogil:
        """Append the matches whose later tuple is in the batch, by its position, then by the earlier one's."""
        pass

    cdef void put_out(self, Batch* batch, vector[Match]* out) noexcept nogil:
        """Append what was ``found``, which is in the order of rows for each place but not in that of places."""
        cdef size_t i, n = self.found.size(), at = out.size()
        cdef int32_t k, side
        cdef int64_t begin = 0, count, own
        cdef Probes* probes
        cdef Found* each
        cdef Match* match
        if n == 0:
            return
        memset(self.begins, 0, sizeof(self.begins))
        for i in range(n):
            self.begins[self.found[i].place] += 1
        for k in range(batch.n):
            count = self.begins[k]
            self.begins[k] = begin
            begin += count
        lengthen(out[0], at + n)
        for side in range(2):
            probes = &batch.side[side]
            for k in range(probes.n):       # from a place to the row that is there
                self.row_at[probes.place[k]] = probes.begin + k if side == LEFT else ~(probes.begin + k)
        for i in range(n):
            each = &self.found[i]
            match = &out[0][at + self.begins[each.place]]
            self.begins[each.place] += 1
            own = self.row_at[each.place]
            match.position = batch.begin + each.place
            match.left = own if own >= 0 else each.row
            match.right = each.row if own >= 0 else ~own
        self.found.clear()
