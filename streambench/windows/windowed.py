"""The windows of a table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from streambench.data.arrow_source import ArrowSource
from streambench.data.arrow_stream import ArrowData
from streambench.errors import DataError
from streambench.execution.pipeline import Pipeline
from streambench.pyx.join.gate_source import LateTuplesWarning
from streambench.pyx.tuples.arrow_columns import arrow_type
from streambench.pyx.tuples.data_types import Nulls
from streambench.pyx.tuples.span import Span
from streambench.pyx.tuples.table_sink import TableSink
from streambench.windows.aggregates import OF_VALUES, Aggregate
from streambench.windows.window import END, START, Bounds, Window

HIDDEN = "streambench.windows "
"""Before the names of columns that a user does not see."""
DAY_MS = 86_400_000


def windowed(
    table: ArrowData,
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
    nulls: Nulls = None,
    fill: bool = False,
    flush: bool = True,
    workers: int | None = None,
) -> pa.Table:
    """The windows of ``table``, whatever an ``ArrowSource`` takes, as a table; its rows are the stream.

    Options are those of ``window``, but ``nulls``, which are an ``ArrowSource``'s. Times, texts and nulls come back as
    the table has them; what is computed of no value is null. Only columns that are used are read. ``workers``: None
    for the library's choice.

    A ``LateTuplesWarning`` says how many tuples were later than ``slack``. Raises OptionError and DataError as
    ``window`` and ``ArrowSource`` do, OperatorError where the time goes back.
    """
    stated: dict[str, Any] = {
        **{"time": time, "size": size, "step": step, "gap": gap, "rows": rows, "by": by, "slack": slack},
        **{"origin": origin, "nulls": None, "fill": fill, "flush": flush},
    }
    asked = Window(aggregates, **stated)
    counted = {each.column or "": f"{HIDDEN}{each.column}" for each in asked.aggregates if each.function in OF_VALUES}
    made = Window({**aggregates, **{name: ("count", column) for column, name in counted.items()}}, **stated)
    timed = rows is None or slack != 0
    used = list(dict.fromkeys((*([time] if timed else []), *made.by, *made.inputs)))
    source = ArrowSource(table, used or None, nulls=nulls)
    sink = TableSink()
    Pipeline([source, made, sink]).run(workers=workers)
    if made.late:
        warnings.warn(
            f"late tuples were left out: {made.late:,}; slack is {slack}, a larger one takes them in",
            LateTuplesWarning,
            stacklevel=2,
        )
    computed = {each.name: math.nan for each in made.aggregates if each.function in ("mean", "var", "quantile")}
    found = _without_values(sink.to_arrow(nulls=computed or None), asked, counted)
    names = {out: each.column for each in asked.aggregates if each.column for out in each.values_of()}
    meaning = None if rows is not None else source.held_columns.meanings[time]
    if meaning is not None and meaning.is_time:
        held = arrow_type(dict(source.schema or ())[time])
        if _splits_days(meaning.type, made.bounds(meaning)):
            held = pa.timestamp("ms")
        else:
            names |= {START: time, END: time}
        for name in (START, END):
            place = found.column_names.index(name)
            try:
                found = found.set_column(place, name, found.column(name).cast(held))
            except pa.ArrowInvalid:
                raise DataError(
                    f"a bound of a window is beyond what column {time} can hold: convert it first."
                ) from None
    # What is computed is not the source's, though it be called so and have its type.
    own = [name if name in names or name in made.by else f"{HIDDEN}{name}" for name in found.column_names]
    return source.restore(found.rename_columns(own), names).rename_columns(found.column_names)


def _splits_days(type: pa.DataType, bounds: Bounds) -> bool:
    """Whether bounds may be times within a day, which dates of milliseconds do not show."""
    return bool(pa.types.is_date64(type)) and any(span % DAY_MS for span in (bounds.size, bounds.step, bounds.origin))


def _without_values(table: pa.Table, asked: Window, counted: Mapping[str, str]) -> pa.Table:
    """``table`` with nulls where an aggregate had no value, and without the counts that tell it."""
    import pyarrow.compute as pc

    for each in asked.aggregates:
        for name in each.values_of():
            count = table.column(f"{name}_count" if each.function == "top_k" else counted[each.column or ""])
            place = table.column_names.index(name)
            column = table.column(name)
            table = table.set_column(
                place, name, pc.if_else(pc.greater(count, 0), column, pa.scalar(None, column.type))
            )
    return table.drop_columns(list(counted.values()))
