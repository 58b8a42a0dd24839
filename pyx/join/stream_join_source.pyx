"""A join of two streams that are read as the run goes, as a source: of each side the
windows' rows are held, and no more.

A side's rows lie one behind the other in memory for twice as many as may be held. Where that is full, those that are
still needed are moved to its beginning. Rows keep their numbers all the time: what tiers look at is where row 0 would
be, before the memory's beginning by now. So a tier needs not know that its sides are streams.
"""

from libc.stdint cimport INT64_MIN, int32_t, int64_t
from libc.string cimport memcmp, memcpy, memmove
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.join_source cimport ENDED, MATCHED, NOTHING_YET, JoinSource
from streambench.pyx.join.merged_codes cimport MergedCodes
from streambench.pyx.join.predicate cimport Predicate
from streambench.pyx.join.ready_batch cimport LEFT, MOST_READY, RIGHT, Batch, Probes, expire, next_batch
from streambench.pyx.tuples.columns cimport Columns, keys_of, reset_as
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.unit cimport Unit, begin_unit, clear_unit, init_unit

import numpy as np

from streambench.pyx.join.gate_source import StreamError, unread
from streambench.pyx.join.stream_sides import (
    SIDES, compared, held_by, named, nulls_match_nothing, read_by, schemas_of, times_of,
)
from streambench.pyx.tuples.errors import UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.meaning import meanings_of, whole_span
from streambench.pyx.tuples.sentinels import is_nan
from streambench.pyx.tuples.text_codes import TextCodes
from streambench.pyx.tuples.whole_number import whole_number

MOST_CAPACITY = 2**40                   # bytes of all columns can be counted

cdef enum:
    FED_AT_ONCE = 1024                  # tuples of a side


cdef struct Held:
    # A column of a side, as it is held.
    int32_t column                      # of the source
    bint widened                        # to int64
    bint translated                     # from a side's codes of texts to those of both
    const char* null                    # what stands for null in a column that is compared; NULL: nothing does
    int32_t size                        # of a value
    char* memory
    const char** base                   # what points to where row 0 would be


