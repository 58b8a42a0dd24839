"""A join at the head of a pipeline: a source whose tuples are the pairs that match, in order.

Who admits a unit takes the next batches of both sides and finds their matches, as many as the unit asks for; workers
gather the pairs' columns, each for its own unit. So the join goes on as the pipeline takes its pairs, no thread is
added, and nothing is held but the windows and the matches of one batch.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.gather cimport gather
from streambench.pyx.join.ready_batch cimport LEFT, RIGHT, Batch, Probes, Streams, next_batch
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.tuples.columns cimport Columns, reserve, reset_as
from streambench.pyx.tuples.layout cimport MAX_COLUMNS, size_of
from streambench.pyx.tuples.unit cimport Unit

import numpy as np

from streambench.pyx.join.join_crew import tier_named
from streambench.pyx.tuples.errors import UnfitDataError
from streambench.pyx.tuples.stream_column import stream_column

cdef enum:
    PATIENCE = 20_000_000               # ns for which a claim looks for matches: a run is stopped between two claims
    AMPLE = 1 << 14                     # matches of a batch: where more are to be expected, it has fewer tuples


cdef class JoinSource(Source):
    """The pairs of ``definition`` in order, found by ``tier``: ``scan``, ``simd``, ``codes`` or ``index``.

    ``left``, ``right``: by the name of an emitted column the array that it is gathered from, with a value for each row
    of its side. Before them stands ``time``, int64: the later tuple's. Units carry it as event time. How many pairs
    there are is not known before the end. Opened again, it begins anew. Raises UnfitDataError for what does not fit.
    """

    def __init__(self, Definition definition, left, right, tier="codes", str time="ts"):
        cdef int32_t k, side
        self.definition = definition
        self.make_tier = tier_named(tier)
        self.most, self.widest = definition.batch, max(1, definition.largest_window)
        columns = [(side, name, column) for side, named in enumerate((left, right)) for name, column in named.items()]
        self.columns = (time, *(name for _, name, _ in columns))
        if len(set(self.columns)) < len(self.columns):
            twice = next(name for name in self.columns if self.columns.count(name) > 1)
            raise UnfitDataError(f"two columns of the pairs are called {twice}: call one of them otherwise")
        if len(self.columns) > MAX_COLUMNS:
            raise UnfitDataError(f"{len(self.columns)} columns; at most {MAX_COLUMNS} are possible")
        self.arrays = tuple(stream_column(column, name) for _, name, column in columns)
        self.types = (np.dtype("int64"), *(each.dtype for each in self.arrays))
        for k, (side, name, _) in enumerate(columns):
            if len(self.arrays[k]) != definition.streams.rows[side]:
                raise UnfitDataError(
                    f"column {name} has {len(self.arrays[k])} values, but its side {definition.streams.rows[side]} rows"
                )
            self.data[k + 1] = <const char*><size_t>self.arrays[k].ctypes.data      # may be read-only memory of Arrow's
            self.side[k + 1] = side
        self.begin()                    # refuses a tier that is none for this predicate

    def open(self, int32_t partitions=1):
        self.begin()

    cdef int begin(self) except -1:
        """Be at the beginning of both sides."""
        self.tier = self.make_tier(self.definition, 0, 1)
        memset(&self.cursor, 0, sizeof(self.cursor))
        self.expect(self.widest)        # not known: every pair might be one
        self.matches.clear()
        self.given = self.matched = 0
        return 0

    @property
    def identity(self) -> str:
        cdef Streams* streams = &self.definition.streams
        return f"{streams.rule} {streams.window} of {streams.rows[LEFT]} and {streams.rows[RIGHT]} tuples"

    def save(self):
        """Where the last batch began, how many tuples it had, and how many of its matches units have."""
        return {"position": np.array([self.matched, self.cursor.position - self.matched, self.given])}

    def load(self, saved):
        """Fill the windows with the tuples before that batch, which are not compared, and match it again."""
        cdef Batch batch
        cdef int64_t begin, n, given
        begin, n, given = saved["position"]
        self.definition.streams.compared_from = begin
        while self.cursor.position < begin:
            next_batch(&self.definition.streams, &self.cursor,
                       <int32_t>min(<int64_t>self.most, begin - self.cursor.position), &batch)
            self.tier.process(&batch, &self.matches)
        self.definition.streams.compared_from = 0
        if n:
            next_batch(&self.definition.streams, &self.cursor, <int32_t>n, &batch)
            self.match(&batch)
            self.given = given

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef Columns* rows = unit.spare     # of both sides; nobody else needs it before the unit is filled
        cdef int64_t until = nanoseconds() + PATIENCE
        cdef int32_t outcome
        cdef bint late = False
        reset_as(rows, 2, NULL)
        while True:
            self.give(unit, at_most - rows.n)
            if rows.n == at_most or late:
                return rows.n
            outcome = self.match_batch()
            if outcome == ENDED and rows.n == 0:
                return -1
            if outcome != MATCHED:
                return rows.n
            late = nanoseconds() > until

    cdef void give(self, Unit* unit, int64_t at_most) noexcept nogil:
        """Append the rows of matches that no unit has."""
        cdef Columns* rows = unit.spare
        cdef int64_t n = min(at_most, <int64_t>self.matches.size() - self.given), i
        cdef int64_t* left
        cdef int64_t* right
        if n == 0:
            return
        reserve(rows, n)
        left, right = rows.column[LEFT] + rows.n, rows.column[RIGHT] + rows.n
        for i in range(n):
            left[i] = self.matches[self.given + i].left
            right[i] = self.matches[self.given + i].right
        rows.n += <int32_t>n
        self.given += n

    cdef int32_t match_batch(self) noexcept nogil:
        """Find the next batch's matches, when all of the last one's are given."""
        cdef Batch batch
        next_batch(&self.definition.streams, &self.cursor, self.batch, &batch)
        if batch.n == 0:
            return ENDED
        self.match(&batch)
        return MATCHED

    cdef void match(self, Batch* batch) noexcept nogil:
        cdef Probes* probes
        cdef int32_t side, i, compared = 0
        self.matches.clear()
        self.given = 0
        self.matched = batch.begin
        self.tier.process(batch, &self.matches)
        for side in range(2):
            probes = &batch.side[side]
            for i in range(probes.n):
                compared += probes.last[i] > probes.first[i]
        if compared > 0:
            self.expect(<double>(self.matches.size() + 1) / compared)

    cdef void expect(self, double matches) noexcept nogil:
        """So many of a tuple."""
        self.batch = <int32_t>max(1.0, min(<double>self.most, AMPLE / matches))

    cdef void fill(self, Unit* unit) noexcept nogil:
        reset_as(unit.now, self.emitted_width, self.layout)
        self.gather_pairs(unit, 0, unit.arrived)

    cdef void gather_pairs(self, Unit* unit, int64_t begin, int64_t n) noexcept nogil:
        """Append the columns of the unit's pairs from ``begin`` on."""
        cdef Columns* out = unit.now
        cdef const int64_t* left = unit.spare.column[LEFT] + begin
        cdef const int64_t* right = unit.spare.column[RIGHT] + begin
        cdef const int64_t* left_ts = self.definition.streams.ts[LEFT]
        cdef const int64_t* right_ts = self.definition.streams.ts[RIGHT]
        cdef int64_t i
        cdef int32_t k, size
        reserve(out, n)
        for i in range(n):
            out.column[0][begin + i] = max(left_ts[left[i]], right_ts[right[i]])
        for k in range(1, self.emitted_width):
            size = size_of(self.layout, k)
            gather(self.data[k], left if self.side[k] == LEFT else right, n, size, <char*>out.column[k] + begin * size)
        out.n = <int32_t>(begin + n)
        out.first_time = out.column[0][0]
        out.last_time = out.column[0][begin + n - 1]
