"""Operators (paper 000, section 2.1): stateless, partitioned stateful with a key selector,
stateful; sources and sinks too.

An operator extends one of these classes in Cython, says what it ``reads`` and which ``columns`` it emits, and overrides
``process``. Tuples come column by column; ``emit(out)`` appends an output tuple. ``process`` returns -1, or
``fail(out, row, why)`` when it cannot process an input row: then ``out`` must hold the outputs of the rows
before that one and nothing else.
"""

from streambench.pyx.tuples.columns cimport keys_of
from streambench.pyx.tuples.layout cimport layout_of

import numpy as np

from streambench.pyx.tuples.layout import MOST_COLUMNS, type_named

SAME = "="                              # "=user": the type that the column user has which the operator reads


class SchemaError(ValueError):
    """An operator is not given what it reads, or emits what no columns can hold."""


cdef class Operator:
    """Base of all operators.

    ``name`` is shown in errors and profiles.

    ``reads`` names the columns that it reads, in the order of ``at``, which says where they are among those given:
    column ``j`` of them is ``int32_column(rows, self.at[j])``. With each name stand the types that it may have:
    ``{"ts": "int64", "user": ("int32", "int64")}``; ``"=user"`` is the type that the column user has. None, as at
    first: columns are read by their place, and all are int64.

    ``columns`` names what it emits, ``types`` their types: one each, ``"=user"`` for that of a column it reads,
    and none at all where all are int64. An ``in_place`` operator emits exactly its input tuples: it is given the
    same columns as input and output, may write only the columns it appends, and never calls ``emit``. Where it
    declares ``reads``, it keeps all columns that it is given, and ``columns`` names those it appends:
    ``self.to[j]`` is where the j-th of them is.
    """

    def __cinit__(self, *args, **kwargs):
        self.name = type(self).__name__
        self.columns = ()
        self.types = ()
        self.reads = None
        self.list_column = -1
        self.in_place = False

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        """At end of stream: emit about ``at_most`` tuples of the state that has not been
        emitted, in ascending key order.

        Asked of partitioned and stateful operators. Called again until it returns 0, the number of tuples emitted. By
        one worker, when all input has been processed. It may ``return fail(out, 0, why)``: then what it has emitted
        reaches the sink, and the run stops with an error.
        """
        return 0

    def bind(self, inputs):
        """Take columns of this schema, ``((name, type), ...)``; return the schema of what is emitted.

        Called as a pipeline is built. Raises SchemaError where the operator reads others.
        """
        if self.reads is None:
            self.schema = self._bind_by_place(inputs)
        else:
            self.schema = self._bind_by_name(inputs)
        if len(self.schema) > MOST_COLUMNS:
            raise SchemaError(
                f"operator {self.name} emits {len(self.schema)} columns; at most {MOST_COLUMNS} are possible"
            )
        return self.schema

    @property
    def emitted(self):
        """Names of all columns that it emits: of one in place, those it keeps among them."""
        return self.columns if self.schema is None else tuple(name for name, _ in self.schema)

    @property
    def row_bytes(self):
        """Bytes of a row that it emits, of a list those of its place and its length."""
        return 8 * len(self.columns) if self.schema is None else sum(type.itemsize for _, type in self.schema)

    def _bind_by_place(self, inputs):
        for name, type in inputs:
            if type != np.int64:
                raise SchemaError(
                    f"operator {self.name} declares no types and so reads column {name} as int64, but it gets "
                    f"{type.name}: let it say what it reads, or convert the column"
                )
        return self._emitted(inputs)

    def _bind_by_name(self, inputs):
        cdef int32_t j
        names = [name for name, _ in inputs]
        if len(self.reads) > MOST_COLUMNS:
            raise SchemaError(
                f"operator {self.name} reads {len(self.reads)} columns; at most {MOST_COLUMNS} are possible"
            )
        for j, (name, accepted) in enumerate(self.reads.items()):
            accepted = tuple(self._type(each, dict(inputs))
                             for each in ((accepted,) if isinstance(accepted, (str, np.dtype)) else accepted))
            if names.count(name) != 1:
                how = "which it does not get" if name not in names else "of which it gets several"
                raise SchemaError(
                    f"operator {self.name} reads column {name} ({_any_of(accepted)}), {how}: it gets {_shown(inputs)}"
                )
            self.at[j] = <int32_t>names.index(name)
            type = inputs[self.at[j]][1]
            if type not in accepted:
                raise SchemaError(
                    f"operator {self.name} wants column {name} as {_any_of(accepted)}, but gets it as {type.name}"
                )
        kept = tuple(inputs) if self.in_place else ()
        for j in range(<int32_t>min(len(self.columns), MOST_COLUMNS)):
            self.to[j] = <int32_t>len(kept) + j
        return kept + self._emitted(inputs)

    def _emitted(self, inputs):
        types = self.types or ("int64",) * len(self.columns)
        if len(types) != len(self.columns):
            raise SchemaError(f"operator {self.name} emits {len(self.columns)} columns but declares {len(types)} types")
        return tuple((name, self._type(type, dict(inputs))) for name, type in zip(self.columns, types))

    def _type(self, type, inputs):
        if not (isinstance(type, str) and type.startswith(SAME)):
            try:
                return type_named(type)
            except TypeError as error:
                raise SchemaError(f"operator {self.name}: {error}") from None
        if type[len(SAME):] not in inputs:
            raise SchemaError(
                f"operator {self.name} declares a column of type {type}, but gets no such column: "
                f"it gets {_shown(inputs.items())}"
            )
        return inputs[type[len(SAME):]]

    def open(self, int32_t partitions=1):
        """Called once before a run, with the GIL: the place to check options and to allocate state."""

    @property
    def identity(self) -> str:
        """What tells it from others of its class and schema, for a state that is to be restored."""
        return ""

    def save(self):
        """The state as NumPy arrays, by name, which the operator changes no more.

        Called in a pause of a run with checkpoints: nobody is in the operator. Operators that are not stateless have
        to have this method and the next one for such runs.
        """
        return {}

    def load(self, saved):
        """Go on from what another has saved; called behind ``open``, whose partitions may be others."""

    def fused_behind(self, tuple before):
        """Return a ``Fused`` of this operator and some of those before it, or None where there is none.

        ``before``: the operators between the source and this one, the nearest first. Asked once before
        a run, when all are prepared.
        """
        return None

    def prepare(self, int32_t partitions):
        """Fix what the columns are and open the operator; what a run calls."""
        if self.schema is None:             # driven by hand, outside a pipeline
            self.schema = self._emitted(())
        self.emitted_width = <int32_t>len(self.schema)
        self.layout = layout_of(tuple(type for _, type in self.schema))
        self.open(partitions)


