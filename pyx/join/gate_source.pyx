"""Several ordered streams as one pipeline's input, in one total order: a ScaleGate as a source.

A worker that admits a unit takes what is ready out of the gate; where a stream holds that up, it first feeds the gate
from that stream. So a stream is read when it is needed, no thread is added, and the order does not depend on how
streams are read. Streams that can make their next batches ahead have that done by workers with nothing else to do.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.join.merged_codes cimport MergedCodes
from streambench.pyx.join.ready cimport Ready, unpack
from streambench.pyx.join.scale_gate cimport ENDED, ScaleGate
from streambench.pyx.join.slack_buffer cimport SlackBuffer
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.tuples.columns cimport Columns, integer_at, keys_of, reset_as
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.tuples.unit cimport Unit, begin_unit, clear_unit, init_unit

import warnings

from streambench.pyx.join.manual_scale_gate import make_scale_gate
from streambench.pyx.join.streams import held_by, schema_of, sources_of
from streambench.pyx.tuples.errors import StreambenchError, UnfitDataError, UnfitOptionError
from streambench.pyx.tuples.meaning import meanings_of, whole_span

cdef enum:
    FED_AT_ONCE = 1024                  # tuples of a stream
    READ_AT_ONCE = 1024


class StreamError(UnfitDataError):
    """A stream of a gate could not be read; the message says which, ``__cause__`` why."""


def unread(stream, reason):
    """What ends a run whose ``stream`` has ended by ``reason``."""
    if not isinstance(reason, Exception):       # Ctrl-C
        return reason
    text = str(reason).rstrip(".")
    error = StreamError(f"{stream} cannot be read: {text}." if isinstance(reason, StreambenchError)
                        else f"{stream} cannot be read: {type(reason).__name__}: {text}.")
    error.__cause__ = reason
    return error


class LateTuplesWarning(UserWarning):
    """Streams were out of order by more than their slack: tuples were left out."""


cdef struct Feed:
    # A stream on its way into the gate.
    Unit unit                           # the tuples read last
    int64_t begin                       # of these the gate has so many
    int64_t* times
    int64_t times_rows
    bint ended
    bint has_null                       # a value stands for null in its times
    int64_t null                        # which


cdef class GateSource(Source):
    """``streams`` as one, by (time, stream, place in the stream): equal times are ordered by stream, never by arrival.

    A stream is a ``Source``; or a mapping from names to arrays of equal lengths; or an iterable of batches, tuples of
    arrays, whose columns are called ``names`` and have the ``types`` given, int64 where none are. All streams have one
    schema: in Arrow's types, too, where their sources know them, such as units of time, and in what stands for null.
    Texts get codes of the gate's own, in the order in which they first appear in it (see ``dictionaries``).

    ``time``: the column of integers that orders them; ``slack``: by how much of it a stream may be out of order. What
    comes later than that is left out, counted in ``late``, and told at the end by a ``LateTuplesWarning``. ``source``:
    the name of an int32 column that is appended and says which stream a tuple is from, counted from 0; None for no such
    column. ``gate``: ``ring``, or ``skip-list`` for the paper's.

    Raises DataError for streams that make no source, OptionError for options that do not fit; both are ValueErrors,
    too. A stream that cannot be read ends the run with DataError. One that has nothing just now holds the others up,
    unless it gives a ``Heartbeat``.
    """

    cdef readonly tuple streams
    cdef list sources                   # the same, as the run has them: their methods are called without the GIL
    cdef void** source_at
    cdef list buffers
    cdef void** buffer_at
    cdef Feed* feeds
    cdef int32_t n
    cdef ScaleGate gate
    cdef str kind
    cdef int64_t slack
    cdef int32_t time_column
    cdef bint tells_source
    cdef public bint told               # of late tuples; set before by who tells of them in other words
    cdef Ready* ready
    cdef readonly object held_columns   # what the columns mean, where a stream's source knows it, or None
    cdef MergedCodes codes
    cdef readonly object error          # why a stream could not be read, if one could not

    def __init__(self, streams, names=None, time="ts", slack=0, types=(), source=None, gate="ring"):
        self.streams = sources_of(streams, names, types)
        schema = schema_of(self.streams, time, source)
        self.columns = tuple(name for name, _ in schema)
        self.types = tuple(type for _, type in schema)
        self.time_column = <int32_t>self.columns.index(time)
        self.tells_source = source is not None
        slack = whole_span("slack", slack, meanings_of(self.streams[0])[time])
        make_scale_gate(gate, [()], 1, 2)         # refuses what is none
        self.n, self.slack, self.kind = <int32_t>len(self.streams), slack, gate
        self.feeds = <Feed*>calloc(self.n, sizeof(Feed))
        self.source_at = <void**>calloc(self.n, sizeof(void*))
        self.buffer_at = <void**>calloc(self.n, sizeof(void*))
        self.ready = <Ready*>calloc(READ_AT_ONCE, sizeof(Ready))
        if self.feeds is NULL or self.source_at is NULL or self.buffer_at is NULL or self.ready is NULL:
            raise MemoryError()
        cdef int32_t k
        for k in range(self.n):
            init_unit(&self.feeds[k].unit)
            null = meanings_of(self.streams[k])[time].null
            self.feeds[k].has_null = null is not None
            self.feeds[k].null = 0 if null is None else null.as_py()
        self.held_columns = held_by(self.streams)
        if self.held_columns is not None:
            values = [each.held_columns.codes.values if getattr(each, "held_columns", None) else ()
                      for each in self.streams]
            meanings = self.held_columns.meanings
            texts = [k for k, name in enumerate(self.columns) if name in meanings and meanings[name].texts is not None]
            self.codes = MergedCodes(self.held_columns.codes, values, texts)

    def __dealloc__(self):
        cdef int32_t k
        if self.feeds is not NULL:
            for k in range(self.n):
                clear_unit(&self.feeds[k].unit)
                free(self.feeds[k].times)
        free(self.feeds)
        free(self.source_at)
        free(self.buffer_at)
        free(self.ready)

    def open(self, int32_t partitions=1):
        cdef int32_t k
        types = self.types[: len(self.types) - 1] if self.tells_source else self.types
        self.gate = make_scale_gate(self.kind, [types] * self.n, 1, 4 * FED_AT_ONCE)
        self.buffers = [SlackBuffer(self.gate, k, self.slack) for k in range(self.n)]
        self.error = None
        for k in range(self.n):
            clear_unit(&self.feeds[k].unit)         # a further run begins anew
            init_unit(&self.feeds[k].unit)
            self.feeds[k].begin = 0
            self.feeds[k].ended = False
        for k, stream in enumerate(self.streams):
            stream.prepare(1)
            self.source_at[k] = <void*>stream
            self.buffer_at[k] = <void*>self.buffers[k]

    def total(self):
        """Tuples of all streams, late ones among them; None where one does not know."""
        totals = [stream.total() for stream in self.streams]
        return None if None in totals else sum(totals)

    @property
    def dictionaries(self) -> dict:
        """The values by their codes, for each column of texts: as far as the streams have been read."""
        return {} if self.held_columns is None else self.held_columns.dictionaries

    def restore(self, table, names=None):
        """A pipeline's output with the streams' columns as they were in their data; see ``ArrowSource.restore``."""
        if self.held_columns is not None:
            return self.held_columns.restore(table, names)
        for ours, theirs in (names or {}).items():
            raise UnfitOptionError(f"names= calls {ours} the source's {theirs}, but its streams have no texts or times "
                                   "to bring back: leave that out.")
        return table

    @property
    def late(self) -> tuple:
        """By stream, how many tuples were out of order by more than the slack, and left out."""
        return tuple(each.late for each in self.buffers or ())

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t claimed = 0, n
        cdef int32_t k, vain = 0
        reset_as(out, self.emitted_width, self.layout)
        if self.error is not None:
            return -1
        while claimed < at_most:
            n = self.gate.next_ready(0, self.ready, min(<int64_t>READ_AT_ONCE, at_most - claimed))
            if n > 0:
                if not self.write(n, out):
                    return -1
                claimed += n
            elif n == ENDED:
                if not self.told:
                    self.tell()
                return claimed if claimed > 0 else -1
            else:
                k = self.gate.waits_for(0)
                if vain == FED_AT_ONCE or not self.feed(k):
                    # Nothing has arrived, or a stream failed; what was taken before goes on.
                    return claimed if claimed > 0 or self.error is None else -1
                vain += self.feeds[k].unit.now.n == 0       # heartbeats may come for ever
        return claimed

    cdef bint work_ahead(self) noexcept nogil:
        cdef int32_t k
        for k in range(self.n):             # each bounds how far ahead it is, so that none is left out for long
            if (<Source>self.source_at[k]).work_ahead():
                return True
        return False

    cdef bint write(self, int64_t n, Columns* out) noexcept nogil:
        cdef int64_t i, begin = out.n
        cdef int32_t* number
        unpack(&self.gate.records[0], self.ready, n, out)
        if begin == 0:
            out.first_time = integer_at(out, self.time_column, 0)
        out.last_time = integer_at(out, self.time_column, out.n - 1)
        if self.tells_source:
            number = <int32_t*>out.column[self.emitted_width - 1] + begin
            for i in range(n):
                number[i] = self.ready[i].source
        if self.codes is not None and not self.codes.translate(out, begin, n, self.ready):
            self.fail(self.codes.error)
            return False
        return True

    cdef bint feed(self, int32_t k) noexcept nogil:
        """Put more of stream ``k`` into the gate; False where it has nothing just now, or failed."""
        cdef Feed* feed = &self.feeds[k]
        cdef int64_t n
        if feed.begin == feed.unit.now.n and not feed.ended:
            begin_unit(&feed.unit, 0)
            feed.begin = 0
            feed.unit.now.first_time, feed.unit.now.last_time = 0, -1       # unless the source says more
            n = (<Source>self.source_at[k]).claim(&feed.unit, FED_AT_ONCE)
            if n == 0:
                if feed.unit.now.last_time < feed.unit.now.first_time:
                    return False
                (<SlackBuffer>self.buffer_at[k]).promise(feed.unit.now.last_time)
                return True
            if n < 0:
                feed.unit.now.n = 0
                feed.ended = True
                if self.failed(k):
                    return False
            else:
                feed.unit.arrived = n
                (<Source>self.source_at[k]).fill(&feed.unit)
                if not self.read_times(k):
                    return False
        if feed.begin < feed.unit.now.n:
            n = feed.unit.now.n - feed.begin
            feed.begin += (<SlackBuffer>self.buffer_at[k]).offer(feed.times, feed.unit.now, feed.begin, n)
        elif feed.ended:
            (<SlackBuffer>self.buffer_at[k]).finish()
        return True

    cdef bint read_times(self, int32_t k) noexcept nogil:
        """The times of the tuples read last; False where one is none."""
        cdef Feed* feed = &self.feeds[k]
        cdef int64_t n = feed.unit.now.n, i
        if feed.times_rows < n:
            feed.times = <int64_t*>enlarge(feed.times, n * sizeof(int64_t))
            feed.times_rows = n
        keys_of(feed.unit.now, self.time_column, feed.times)
        for i in range(n):
            if feed.times[i] == INT64_MAX or (feed.has_null and feed.times[i] == feed.null):
                self.refuse(k, feed.times[i])
                return False
        return True

    cdef bint failed(self, int32_t k) noexcept with gil:
        reason = getattr(self.streams[k], "error", None)
        if reason is None:
            return False
        self.error = unread(f"stream {k} of the gate", reason)
        return True

    cdef void fail(self, reason) noexcept with gil:
        self.error = reason

    cdef void refuse(self, int32_t k, int64_t time) noexcept with gil:
        name = self.columns[self.time_column]
        if time == INT64_MAX:
            self.error = StreamError(
                f"stream {k} of the gate has 2**63 - 1 in {name}, which is the end of time: it must be lower.")
        else:
            self.error = StreamError(
                f"stream {k} of the gate has a null in {name}, by which it is to be ordered: leave such rows out.")

    cdef void tell(self) noexcept with gil:
        """Late tuples are not lost silently."""
        self.told = True
        if not any(self.late):
            return
        shown = ", ".join(f"{each:,} of stream {k}" for k, each in enumerate(self.late) if each)
        try:
            warnings.warn(f"late tuples were left out: {shown}; slack is {self.slack}, a larger one takes them in",
                          LateTuplesWarning, stacklevel=1)
        except Exception as error:              # where warnings are errors
            self.error = error
