"""Operators (paper 000, section 2.1): stateless, partitioned stateful with a key selector, stateful; sources and sinks too.

An operator extends one of these classes in Cython, says which ``columns`` it emits, and overrides ``process``. Tuples
come as columns of 64-bit integers; ``emit(out)`` appends an output tuple. ``process`` returns -1, or ``fail(out, row, why)``
when it cannot process an input row: then ``out`` must hold the outputs of the rows before that one and nothing else.
"""

from streambench.pyx.tuples.columns cimport MAX_COLUMNS


cdef class Operator:
    """Base of all operators.

    ``name`` is shown in errors and profiles. An ``in_place`` operator emits exactly its input tuples: it is given the same
    columns as input and output, may write only the columns it appends, and never calls ``emit``.
    """

    def __cinit__(self, *args, **kwargs):
        self.name = type(self).__name__
        self.columns = ()
        self.list_column = -1
        self.in_place = False

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        """At end of stream: emit about ``at_most`` tuples of the state that has not been emitted, in ascending key order.

        Asked of partitioned and stateful operators. Called again until it returns 0, the number of tuples emitted. By one worker, when all input has been processed.
        """
        return 0

    def open(self, int32_t partitions=1):
        """Called once before a run, with the GIL: the place to check options and to allocate state."""

    def prepare(self, int32_t partitions):
        """Fix the width and open the operator; what a run calls."""
        if len(self.columns) > MAX_COLUMNS:
            raise ValueError(f"operator {self.name} emits {len(self.columns)} columns; at most {MAX_COLUMNS} are possible")
        self.emitted_width = <int32_t>len(self.columns)
        self.open(partitions)


cdef class Stateless(Operator):
    """A pure function of a tuple (SL): any number of workers may be in ``process`` at a time."""

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        """Process rows 0 to rows.n - 1 in order. Returns -1, or what ``fail`` returns."""
        return -1


cdef class PartitionedStateful(Operator):
    """State by key (PS): tuples of one partition are processed in order by one worker at a time.

    A ``partition_free`` operator finds its state by key alone: where one worker has the whole operator, ``process`` may be
    called with ``ANY_PARTITION``, rows of any partitions, and with ``selected`` NULL for all of them. A key's partition
    is then ``partition_by_hash(key, self.partitions)``, as in calls that name it. ``share`` tells it which calls follow,
    while all workers wait: it must not take long, however much state there is.
    """

    def __cinit__(self, *args, **kwargs):
        self.partition_free = False
        self.low_key = 0
        self.high_key = 0
        self.partitions = 1

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        """The key selector: write the key of each row. The default takes the first column."""
        cdef int32_t row
        for row in range(rows.n):
            keys[row] = rows.column[0][row]

    cdef void share(self, bint shared) noexcept nogil:
        """For a partition-free operator: from now on calls name a partition (at first they do), or they do not.

        Called while nobody is in the operator: the place to bring its state into the shape that is faster.
        """
        pass

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        """Process rows ``selected[0:n]`` in order, all of ``partition``; emit with ``emit_from(out, row)``."""
        return -1

    def prepare(self, int32_t partitions):
        """As for any operator; ``open`` then allocates state for partitions 0 to ``partitions`` - 1."""
        self.partitions = partitions
        Operator.prepare(self, partitions)


cdef class Stateful(Operator):
    """One state for all tuples (SF): one worker at a time, in order."""

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        """Process rows 0 to rows.n - 1 in order. Returns -1, or what ``fail`` returns."""
        return -1


cdef class Source(Operator):
    """Where tuples come from."""

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        """Take the next tuples, at most ``at_most``, for ``unit``; by one worker at a time, in order.

        Returns how many were taken, 0 when none has arrived yet, -1 at end of stream. Takes what is there and does not wait.
        """
        return -1

    cdef void fill(self, Unit* unit) noexcept nogil:
        """Write the claimed tuples to ``unit.now``; several workers may fill different units at a time."""
        pass

    def total(self):
        """How many tuples the whole stream has, or None when that is not known."""
        return None

    def lap(self):
        """After how many tuples the stream comes again, moved on; None where it does not. No unit lies in two laps."""
        return None


cdef class Sink(Stateful):
    """Where the output sequence ends; it emits nothing."""
