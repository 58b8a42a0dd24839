"""Distributions of costs, as measured: one for each kind of work, operator, size of what it is given, whether another
core wrote that last, and whether one worker has all of the pipeline."""

from streambench.pyx.machine.simulated cimport APPLY

import numpy as np


cdef class Costs:
    """``work``: rows (kind, place, tuples) or (kind, place, tuples, moved), int64; ``nanoseconds``: rows (before,
    during), float64, in the same order.

    ``Sample`` says what they mean. For a size that was not measured, the nearest that was stands in, by the tuple; for
    what was never moved in the measurement, what was moved less; and then the same in the other kind of plan. Work that
    was never measured takes no time; a loop of several operators that was not, what each of them takes alone.
    """

    def __init__(self, work, nanoseconds):
        cdef const int64_t[:, ::1] pieces = work
        cdef const double[:, ::1] spans = nanoseconds
        cdef int64_t row, table, place, nearest, other, k, moved, plan
        cdef Sample sample
        if pieces.shape[0] != spans.shape[0] or pieces.shape[1] not in (3, 4) or spans.shape[1] != 2:
            raise ValueError("costs are rows of kind, place and tuples, each with the ns before and during the work")
        tables = np.array([table_of(*each) for each in work.tolist()], dtype=np.int64)
        moves = pieces.shape[1] == 4
        order = np.argsort(tables, kind="stable")
        self.first.assign(<int>KINDS * <int>PLACES * <int>MOVES * <int>SIZES, 0)
        self.count.assign(<int>KINDS * <int>PLACES * <int>MOVES * <int>SIZES, 0)
        for k in range(pieces.shape[0]):
            row = order[k]
            table = tables[row]
            if self.count[table] == 0:
                self.first[table] = k
            self.count[table] += 1
            sample.before = spans[row, 0]
            sample.during = spans[row, 1]
            sample.tuples = <double>pieces[row, 2]
            sample.moved = <int>pieces[row, 3] if moves else 0
            self.samples.push_back(sample)
        for place in range(<int>KINDS * <int>PLACES * <int>MOVES):
            known = [size for size in range(SIZES) if self.count[place * SIZES + size]]
            for k in range(SIZES) if known else ():
                nearest = min(known, key=lambda size: (abs(size - k), -size))
                self.first[place * SIZES + k] = self.first[place * SIZES + nearest]
                self.count[place * SIZES + k] = self.count[place * SIZES + nearest]
        for place in range(<int>KINDS * <int>PLACES):
            for plan in (0, PLAN_WHOLE):
                for moved in (UNIT_MOVED, STATE_MOVED, UNIT_MOVED + STATE_MOVED):
                    for other in (UNIT_MOVED, STATE_MOVED, 0):
                        if other & ~moved == 0:
                            self.stand_in(place * MOVES + plan + moved, place * MOVES + plan + other)
            for moved in range(PLAN_WHOLE):
                self.stand_in(place * MOVES + moved, place * MOVES + PLAN_WHOLE + moved)
                self.stand_in(place * MOVES + PLAN_WHOLE + moved, place * MOVES + moved)

    cdef void stand_in(self, int64_t missing, int64_t other):
        """Where nothing was measured of the one, the other is drawn from."""
        cdef int64_t k
        if self.count[missing * SIZES] == 0:
            for k in range(SIZES):
                self.first[missing * SIZES + k] = self.first[other * SIZES + k]
                self.count[missing * SIZES + k] = self.count[other * SIZES + k]

    cdef Sample draw(self, int kind, int32_t place, int64_t tuples, int moved, uint64_t* random) noexcept nogil:
        """What one piece of work takes this time; the time before it does not depend on what is moved."""
        cdef Sample sample, alone
        cdef int32_t k
        if kind < FUSED or self.count[((kind * PLACES + place) * MOVES + moved) * SIZES + size_class(tuples)] > 0:
            return self.draw_one(kind, place, tuples, moved, random)
        sample.before = sample.during = 0.0
        sample.tuples = <double>tuples
        sample.moved = 0
        for k in range(kind - FUSED):
            alone = self.draw_one(APPLY, place + k, tuples, moved, random)
            sample.before += alone.before
            sample.during += alone.during
            sample.moved |= alone.moved
        return sample

    cdef Sample draw_one(self, int kind, int32_t place, int64_t tuples, int moved, uint64_t* random) noexcept nogil:
        cdef int64_t unmoved = ((kind * PLACES + place) * MOVES + (moved & PLAN_WHOLE)) * SIZES + size_class(tuples)
        cdef int64_t table = unmoved + (moved & ~PLAN_WHOLE) * SIZES
        cdef Sample sample
        if self.count[table] == 0:
            sample.before = sample.during = 0.0
            sample.tuples = UNKNOWN
            sample.moved = 0
            return sample
        sample = self.samples[self.drawn(table, random)]
        if sample.tuples > 0 and tuples > 0:
            sample.during *= tuples / sample.tuples
        if sample.moved & ~PLAN_WHOLE:
            sample.before = self.samples[self.drawn(unmoved, random)].before if self.count[unmoved] else 0.0
        return sample

    cdef uint64_t drawn(self, int64_t table, uint64_t* random) noexcept nogil:
        """The number of one of a table's samples."""
        cdef uint64_t drawn
        random[0] += <uint64_t>0x9E3779B97F4A7C15            # splitmix64
        drawn = (random[0] ^ (random[0] >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
        drawn = (drawn ^ (drawn >> 27)) * <uint64_t>0x94D049BB133111EB
        drawn ^= drawn >> 31
        return self.first[table] + drawn % <uint64_t>self.count[table]


def table_of(int64_t kind, int64_t place, int64_t tuples, int64_t moved=0) -> int:
    """Return the number of the distribution that a piece of work belongs to. Raises ValueError
    for work that there is not."""
    if not (0 <= kind < KINDS and 0 <= place < PLACES and tuples >= 0 and 0 <= moved < MOVES):
        raise ValueError(f"there is no work of kind {kind} at operator {place} with {tuples} tuples")
    return ((kind * PLACES + place) * MOVES + moved) * SIZES + size_class(tuples)