def _any_of(types):
    return " or ".join(each.name for each in types)


def _shown(schema):
    return ", ".join(f"{name} ({type.name})" for name, type in schema) or "none"


cdef class Stateless(Operator):
    """A pure function of a tuple (SL): any number of workers may be in ``process`` at a time."""

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        """Process rows 0 to rows.n - 1 in order. Returns -1, or what ``fail`` returns."""
        return -1


cdef class PartitionedStateful(Operator):
    """State by key (PS): tuples of one partition are processed in order by one worker at a time.

    A ``partition_free`` operator finds its state by key alone: where one worker has the whole operator, ``process`` may
    be called with ``ANY_PARTITION``, rows of any partitions, and with ``selected`` NULL for all of them. A key's
    partition is then ``partition_by_hash(key, self.partitions)``, as in calls that name it. ``share`` tells it which
    calls follow, while all workers wait: it must not take longer than emitting the state would.
    """

    def __cinit__(self, *args, **kwargs):
        self.partition_free = False
        self.low_key = 0
        self.high_key = 0
        self.partitions = 1

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        """The key selector: write the key of each row. The default takes the first column, of those it reads."""
        keys_of(rows, self.at[0], keys)

    cdef void share(self, bint shared) noexcept nogil:
        """For a partition-free operator: from now on calls name a partition (at first they do), or they do not.

        Called while nobody is in the operator: the place to bring its state into the shape that is faster.
        """
        pass

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        """Process rows ``selected[0:n]`` in order, all of ``partition``; emit with ``emit_from(out, row)``."""
        return -1

    def dealt_with(self, tuple behind, bint prepared):
        """Return a ``Dealt`` of this operator and some of those behind it, or None where there is none.

        ``behind``: the operators between this one and the sink, the nearest first. ``prepared`` off: it is asked before
        they are prepared, and the answer is how many operators it would be, 0 for none.
        """
        return None if prepared else 0

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

        Returns how many were taken, 0 when none has arrived yet, -1 at end of stream. Takes
        what is there and does not wait.
        """
        return -1

    cdef void fill(self, Unit* unit) noexcept nogil:
        """Write the claimed tuples to ``unit.now``; several workers may fill different units at a time."""
        pass

    cdef bint work_ahead(self) noexcept nogil:
        """Do a piece of what later claims need, a millisecond's work at most; False where there is none just now.

        By workers that have nothing else to do, several at a time, beside the one that claims.
        """
        return False

    def total(self):
        """How many tuples the whole stream has, or None when that is not known."""
        return None

    def lap(self):
        """After how many tuples the stream comes again, moved on; None where it does not. No unit lies in two laps."""
        return None


cdef class Sink(Stateful):
    """Where the output sequence ends; it emits nothing."""