cdef class StreamJoinSource(JoinSource):
    """The pairs of two ``Source``s, each ordered by its column ``time`` (two names where they
    differ): see ``streambench.join``.

    ``bands``, ``equal``, ``window``, ``rule``, ``predicate``: as there, over columns of integers, or of floats of one
    type. ``capacity``: tuples of a side that may be in one window. ``tier``: ``simd`` or ``codes``, which hold what is
    in a window and forget the rest, however silent the other side is. A tuple is taken when neither side can have one
    before it, so a side that has nothing just now holds the other up.

    Columns of texts are compared as texts and get codes of the join's own, in the order in which they first appear in
    the pairs (see ``dictionaries``). A null in a column that is compared ends the run.

    Raises DataError and OptionError for what does not fit; both are ValueErrors, too. A side that cannot be read, that
    is out of order, or that has more tuples in a window than ``capacity`` ends the run with ``DataError``.
    """

    cdef readonly tuple sides
    cdef void* source_at[2]             # the same: their methods are called without the GIL
    cdef Unit units[2]                  # what was read last
    cdef bint ended[2]
    cdef vector[Held] held[2]
    cdef int64_t first[2]               # the row at the memory's beginning
    cdef readonly int64_t capacity
    cdef int64_t room                   # rows that the memory takes
    cdef readonly object held_columns   # what the columns mean, where a side's source knows it, or None
    cdef MergedCodes common             # of the texts that are compared
    cdef MergedCodes codes              # of those of the pairs
    cdef list nulls                     # what `Held.null` points to
    cdef readonly object error          # why a side could not be joined, if one could not

    def __cinit__(self, *args, **kwargs):
        init_unit(&self.units[LEFT])
        init_unit(&self.units[RIGHT])

    def __dealloc__(self):
        clear_unit(&self.units[LEFT])
        clear_unit(&self.units[RIGHT])

    def __init__(self, left, right, window, equal=(), bands=(), rule="exact", time="ts", predicate=None,
                 tier="codes", capacity=262144):
        cdef int32_t side, k
        if tier not in ("simd", "codes"):
            raise UnfitOptionError(f"tier must be simd or codes where streams are joined, not {tier!r}")
        if not isinstance(predicate, Predicate | None):
            raise UnfitTypeError(f"predicate must be a Predicate, a class in Cython, not {predicate!r}")
        capacity = whole_number("capacity", capacity, 1, MOST_CAPACITY)
        times = times_of(time)
        self.sides = (left, right)
        schemas = schemas_of(self.sides, times)
        window = whole_span("window", window, None if rule == "count" else meanings_of(left)[times[0]])
        self.capacity = capacity
        self.room = 2 * (capacity + FED_AT_ONCE + MOST_READY)
        terms = compared(self.sides, schemas, equal, bands)
        reads = read_by(predicate, self.sides, schemas)
        names = named(schemas, times)
        types = [dict(schema) for schema in schemas]
        ts = [self.memory("int64") for _ in SIDES]
        operands = [tuple(self.memory(each.type) for _ in SIDES) for each in terms]
        read = [[self.memory(of[name]) for name in reads[side]] for side, of in enumerate(types)]
        values = [{name: self.memory(of[own]) for name, own in names[side].items()} for side, of in enumerate(types)]
        definition = Definition(ts[LEFT], ts[RIGHT], [(*operands[k], each.width) for k, each in enumerate(terms)],
                                window, rule, predicate, *read)
        for side in range(2):
            (<Definition>definition).widest[side] = capacity
        JoinSource.__init__(self, definition, *values, tier, times[0])
        self.merge_codes(times, names)
        columns = [[name for name, _ in schema] for schema in schemas]
        for side in range(2):
            of = columns[side]
            means = meanings_of(self.sides[side])
            self.hold(side, of.index(times[side]), ts[side], types[side][times[side]],
                      <const char**>&self.definition.streams.ts[side], means[times[side]].null)
            for k, each in enumerate(terms):
                self.hold(side, of.index(each.columns[side]), operands[k][side], types[side][each.columns[side]],
                          <const char**>&self.definition.terms.term[k].column[side], means[each.columns[side]].null,
                          each.texts)
            for k, name in enumerate(reads[side]):
                self.hold(side, of.index(name), read[side][k], types[side][name],
                          <const char**>&self.definition.columns[side].column[k], means[name].null)
            for name, own in names[side].items():
                self.hold(side, of.index(own), values[side][name], types[side][own],
                          &self.data[self.columns.index(name)])

    @property
    def dictionaries(self) -> dict:
        """The values by their codes, for each column of texts: as far as pairs have been found."""
        return {} if self.held_columns is None else self.held_columns.dictionaries

    def restore(self, table, names=None):
        """A pipeline's output with the sides' columns as they were in their data; see ``ArrowSource.restore``."""
        return table if self.held_columns is None else self.held_columns.restore(table, names)

    cdef memory(self, type):
        """Room for a column."""
        try:
            return np.zeros(self.room, type)
        except MemoryError:
            raise UnfitOptionError(
                f"there is no memory for a capacity of {self.capacity} tuples: choose a lower one"
            ) from None

    cdef int merge_codes(self, times, names) except -1:
        """Have codes for the texts that are compared, and for those of the pairs, whose
        columns are called ``names``."""
        self.nulls = []
        self.held_columns = held_by(self.sides, times, names)
        if self.held_columns is None:
            return 0
        values = [each.held_columns.codes.values if getattr(each, "held_columns", None) else () for each in self.sides]
        meanings = self.held_columns.meanings
        texts = [k for k, name in enumerate(self.columns) if meanings[name].texts is not None]
        self.common = MergedCodes(TextCodes(), values)
        self.codes = MergedCodes(self.held_columns.codes, values, texts, [self.side[k] for k in texts])
        return 0

    cdef int hold(self, int32_t side, int32_t column, array, type, const char** base, null=None,
                  bint translated=False) except -1:
        cdef Held held
        held.column = column
        held.translated = translated
        held.null = NULL
        if null is not None and not is_nan(null):       # NaN matches nothing by itself
            self.nulls.append(np.array(null.as_py(), type).tobytes())
            held.null = <const char*>self.nulls[len(self.nulls) - 1]
        held.widened = array.dtype != type
        held.size = array.dtype.itemsize
        held.memory = <char*><size_t>array.ctypes.data
        held.base = base
        self.held[side].push_back(held)
        return 0

    def open(self, int32_t partitions=1):
        cdef int32_t side
        for side, source in enumerate(self.sides):
            source.prepare(1)
            self.source_at[side] = <void*>source
            self.ended[side] = False
            self.definition.streams.rows[side] = 0
            self.first[side] = 0
            clear_unit(&self.units[side])               # a further run begins anew
            init_unit(&self.units[side])
            self.find_rows(side)
        self.error = None
        self.begin()

    def save(self):
        """Raises OptionError: what sides have been read of is not known by row."""
        raise UnfitOptionError("a join of streams cannot be saved: leave out `checkpoint`, or join tables at the head.")

    cdef void find_rows(self, int32_t side) noexcept nogil:
        """Have all that look at the side's rows find them where they are."""
        cdef size_t k
        cdef Held* held
        for k in range(self.held[side].size()):
            held = &self.held[side][k]
            held.base[0] = <const char*>(<size_t>held.memory - <size_t>(self.first[side] * held.size))

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        reset_as(unit.now, self.emitted_width, self.layout)
        return JoinSource.claim(self, unit, at_most) if self.error is None else -1

    cdef void give(self, Unit* unit, int64_t at_most) noexcept nogil:
        """Gather at once: rows move."""
        cdef int64_t begin = unit.spare.n
        JoinSource.give(self, unit, at_most)
        if unit.spare.n > begin:
            self.gather_pairs(unit, begin, unit.spare.n - begin)
            if self.codes is not None and not self.codes.translate(unit.now, begin, unit.spare.n - begin, NULL):
                self.fail(self.codes.error)

    cdef void fill(self, Unit* unit) noexcept nogil:
        pass

    cdef int32_t match_batch(self) noexcept nogil:
        cdef Batch batch
        cdef Probes* probes
        cdef int64_t at_most = self.batch
        cdef int32_t side, i
        for side in range(2):
            if not self.feed(side, self.batch):
                return ENDED
            if not self.ended[side]:        # none of the batch may lie behind what the side has
                at_most = min(at_most, self.waiting(side))
        if at_most == 0:
            return NOTHING_YET
        next_batch(&self.definition.streams, &self.cursor, <int32_t>at_most, &batch)
        if batch.n == 0:
            return ENDED
        for side in range(2):
            probes = &batch.side[side]
            for i in range(probes.n):
                if probes.last[i] - probes.first[i] > self.capacity:
                    self.refuse_window(1 - side)
                    return ENDED
        self.match(&batch)
        return MATCHED

    cdef int64_t waiting(self, int32_t side) noexcept nogil:
        return self.definition.streams.rows[side] - self.cursor.row[side]

    cdef bint feed(self, int32_t side, int64_t rows) noexcept nogil:
        """Read until so many tuples wait, or none has arrived; False where that failed."""
        cdef Unit* unit = &self.units[side]
        cdef int64_t n
        while not self.ended[side] and self.waiting(side) < rows:
            begin_unit(unit, 0)
            n = (<Source>self.source_at[side]).claim(unit, FED_AT_ONCE)
            if n == 0:
                return True
            if n < 0:
                self.ended[side] = True
                return not self.failed(side)
            unit.first = self.definition.streams.rows[side]
            unit.arrived = n
            (<Source>self.source_at[side]).fill(unit)
            if not self.append(side, unit.now):
                return False
        return True

    cdef bint append(self, int32_t side, Columns* tuples) noexcept nogil:
        cdef int64_t row = self.definition.streams.rows[side], n = tuples.n, last = INT64_MIN, i
        cdef const int64_t* ts
        cdef size_t k
        cdef Held* held
        cdef char* to
        if row + n - self.first[side] > self.room and not self.make_room(side):
            return False
        for k in range(self.held[side].size()):
            held = &self.held[side][k]
            to = held.memory + (row - self.first[side]) * held.size
            if held.null is not NULL and self.has_null(held, tuples):
                self.refuse_null(side, held.column)
                return False
            if held.translated:
                if not self.common.translate_to(side, <int32_t*>tuples.column[held.column], n, <int64_t*>to):
                    self.fail(self.common.error)
                    return False
            elif held.widened:
                keys_of(tuples, held.column, <int64_t*>to)
            else:
                memcpy(to, tuples.column[held.column], n * held.size)
        self.definition.streams.rows[side] = row + n
        ts = self.definition.streams.ts[side]
        for i in range(max(row, <int64_t>1), row + n):
            if ts[i] < ts[i - 1]:
                self.refuse_order(side, ts[i], ts[i - 1])
                return False
        return True

    cdef bint has_null(self, Held* held, Columns* tuples) noexcept nogil:
        cdef int32_t size = size_of(tuples.layout, held.column)
        cdef const char* values = <const char*>tuples.column[held.column]
        cdef int64_t i
        for i in range(tuples.n):
            if memcmp(values + i * size, held.null, size) == 0:
                return True
        return False

    cdef bint make_room(self, int32_t side) noexcept nogil:
        """Forget the rows that are in no window any more; False where too many still are."""
        cdef int64_t next_row = self.cursor.row[side], oldest
        cdef size_t k
        cdef Held* held
        if next_row > 0:                # nothing earlier than this side's last tuple comes any more, from either side
            expire(&self.definition.streams, &self.cursor, side, self.definition.streams.ts[side][next_row - 1])
        if next_row - self.cursor.first[side] > self.capacity:
            self.refuse_window(side)
            return False
        oldest = max(<int64_t>0, min(self.cursor.first[side], next_row - 1))     # the last one's time is looked at, too
        for k in range(self.held[side].size()):
            held = &self.held[side][k]
            memmove(held.memory, held.memory + (oldest - self.first[side]) * held.size,
                    (self.definition.streams.rows[side] - oldest) * held.size)
        self.first[side] = oldest
        self.find_rows(side)
        return True

    cdef bint failed(self, int32_t side) noexcept with gil:
        reason = getattr(self.sides[side], "error", None)
        if reason is not None:
            self.error = unread(f"the {SIDES[side]} side of the join", reason)
        return reason is not None

    cdef void fail(self, reason) noexcept with gil:
        self.error = reason

    cdef void refuse_null(self, int32_t side, int32_t column) noexcept with gil:
        self.error = StreamError(nulls_match_nothing(self.sides[side].schema[column][0], SIDES[side]))

    cdef void refuse_order(self, int32_t side, int64_t ts, int64_t before) noexcept with gil:
        self.error = StreamError(
            f"the time of the join's {SIDES[side]} side must never decrease, but {ts} follows {before}: sort the "
            f"stream, or put a GateSource with slack before.")

    cdef void refuse_window(self, int32_t side) noexcept with gil:
        self.error = StreamError(
            f"more than {self.capacity} tuples of the join's {SIDES[side]} side are in one window: give "
            f"capacity= more, or a shorter window.")
