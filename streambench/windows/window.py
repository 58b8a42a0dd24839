"""Windows as an operator of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.function_operator import OperatorGroup
from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.layout import MOST_COLUMNS
from streambench.pyx.tuples.meaning import Meaning, whole_span
from streambench.pyx.tuples.operator import Operator
from streambench.pyx.tuples.span import Span
from streambench.pyx.windows.definition import WindowDefinition
from streambench.pyx.windows.time_order import TimeOrder, TimeSlack
from streambench.pyx.windows.window_operators import AllWindows, KeyedWindows, WindowOrder
from streambench.windows.aggregates import NUMBERS, Aggregate, AggregateColumn, null_of
from streambench.windows.own_aggregate import OwnAggregate

START, END = "start", "end"
MOST_SPAN = 1 << 61
OF_TEXTS = ("count", "distinct", "first", "last", "top_k")
Schema = tuple[tuple[str, np.dtype[Any]], ...]


@dataclass(frozen=True)
class Bounds:
    """``shape``: ``tumbling``, ``sliding``, ``session`` or ``counted``. ``size``: of sessions the gap, of counted ones
    tuples. All as numbers of the time column's unit."""

    shape: str
    size: int
    step: int
    origin: int
    slack: int


class Window(OperatorGroup):
    """What ``window`` has been asked for; it may stand in pipelines, each of which gets operators of its own."""

    def __init__(
        self,
        aggregates: Mapping[str, Aggregate],
        *,
        time: str,
        size: Span | None,
        step: Span | None,
        gap: Span | None,
        rows: int | None,
        by: str | Sequence[str],
        slack: Span,
        origin: Span,
        nulls: Mapping[str, int] | None,
        fill: bool,
        flush: bool,
    ) -> None:
        self.name = "window"
        if not isinstance(aggregates, Mapping):
            raise OptionError(f"window needs aggregates by name, such as {{'n': 'count'}}, not {aggregates!r}.")
        if not isinstance(by, str) and not (isinstance(by, list | tuple) and all(isinstance(each, str) for each in by)):
            raise OptionError(f"`by` of a window is the name of a column, or a list of names, not {by!r}.")
        if nulls is not None and not isinstance(nulls, Mapping):
            raise OptionError(f"`nulls` of a window says a value by column, such as {{'amount': -1}}, not {nulls!r}.")
        self.aggregates = tuple(AggregateColumn.of(name, each) for name, each in aggregates.items())
        self.time = time
        self.by = (by,) if isinstance(by, str) else tuple(by)
        self.nulls = dict(nulls or {})
        self.flush = bool(flush)
        self.fill = bool(fill)
        self._stated = (size, step, gap, rows, slack, origin)
        self._slack: TimeSlack | None = None
        if not self.aggregates:
            raise OptionError("window needs aggregates, such as {'n': 'count', 'total': ('sum', 'amount')}.")
        if sum(each is not None for each in (size, gap, rows)) != 1:
            raise OptionError(
                "window needs one of size= (with step= where windows overlap), gap= for sessions and rows= for counts."
            )
        if gap is not None and step is not None:
            raise OptionError("a session has a gap= and no step=: leave it out.")
        if fill and (self.by or size is None):
            raise OptionError(
                "fill= is for windows of size= over all tuples: a key has no last window, and sessions and counts "
                "have no empty ones."
            )
        unknown = [each for each in self.nulls if each not in self.inputs]
        if unknown:
            raise OptionError(f"nulls= names column {unknown[0]}, which no aggregate reads.")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that are aggregated, each once."""
        return tuple(dict.fromkeys(each.column for each in self.aggregates if each.column is not None))

    @property
    def late(self) -> int:
        """Tuples that the last pipeline has left out because they were later than ``slack``."""
        return 0 if self._slack is None else int(self._slack.late)

    def bounds(self, meaning: Meaning | None) -> Bounds:
        """The bounds, where the time column has this meaning. Raises OptionError for spans that do not fit it."""
        size, step, gap, rows, slack, origin = self._stated
        if rows is not None:
            counts = (self._span("rows", rows, None), self._span("step", rows if step is None else step, None))
            return Bounds("counted", *counts, 0, self._span("slack", slack, meaning, 0))
        whole = self._span("gap" if size is None else "size", gap if size is None else size, meaning)
        apart = whole if step is None else self._span("step", step, meaning)
        shape = "session" if size is None else "tumbling" if apart == whole else "sliding"
        begin = self._span("origin", origin, meaning, 0)
        return Bounds(shape, whole, apart, begin % apart, self._span("slack", slack, meaning, 0))

    @staticmethod
    def _span(name: str, span: Any, meaning: Meaning | None, least: int = 1) -> int:
        try:
            found = whole_span(f"`{name}`", span, meaning)
        except UnfitOptionError as problem:
            raise OptionError(f"{problem}.") from None
        if not least <= found <= MOST_SPAN:
            raise OptionError(f"`{name}` of a window must be from {least} to 2**61 of its column's unit, not {span!r}.")
        return found

    def operators(self, before: Operator, source: Operator) -> list[Operator]:
        """New operators that take what ``before`` emits: the order of time, the windows, and their order.

        What the ``source`` knows of a column holds for those behind it that are called so and have its type.
        """
        schema: Schema = before.schema or ()
        names = [name for name, _ in schema]
        held = getattr(source, "held_columns", None)
        meanings: dict[str, Meaning] = {}
        if held is not None:
            kept = {*schema} & {*(source.schema or ())}
            meanings = {name: held.meanings[name] for name, _ in kept if name in held.meanings}
        bounds = self.bounds(meanings.get(self.time))
        timed = bounds.shape != "counted" or bounds.slack > 0
        for each in (*([self.time] if timed else []), *self.by, *self.inputs):
            if names.count(each) != 1:
                how = "a column" if each not in names else "one column"
                raise OptionError(
                    f"operator window reads {how} {each}, but {before.name} before it emits "
                    f"{', '.join(names) or 'none with a name'}."
                )
        if before.list_column >= 0:
            raise OptionError(f"operator window takes no lists, which {before.name} before it emits.")
        windows = self._windows(bounds, schema, meanings)
        made: list[Operator] = [windows]
        meaning = meanings.get(self.time)
        null = None if meaning is None or meaning.null is None else int(meaning.null.as_py())
        if bounds.slack:
            self._slack = TimeSlack(self.time, bounds.slack, schema, null)
            made.insert(0, self._slack)
        elif timed:
            made.insert(0, TimeOrder(self.time, null))
        if self.by and timed and bounds.shape != "counted":
            emitted = zip(windows.columns, windows.types, strict=True)
            made.append(WindowOrder(len(self.by), tuple((name, np.dtype(type)) for name, type in emitted)))
        for one in made:
            one.name = self.name
        return made

    def _windows(self, bounds: Bounds, schema: Schema, meanings: Mapping[str, Meaning]) -> KeyedWindows | AllWindows:
        names, types = [name for name, _ in schema], dict(schema)
        emitted: dict[str, str] = {START: "int64", END: "int64"}
        for each in self.by:
            self._emit(emitted, {each: types[each].str})
        nulls = {each: null_of(each, types[each], self.nulls, meanings.get(each)) for each in self._numbers(types)}
        inputs = tuple((names.index(each), types[each].kind == "f", nulls[each][0]) for each in self.inputs)
        aggregates = []
        for one in self.aggregates:
            self._refuse_texts(one, meanings.get(one.column or ""))
            place = -1 if one.column is None else self.inputs.index(one.column)
            null = 0 if one.column is None else nulls[one.column][1]
            most = int(one.parameter) if one.function == "top_k" else 0
            own = None if one.own is None else _compiled(one.own, types[one.column or ""].kind == "f")
            aggregates.append((one.kind, place, len(emitted), one.size, most, null, own))
            self._emit(emitted, one.emitted(None if one.column is None else types[one.column]))
        if len(emitted) > MOST_COLUMNS:
            raise OptionError(f"operator window emits {len(emitted)} columns; at most {MOST_COLUMNS} are possible.")
        keys = tuple(names.index(each) for each in self.by)
        timed = bounds.shape != "counted"
        try:
            definition = WindowDefinition(
                bounds.shape, bounds.size, bounds.step, bounds.origin, self.fill,
                names.index(self.time) if timed else -1, keys, tuple(types.values()), inputs, tuple(aggregates),
            )  # fmt: skip
        except ValueError as problem:
            raise OptionError(f"operator window: {problem}.") from None
        reads = {each: types[each].str for each in (*self.by, *self.inputs, *([self.time] if timed else []))}
        kind = KeyedWindows if self.by else AllWindows
        return kind(definition, reads, tuple(emitted), tuple(emitted.values()), self.flush)

    @staticmethod
    def _refuse_texts(aggregate: AggregateColumn, meaning: Meaning | None) -> None:
        """Texts are codes here, which say whether two are equal, and nothing of their order."""
        if meaning is not None and meaning.texts is not None and aggregate.function not in OF_TEXTS:
            raise OptionError(
                f"aggregate {aggregate.name}: column {aggregate.column} holds texts, of which there is no "
                f"{aggregate.function}: take one of {', '.join(OF_TEXTS)}."
            )

    def _numbers(self, types: Mapping[str, np.dtype[Any]]) -> tuple[str, ...]:
        for each in self.inputs:
            if types[each].name not in NUMBERS:
                raise OptionError(
                    f"operator window aggregates column {each} as one of {', '.join(NUMBERS)}, but gets it as "
                    f"{types[each].name}: convert it first."
                )
        return self.inputs

    @staticmethod
    def _emit(emitted: dict[str, str], more: Mapping[str, str]) -> None:
        for name, type in more.items():
            if name in emitted:
                raise OptionError(f"operator window would emit two columns {name}: call an aggregate otherwise.")
            emitted[name] = type


def _compiled(own: OwnAggregate, floating: bool) -> tuple[int, bool, Any]:
    """Words of a state, whether it emits floats, and its functions."""
    from streambench.windows.compiled_aggregate import compiled_aggregate

    return -(-own.state.itemsize // 8), own.emits == "float64", compiled_aggregate(own, floating)


def window(
    aggregates: Mapping[str, Aggregate],
    *,
    time: str = "ts",
    size: Span | None = None,
    step: Span | None = None,
    gap: Span | None = None,
    rows: int | None = None,
    by: str | Sequence[str] = (),
    slack: Span = 0,
    origin: Span = 0,
    nulls: Mapping[str, int] | None = None,
    fill: bool = False,
    flush: bool = True,
) -> Window:
    """An operator that emits windows of the stream: (start, end, the columns of ``by``, the aggregates).

    ``aggregates``: by name ``"count"`` of all tuples, or (function, column), as ``("sum", "amount")``: ``count sum mean
    var min max first last distinct quantile top_k``. ``("quantile", "amount", 0.99)`` lies between the two values next
    to it; ``("top_k", "page", 3)`` is the values that occur most often, of equally frequent ones the lesser, as
    columns ``NAME_1``, ``NAME_1_count``, ...; both ``("distinct", "user", 0.01)`` and ``("top_k", "page", 3, 0.001)``
    take bounded memory, with that error (docs/windows.md); ``("var", "amount", 0)`` divides by n, without the 0 by
    n - 1. What ``streambench.aggregate`` returns may stand in a function's place.

    Windows are [start, end). ``size``: tumbling, from ``origin`` on and before it; with ``step`` one begins at every
    multiple of that, so that windows overlap, or leave gaps. ``gap``: sessions, of tuples that follow each other by
    less; a session ends a gap behind its last tuple. ``rows``: of so many tuples; ``start`` and ``end`` are the
    tuples' numbers. These, and ``slack``, are numbers in the time column's unit or, behind an ``ArrowSource``, texts
    such as ``"5min"``. ``by``: the columns of the key; sessions and counts are then of each key.

    ``time``: a column of integers or times that never decreases; a tuple that goes back is refused. ``slack``: tuples
    that are out of order by as much are put in order, later ones are left out and counted in ``late``. Times are from
    -2**62 to 2**62. A window is emitted before the tuple that is at its end or behind it, of several the one that ends
    first, of equal ends by key: column by column, texts by their codes. Counted windows follow the tuple that completes
    them. ``flush``: at the end of the stream windows that are open are emitted, too.

    ``nulls``: by column the integer that stands for null; NaN is null in floats. Nulls are left out; a count or a sum
    of no value is 0, a mean, variance or quantile NaN, another value null (-1 where ``nulls`` names none). Sums of
    integers are int64 and wrap. ``fill``: emit windows without a tuple, between others, of all tuples.

    Raises OptionError for options that do not fit, here or as the pipeline is built.
    """
    return Window(
        aggregates, time=time, size=size, step=step, gap=gap, rows=rows, by=by, slack=slack, origin=origin, nulls=nulls,
        fill=fill, flush=flush,
    )  # fmt: skip
