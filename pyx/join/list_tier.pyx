"""The paper's join (001, algorithm 1): each tuple is compared with all stored tuples of the other side, a list.

The three-step procedure of section II: compare, store, remove from the tuple's own window. By the exact rule, in the
modified procedure of section III, the tuple removes from the other window before it is compared. With several threads
each tuple is stored by one of them, in turn.
"""

from cython.operator cimport dereference, preincrement
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.join.ready_batch cimport COUNT, EXACT, LEFT, RIGHT, THREE_STEP, Batch, earlier
from streambench.pyx.join.terms cimport DOUBLE, EQUAL, SINGLE, Term, fabsf
from streambench.pyx.join.tier cimport Found, Match, Tier
from streambench.pyx.join.tuple_list cimport Tuple, TupleList, Value, append_to_list
from streambench.pyx.machine.memory cimport append


cdef inline bint holds_for(const Term* term, Value a, Value b) noexcept nogil:
    if term.kind == SINGLE:
        return fabsf(a.single - b.single) <= <float>term.real
    if term.kind == DOUBLE:
        return fabs(a.real - b.real) <= term.real
    if term.kind == EQUAL:
        return a.whole == b.whole
    return (<uint64_t>b.whole - <uint64_t>a.whole if a.whole < b.whole
            else <uint64_t>a.whole - <uint64_t>b.whole) <= <uint64_t>term.width


cdef class ListTier(Tier):
    def __cinit__(self, *args):
        self.window[0], self.window[1] = &self.left, &self.right

    cdef void process(self, Batch* batch, vector[Match]* out) noexcept nogil:
        cdef int32_t at[2]
        cdef int32_t place, side
        cdef int64_t row
        cdef Tuple one
        at[LEFT] = at[RIGHT] = 0
        for place in range(batch.n):
            side = LEFT if at[LEFT] < batch.side[LEFT].n and batch.side[LEFT].place[at[LEFT]] == place else RIGHT
            row = batch.side[side].begin + at[side]
            at[side] += 1
            one = self.tuple_at(side, row)
            if self.definition.streams.rule == EXACT:
                self.remove(1 - side, earlier(one.ts, self.definition.streams.window))
            if batch.begin + place >= self.definition.streams.compared_from:
                self.compared += <int64_t>self.window[1 - side].size()
                self.compare(side, &one, place, self.window[1 - side].begin(), self.window[1 - side].end())
            if (batch.begin + place) % self.threads == self.number:
                append_to_list(self.window[side][0], one)
            if self.definition.streams.rule == THREE_STEP:
                self.remove(side, earlier(one.ts, self.definition.streams.window))
            elif self.definition.streams.rule == COUNT:
                self.remove_rows(side, row + 1 - self.definition.streams.window)
        self.put_out(batch, out)

    cdef Tuple tuple_at(self, int32_t side, int64_t row) noexcept nogil:
        cdef Tuple one
        cdef Term* term = &self.definition.terms.term[0]
        one.ts = self.definition.streams.ts[side][row]
        one.row = row
        one.value.whole = 0
        if self.definition.terms.n > 0:
            if term.kind == SINGLE:
                one.value.single = (<const float*>term.column[side])[row]
            elif term.kind == DOUBLE:
                one.value.real = (<const double*>term.column[side])[row]
            else:
                one.value.whole = (<const int64_t*>term.column[side])[row]
        return one

    cdef void compare(self, int32_t side, Tuple* one, int32_t place, TupleList.iterator other,
                      TupleList.iterator end) noexcept nogil:
        """Append to ``found`` which of the others, up to ``end``, the tuple of this side is one with."""
        cdef Term* term = &self.definition.terms.term[0]
        cdef bint any = self.definition.terms.n == 0
        cdef Found matches
        matches.place = place
        while other != end:
            if any or holds_for(term, one.value, dereference(other).value):
                matches.row = dereference(other).row
                if self.definition.holds(side, one.row, matches.row):
                    append(self.found, matches)
            preincrement(other)

    cdef void remove(self, int32_t side, int64_t before) noexcept nogil:
        while not self.window[side].empty() and self.window[side].front().ts < before:
            self.window[side].pop_front()

    cdef void remove_rows(self, int32_t side, int64_t before) noexcept nogil:
        while not self.window[side].empty() and self.window[side].front().row < before:
            self.window[side].pop_front()
