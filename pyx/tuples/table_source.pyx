"""Sources over tables: one that holds the whole stream in memory, one that reads it batch by batch."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.tuples.columns cimport Columns, integer_at, reserve, reset_as
from streambench.pyx.tuples.layout cimport (
    INT8, INT16, INT32, INT64, MAX_COLUMNS, UINT8, UINT16, UINT32, size_of, type_of,
)
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.shift_column cimport shift_column
from streambench.pyx.tuples.unit cimport Unit

from collections.abc import Iterable

import numpy as np

from streambench.pyx.tuples.errors import UnfitDataError, UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.column_names import column_names
from streambench.pyx.tuples.heartbeat import Heartbeat
from streambench.pyx.tuples.layout import type_named
from streambench.pyx.tuples.stream_column import stream_column
from streambench.pyx.tuples.time_column import require_ascending, time_column
from streambench.pyx.tuples.whole_number import whole_number


cdef enum:
    MOST_LOOKS = 64                     # empty batches in a row that a claim reads: more might come for ever
    UNMADE = 0                          # of a look for a batch
    READ = 1
    EMPTY = 2

NOT_YET = object()                      # in place of a batch, see `BatchSource`
OVER = object()                         # there is none any more

# Above it there is neither room for a bound that is greater than every value nor for a value + 1.
LARGEST = (1 << 63) - 2


def most_laps(values, shift, type=None) -> int:
    """Return how often a column can be replayed before a value, ``shift`` greater in each lap,
    passes the greatest but one.

    Of ``type``, which is the column's own if it is None: 2**63 - 2 for int64, 126 for int8. 0 where the values
    themselves do; a column that does not shift, or holds nothing but nulls, takes 2**63 - 2 laps.
    """
    if shift == 0 or len(values) == 0 or (largest := int(values.max())) < 0:
        return LARGEST
    return max(0, (int(np.iinfo(type or values.dtype).max) - 1 - largest) // int(shift) + 1)


cdef class TableSource(Source):
    """A stream in memory, replayed ``laps`` times as one longer stream.

    ``columns``: equally long arrays, each of its own type (see ``stream_column``); ``names``: theirs; ``lap_shift``:
    what each lap adds to a column's non-negative integers (event time, dates, ticket and order numbers), 0 for
    columns that repeat. Columns that do not shift are not copied: units read the arrays themselves. Raises DataError
    for columns that are none, OptionError for laps that would take a value past the greatest of its type but one:
    nothing wraps. ``time``: the column of integers that never decreases; units carry its first and last value.
    Raises DataError where it does.
    """

    cdef tuple arrays
    cdef char* data[MAX_COLUMNS]
    cdef int64_t shift[MAX_COLUMNS]
    cdef bint shifts                    # one of them does
    cdef int64_t rows
    cdef int64_t laps
    cdef int64_t position               # tuples claimed; guarded as `claim` is
    cdef int64_t first                  # of them, before this run
    cdef int64_t row                    # in the lap, where the next unit begins: saves
                                        # divisions, which units of one feel
    cdef int32_t width
    cdef int32_t time                   # its column, -1 for none

    def __init__(self, columns, names, lap_shift=None, laps=1, time=None):
        cdef int32_t k
        names = column_names(names)
        if not hasattr(columns, "__len__"):
            raise UnfitTypeError(f"a table source takes a list of arrays, not {columns!r}")
        if len(columns) != len(names) or not 1 <= len(columns) <= MAX_COLUMNS:
            raise UnfitDataError(f"a table source needs 1 to {MAX_COLUMNS} columns, each with a name")
        laps = whole_number("laps", laps)
        if laps < 1:
            raise UnfitOptionError(f"laps must be at least 1, not {laps}")
        if lap_shift is not None and not hasattr(lap_shift, "__len__"):
            raise UnfitOptionError(f"lap_shift lists a number for each column, and {lap_shift!r} is no list")
        if lap_shift is not None and len(lap_shift) != len(columns):
            raise UnfitOptionError(
                f"lap_shift must have {len(columns)} values, one for each column, not {len(lap_shift)}"
            )
        self.columns = names
        self.arrays = tuple(stream_column(column, name) for column, name in zip(columns, names))
        self.types = tuple(each.dtype for each in self.arrays)
        self.width = <int32_t>len(columns)
        self.rows = len(self.arrays[0])
        self.laps = laps
        if len(self.arrays[0]) * int(laps) > LARGEST:
            raise UnfitOptionError(f"{laps} laps of {self.rows} tuples are more than can be counted")
        for k in range(self.width):
            if len(self.arrays[k]) != self.rows:
                raise UnfitDataError("the columns of a table source must be equally long")
            self.data[k] = <char*><size_t>self.arrays[k].ctypes.data        # may be read-only memory of Arrow's
            self.shift[k] = whole_number(f"lap_shift of column {names[k]}",
                                         lap_shift[k]) if lap_shift is not None else 0
            if self.shift[k] and self.types[k].kind not in "iu":
                raise UnfitOptionError(f"column {names[k]} cannot shift: it holds {self.types[k].name}, not integers")
            if self.shift[k] < 0:
                raise UnfitOptionError(
                    f"column {names[k]} cannot shift by {self.shift[k]}: a lap is later than the one before"
                )
            if laps > 1 and laps > (room := most_laps(self.arrays[k], self.shift[k])):
                raise UnfitOptionError(
                    f"{laps} laps take column {names[k]} past {_limit(self.types[k])}: "
                    f"{room} fit, as each adds {self.shift[k]}"
                )
            self.shifts = self.shifts or self.shift[k] != 0
        self.time = time_column(time, self.columns, self.types)
        if self.time >= 0:
            require_ascending(self.arrays[self.time], time)

    def open(self, int32_t partitions=1):
        self.position = self.row = self.first = 0

    def save(self):
        return {"row": np.array([self.position])}

    def load(self, saved):
        self.position = self.first = saved["row"][0]
        self.row = self.position % max(self.rows, 1)

    def total(self):
        """Tuples of all laps, or of what is left of them."""
        return self.rows * self.laps - self.first

    def lap(self):
        """Tuples of one lap; of a run that goes on amid one it is not known."""
        return None if self.first else self.rows

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef int64_t left
        if self.position >= self.rows * self.laps:
            return -1
        left = self.rows - self.row                         # a unit lies within one lap
        if at_most > left:
            at_most = left
        unit.first = self.position - self.first             # the ingress counts the same tuples
        unit.source_row = self.row
        self.position += at_most
        self.row = self.row + at_most if at_most < left else 0
        return at_most

    cdef void fill(self, Unit* unit) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t begin = unit.source_row, n = unit.arrived
        cdef int64_t row = unit.first + self.first
        cdef bint shifted = self.shifts and row > begin             # not the first lap
        cdef char* source
        cdef int32_t k
        reset_as(out, self.width, self.layout)
        if shifted:
            reserve(out, n)
        for k in range(self.width):
            source = self.data[k] + begin * size_of(self.layout, k)
            if not shifted or self.shift[k] == 0:
                out.column[k] = <int64_t*>source
            else:
                shift_values(type_of(self.layout, k), source, out.owned[k], n,
                             self.shift[k] * (row // self.rows))
                out.column[k] = out.owned[k]
        out.n = <int32_t>n
        note_time(out, self.time)
        out.capacity = 0                                    # not ours to write to: the next user starts with its own


cdef void shift_values(int32_t type, const void* source, void* to, int64_t n, int64_t shift) noexcept nogil:
    if type == INT64:
        shift_column(<const int64_t*>source, <int64_t*>to, n, shift)
    elif type == INT32:
        shift_column(<const int32_t*>source, <int32_t*>to, n, shift)
    elif type == INT16:
        shift_column(<const int16_t*>source, <int16_t*>to, n, shift)
    elif type == INT8:
        shift_column(<const int8_t*>source, <int8_t*>to, n, shift)
    elif type == UINT32:
        shift_column(<const uint32_t*>source, <uint32_t*>to, n, shift)
    elif type == UINT16:
        shift_column(<const uint16_t*>source, <uint16_t*>to, n, shift)
    elif type == UINT8:
        shift_column(<const uint8_t*>source, <uint8_t*>to, n, shift)
    else:
        shift_column(<const uint64_t*>source, <uint64_t*>to, n, shift)


cdef void note_time(Columns* out, int32_t time) noexcept nogil:
    if time >= 0 and out.n > 0:
        out.first_time = integer_at(out, time, 0)
        out.last_time = integer_at(out, time, out.n - 1)


def _limit(type) -> str:
    """The first value that a column of integers cannot hold."""
    return f"2**{8 * type.itemsize - (type.kind == 'i')}"


cdef class BatchSource(Source):
    """A stream read as it goes: ``batches`` iterates over tuples of arrays, all int64 or of the given ``types``.

    In place of a batch it may give a ``Heartbeat``: for a gate, which then waits for this
    stream no longer than to its time.

    Integers of another width are converted where they fit (see ``stream_column``). Nothing else is copied: units
    read the arrays themselves, so no array may change once it is given. Up to ``read_ahead`` batches are read ahead;
    those before them are held until their tuples have reached the sink. They are read by workers (reading takes the
    GIL), one at a time, so no extra thread takes part. ``total_tuples`` is the length of the stream, where known;
    ``time`` as for a `TableSource`.

    ``batches`` may be what has a method ``work_ahead``: then workers that have nothing else to do call it, several at
    once, and it does a piece of what makes the next batches, or returns False where there is none. Its iterator never
    does that work. Any iterator may give ``NOT_YET`` while the next batch is being made, and is asked again.
    """

    cdef object batches
    cdef object make_ahead              # their method, or None
    # Whether there may be a piece to do is a hint, so both are relaxed: a look that found nothing
    # holds for the room that it saw.
    cdef PaddedCounter* room            # how often there has been room for more
    cdef PaddedCounter* none_in         # there was nothing to do in the room of this number
    # How many are done. Relaxed: it says when to look again, which is done with the GIL.
    cdef PaddedCounter* pieces
    # All below is guarded as `claim` is.
    cdef list held                      # batches in memory, oldest first; units may read those up to the one at `now`
    cdef int64_t oldest                 # the first one's number; batches that hold tuples are numbered from 0
    cdef int64_t now                    # number of the batch that units are cut from; -1 before the first
    cdef int64_t done                   # all tuples of batches below this number have reached the sink
    cdef char* data[MAX_COLUMNS]        # of the batch at `now`
    cdef int64_t rows
    cdef int64_t begin
    cdef readonly int64_t taken         # rows that units have been given, from the stream's beginning on
    cdef readonly int64_t first         # where this run begins in the stream
    cdef int64_t read_ahead
    cdef int32_t width
    cdef bint exhausted
    cdef readonly object error          # what the iterator raised, if it did
    cdef object total_tuples
    cdef int32_t time                   # its column, -1 for none
    cdef object last_time               # the last one read
    cdef object heartbeat               # where `now` is one that has not been told yet
    cdef int64_t vain                   # the next batch was not there when so many pieces were done;
                                        # -1: it has not been asked for

    def __cinit__(self, *args, **kwargs):
        self.room = new_counters(1)
        self.none_in = new_counters(1)
        self.pieces = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.room)
        delete_counters(self.none_in)
        delete_counters(self.pieces)

    def __init__(self, batches, names, read_ahead=4, total_tuples=None, types=(), time=None):
        self.columns = column_names(names)
        if isinstance(types, str) or not isinstance(types, Iterable):
            raise UnfitTypeError(f"types= lists the type of each column, and {types!r} is no list")
        self.types = tuple(type_named(each) for each in types) or (np.dtype("int64"),) * len(self.columns)
        if len(self.types) != len(self.columns):
            raise UnfitDataError(
                f"types= has {len(self.types)} types for {len(self.columns)} columns: name one for each"
            )
        if not 1 <= len(self.columns) <= MAX_COLUMNS:
            raise UnfitDataError(f"a batch source needs 1 to {MAX_COLUMNS} columns, each with a name")
        self.width = <int32_t>len(self.columns)
        self.read_ahead = whole_number("read_ahead", read_ahead, 1)
        self.total_tuples = None if total_tuples is None else whole_number("total_tuples", total_tuples, 0)
        self.time = time_column(time, self.columns, self.types)
        self.restart(batches)

    def restart(self, batches, int64_t first=0):
        """Begin a stream of these batches, of which the first begins with row ``first``, for a run that has not
        begun."""
        if not isinstance(batches, Iterable):
            raise UnfitTypeError(f"a batch source takes an iterable of batches, not {batches!r}")
        self.batches = iter(batches)
        self.make_ahead = getattr(batches, "work_ahead", None)
        self.room.value.store(self.make_ahead is not None)
        self.none_in.value.store(0)         # a look in a run before says nothing of this one
        self.held = []
        self.oldest = self.done = self.rows = self.begin = 0
        self.taken = self.first = first
        self.now = self.vain = -1
        self.exhausted = False
        self.error = self.heartbeat = None
        self.last_time = None

    def total(self):
        """The length of the stream, or of what is left of it; or None."""
        return None if self.total_tuples is None else self.total_tuples - self.first

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t n
        cdef int32_t k
        if unit.source_row > self.done:     # its slot's last tuples, and all before them, are done: it is free again
            self.done = unit.source_row
        while self.begin >= self.rows:
            if self.vain >= 0 and self.vain == self.pieces.value.load(memory_order_relaxed):
                return 0                    # a look takes the GIL, which those who make the batch need
            if not self.next_batch():
                return -1 if self.exhausted else 0
            if self.heartbeat is not None:
                reset_as(out, self.width, self.layout)
                self.tell_heartbeat(out)
                return 0
        n = min(at_most, self.rows - self.begin)
        unit.source_row = self.now
        reset_as(out, self.width, self.layout)
        for k in range(self.width):
            out.column[k] = <int64_t*>(self.data[k] + self.begin * size_of(self.layout, k))
        out.n = <int32_t>n
        note_time(out, self.time)
        out.capacity = 0                    # not ours to write to: the next user starts with its own
        self.begin += n
        self.taken += n
        return n

    cdef bint work_ahead(self) noexcept nogil:
        return (self.room.value.load(memory_order_relaxed) != self.none_in.value.load(memory_order_relaxed)
                and self.make_piece())

    cdef bint make_piece(self) noexcept with gil:
        cdef int64_t room = self.room.value.load(memory_order_relaxed)
        cdef bint is_made = self.make_ahead()      # what is wrong is raised by the iterator, in its place
        self.pieces.value.fetch_add(is_made, memory_order_relaxed)
        if not is_made:
            self.none_in.value.store(room, memory_order_relaxed)
        return is_made

    cdef bint next_batch(self) noexcept with gil:
        """Drop batches that nobody reads any more, read ahead, and go on to the next; False
        where there is none (yet)."""
        cdef int32_t k, looks = MOST_LOOKS
        cdef int read = READ
        cdef int64_t pieces = self.pieces.value.load(memory_order_relaxed)
        self.vain = -1
        while self.oldest < self.done:
            self.held.pop(0)
            self.oldest += 1
        self.rows = self.begin = 0
        try:
            while (not self.exhausted and read != UNMADE and looks > 0
                   and self.oldest + len(self.held) - self.now <= self.read_ahead):
                read = self.read_batch()
                looks -= read == EMPTY
        except BaseException as error:      # a worker cannot raise: the run looks here when the stream has ended
            self.error = error
            self.exhausted = True           # what was read before goes its way
        self.room.value.fetch_add(self.make_ahead is not None, memory_order_relaxed)  # what has been taken leaves room
        if self.now + 1 == self.oldest + len(self.held):
            # Nobody here makes the next one: whether it has come is seen by asking.
            self.vain = -1 if self.exhausted or self.make_ahead is None or read == EMPTY else pieces
            return False
        self.now += 1
        batch = self.held[self.now - self.oldest]
        if isinstance(batch, Heartbeat):
            self.heartbeat = batch
            return True
        for k in range(self.width):
            self.data[k] = <char*><size_t>batch[k].ctypes.data      # may be read-only memory of Arrow's
        self.rows = len(batch[0])
        return True

    cdef void tell_heartbeat(self, Columns* out) noexcept with gil:
        """An empty unit that knows its event time."""
        out.first_time = out.last_time = self.heartbeat.ts
        self.heartbeat = None

    cdef int read_batch(self) except -1:
        """Hold the next batch, unless it is EMPTY, or UNMADE: not there yet."""
        batch = next(self.batches, OVER)
        if batch is NOT_YET:
            return UNMADE
        if batch is OVER:
            self.exhausted = True
        elif isinstance(batch, Heartbeat):
            self.held.append(batch)
        elif not isinstance(batch, (tuple, list, np.ndarray)):
            raise UnfitTypeError(
                f"a batch is a tuple of arrays, one for each column, and not of type {type(batch).__name__}"
            )
        elif len(batch) != self.width:
            raise UnfitDataError(f"a batch must have {self.width} columns that are equally long")
        else:
            columns = tuple(stream_column(*each) for each in zip(batch, self.columns, self.types))
            if any(len(column) != len(columns[0]) for column in columns):
                raise UnfitDataError(f"a batch must have {self.width} columns that are equally long")
            if len(columns[0]) == 0:
                return EMPTY
            if self.time >= 0:
                times = columns[self.time]
                require_ascending(times, self.columns[self.time], self.last_time)
                self.last_time = times[len(times) - 1]
            self.held.append(columns)
        return READ
