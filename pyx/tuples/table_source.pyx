"""Sources over tables: one that holds the whole stream in memory, one that reads it batch by batch."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, reserve, reset
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.shift_column cimport shift_column
from streambench.pyx.tuples.unit cimport Unit

from streambench.pyx.tuples.stream_column import as_int64


# Above it there is neither room for a bound that is greater than every value nor for a value + 1.
LARGEST = (1 << 63) - 2


def most_laps(values, shift) -> int:
    """Return how often a column can be replayed before a value, ``shift`` greater in each lap, passes 2**63 - 2.

    0 where the values themselves do; a column that does not shift, or holds nothing but nulls, takes 2**63 - 2 laps.
    """
    largest = int(values.max(initial=-1))
    if shift == 0 or largest < 0:
        return LARGEST
    return max(0, (LARGEST - largest) // int(shift) + 1)


cdef class TableSource(Source):
    """A stream in memory, replayed ``laps`` times as one longer stream.

    ``columns``: equally long int64 arrays, or what ``as_int64`` takes for one; ``names``: theirs; ``lap_shift``: what each lap adds to a column's non-negative
    values (event time, dates, ticket and order numbers), 0 for columns that repeat. Columns that do not shift are not
    copied: units read the arrays themselves. Raises ValueError for columns that are none, and for laps that would take a
    value past 2**63 - 2: nothing wraps.
    """

    cdef tuple arrays
    cdef int64_t* data[MAX_COLUMNS]
    cdef int64_t shift[MAX_COLUMNS]
    cdef bint shifts                    # one of them does
    cdef int64_t rows
    cdef int64_t laps
    cdef int64_t position               # tuples claimed; guarded as `claim` is
    cdef int64_t row                    # in the lap, where the next unit begins: saves divisions, which units of one feel
    cdef int32_t width

    def __init__(self, columns, names, lap_shift=None, int64_t laps=1):
        cdef const int64_t[::1] view       # may be read-only memory of Arrow's
        cdef int32_t k
        if len(columns) != len(names) or not 1 <= len(columns) <= MAX_COLUMNS:
            raise ValueError(f"a table source needs 1 to {MAX_COLUMNS} columns, each with a name")
        if laps < 1:
            raise ValueError(f"laps must be at least 1, not {laps}")
        if lap_shift is not None and len(lap_shift) != len(columns):
            raise ValueError(f"lap_shift must have {len(columns)} values, one for each column, not {len(lap_shift)}")
        self.columns = tuple(names)
        self.arrays = tuple(as_int64(column, name) for column, name in zip(columns, names))
        self.width = <int32_t>len(columns)
        self.rows = len(self.arrays[0])
        self.laps = laps
        if len(self.arrays[0]) * int(laps) > LARGEST:
            raise ValueError(f"{laps} laps of {self.rows} tuples are more than can be counted")
        for k in range(self.width):
            if len(self.arrays[k]) != self.rows:
                raise ValueError("the columns of a table source must be equally long")
            if self.rows:
                view = self.arrays[k].view()
                self.data[k] = <int64_t*>&view[0]
            self.shift[k] = lap_shift[k] if lap_shift is not None else 0
            if self.shift[k] < 0:
                raise ValueError(f"column {names[k]} cannot shift by {self.shift[k]}: a lap is later than the one before")
            if laps > 1 and laps > (room := most_laps(self.arrays[k], self.shift[k])):
                raise ValueError(f"{laps} laps take column {names[k]} past 2**63: {room} fit, as each adds {self.shift[k]}")
            self.shifts = self.shifts or self.shift[k] != 0

    def open(self, int32_t partitions=1):
        self.position = self.row = 0

    def total(self):
        """Tuples of all laps."""
        return self.rows * self.laps

    def lap(self):
        """Tuples of one lap."""
        return self.rows

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef int64_t left
        if self.position >= self.rows * self.laps:
            return -1
        left = self.rows - self.row                         # a unit lies within one lap
        if at_most > left:
            at_most = left
        unit.first = self.position                          # the ingress counts the same tuples
        unit.source_row = self.row
        self.position += at_most
        self.row = self.row + at_most if at_most < left else 0
        return at_most

    cdef void fill(self, Unit* unit) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t begin = unit.source_row, n = unit.arrived
        cdef bint shifted = self.shifts and unit.first > begin      # not the first lap
        cdef int64_t* source
        cdef int32_t k
        reset(out, self.width)
        if shifted:
            reserve(out, n)
        for k in range(self.width):
            source = self.data[k] + begin
            if not shifted or self.shift[k] == 0:
                out.column[k] = source
            else:
                shift_column(source, out.owned[k], n, self.shift[k] * (unit.first // self.rows))
                out.column[k] = out.owned[k]
        out.n = <int32_t>n
        out.capacity = 0                                    # not ours to write to: the next user starts with its own


cdef class BatchSource(Source):
    """A stream read from files as it goes: ``batches`` iterates over tuples of int64 arrays,
    or what ``as_int64`` takes for them.

    Up to ``read_ahead`` batches are held in memory. They are read by workers (reading takes the GIL), one at a time, so no
    extra thread takes part. ``total_tuples`` is the length of the stream, where known.
    """

    cdef object batches
    cdef list ready                     # batches in memory, oldest first; guarded, as all below, as `claim` is
    cdef int64_t* data[MAX_COLUMNS]     # of the oldest batch
    cdef int64_t rows
    cdef int64_t begin
    cdef int64_t read_ahead
    cdef int32_t width
    cdef bint exhausted
    cdef readonly object error          # what the iterator raised, if it did
    cdef object total_tuples

    def __init__(self, batches, names, int64_t read_ahead=4, total_tuples=None):
        self.columns = tuple(names)
        if not 1 <= len(self.columns) <= MAX_COLUMNS:
            raise ValueError(f"a batch source needs 1 to {MAX_COLUMNS} columns, each with a name")
        self.width = <int32_t>len(self.columns)
        self.batches = iter(batches)
        self.ready = []
        self.read_ahead = read_ahead
        self.total_tuples = total_tuples

    def total(self):
        """The length of the stream, or None."""
        return self.total_tuples

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t n, i
        cdef int32_t k
        while self.begin >= self.rows:
            if not self.next_batch():
                return -1
        n = min(at_most, self.rows - self.begin)
        reset(out, self.width)
        reserve(out, n)
        for k in range(self.width):
            for i in range(n):
                out.column[k][i] = self.data[k][self.begin + i]
        out.n = <int32_t>n
        self.begin += n
        return n

    cdef bint next_batch(self) noexcept with gil:
        """Drop the batch that is used up, read ahead, and open the oldest; False at end of stream."""
        cdef const int64_t[::1] view       # may be read-only memory of Arrow's
        cdef int32_t k
        try:
            if self.rows:
                self.ready.pop(0)
            self.rows = self.begin = 0
            while not self.exhausted and len(self.ready) < self.read_ahead:
                batch = next(self.batches, None)
                if batch is None:
                    self.exhausted = True
                elif len(batch) != self.width or any(len(column) != len(batch[0]) for column in batch):
                    raise ValueError(f"a batch must have {self.width} columns that are equally long")
                elif len(batch[0]):
                    self.ready.append(tuple(as_int64(column, name) for column, name in zip(batch, self.columns)))
            if not self.ready:
                return False
            for k in range(self.width):
                view = self.ready[0][k].view()
                self.data[k] = <int64_t*>&view[0]
            self.rows = len(self.ready[0][0])
            return True
        except BaseException as error:      # a worker cannot raise: the run looks here when the stream has ended
            self.error = error
            return False
