"""What the values of a source's column mean: units of time, texts by their codes, the value that stands for null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as is_

from streambench.pyx.tuples.arrow_columns import arrow_type
from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.sentinels import is_nan
from streambench.pyx.tuples.span import span_in, unit_of

TIMES = (is_.is_timestamp, is_.is_date, is_.is_time, is_.is_duration)


class Meaning(NamedTuple):
    """``type``: Arrow's, of the data. ``texts``: the type of the values that codes stand for, however laid out;
    None: the column holds no codes. ``null``: what stands for null; None: the column has no nulls."""

    type: pa.DataType
    texts: pa.DataType | None = None
    null: pa.Scalar | None = None

    @property
    def is_time(self) -> bool:
        """Whether integers count a unit of time."""
        return is_time(self.type)

    def agrees(self, other: Meaning) -> bool:
        """Whether equal values of the two are equal in the data; of codes, the values that they stand for."""
        return bool(self.type == other.type if self.texts is None else self.texts == other.texts)

    @property
    def null_shown(self) -> str:
        """What stands for null, in words."""
        return "nothing" if self.null is None else repr(self.null.as_py())

    def same_null(self, other: Meaning) -> bool:
        """Whether one value stands for null in both, or none in either."""
        if self.null is None or other.null is None or self.texts is not None:
            return self.texts is not None or self.null is other.null
        return bool(self.null == other.null) or (is_nan(self.null) and is_nan(other.null))


def is_time(type: pa.DataType) -> bool:
    """Whether values of Arrow's ``type`` are dates, times or durations."""
    return any(each(type) for each in TIMES)


def whole_span(name: str, span: Any, meaning: Meaning | None) -> int:
    """``span`` in the unit of the column with that meaning; of None, a number without a unit.

    Raises UnfitOptionError, which calls the option ``name``, as ``span_in``.
    """
    try:
        return span_in(None if meaning is None else unit_of(meaning.type), span, name)
    except ValueError as problem:
        raise UnfitOptionError(str(problem)) from None


def meanings_of(source: Any) -> Mapping[str, Meaning]:
    """By column what a bound source emits; of one that says nothing of it, plain numbers and bytes."""
    held = getattr(source, "held_columns", None)
    known = {} if held is None else held.meanings
    return {name: known.get(name) or Meaning(arrow_type(type)) for name, type in source.schema}
