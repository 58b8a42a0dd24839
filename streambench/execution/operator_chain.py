"""Operators in order: source, operators, sink."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from streambench.data.arrow_source import ArrowSource
from streambench.data.arrow_stream import is_arrow
from streambench.errors import OptionError
from streambench.operators.function_operator import bind
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.operator import Operator, PartitionedStateful, Sink, Source, Stateful, Stateless
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.tap import Tap
from streambench.pyx.tuples.unit import MAX_OPERATORS

BASES = (Operator, Stateless, PartitionedStateful, Stateful, Source, Sink)
WITHOUT_THE_GIL = ("process", "select_keys", "share", "flush", "claim", "fill")


class OperatorChain:
    """What an engine runs. Of whoever builds one it is a ``Pipeline``."""

    def __init__(self, operators: Sequence[object]) -> None:
        self.operators = bind([*(_source(each) for each in operators[:1]), *operators[1:]])
        self.used = False
        self.key_samples: dict[int, Any] = {}
        """By an operator's place (the source is 0) keys of the stream as they reach it, for partitions by quantile."""
        if len(self.operators) < 2 or not isinstance(self.operators[0], Source):
            raise OptionError("a pipeline starts with a Source and ends with a Sink: give at least these two.")
        if not isinstance(self.operators[-1], Sink):
            raise OptionError(f"a pipeline ends with a Sink, not with {_kind(self.operators[-1])}.")
        if len(self.operators) > MAX_OPERATORS:
            raise OptionError(f"a pipeline has at most {MAX_OPERATORS} operators, not {len(self.operators)}.")
        for place, each in enumerate(self.operators[1:-1], start=1):
            if isinstance(each, Sink) or not isinstance(each, (Stateless, PartitionedStateful, Stateful)):
                hint = (
                    f"write a decorator above {each.__name__}, such as @streambench.mapped(emits=...)"
                    if isinstance(each, types.FunctionType)
                    else "between source and sink only Stateless, PartitionedStateful and Stateful ones can stand"
                )
                raise OptionError(f"operator {place} of the pipeline is {_kind(each)}: {hint}.")
        for place, each in enumerate(self.operators):
            _require_compiled(place, each)
            if isinstance(each, Tap):
                _require_compiled(place, each.sink)
        for place, each in enumerate(self.operators):
            sink = each.sink if isinstance(each, Tap) else each
            if isinstance(sink, (TableSink, BatchSink)) and self.operators[place - 1].list_column >= 0:
                raise OptionError(
                    f"{_kind(sink)} keeps fixed-width tuples, but {_kind(self.operators[place - 1])} emits lists: put "
                    "an operator between them that takes the lists apart."
                )
        for sink in self.batch_sinks:
            sink.restorer = getattr(self.source, "restore", None)

    @property
    def source(self) -> Any:
        """The first operator."""
        return self.operators[0]

    @property
    def sink(self) -> Any:
        """The last operator."""
        return self.operators[-1]

    @property
    def all_operators(self) -> list[Operator]:
        """The operators, and the sinks of taps."""
        return [*self.operators, *(each.sink for each in self.operators if isinstance(each, Tap))]

    @property
    def batch_sinks(self) -> list[BatchSink]:
        """The sinks that are given batches, those of taps first."""
        sinks = [*(each.sink for each in self.operators if isinstance(each, Tap)), self.sink]
        return [each for each in sinks if isinstance(each, BatchSink)]


def _source(first: Any) -> Any:
    return ArrowSource(first) if not isinstance(first, Operator) and is_arrow(first) else first


def _require_compiled(place: int, operator: Any) -> None:
    """Refuse what would do nothing: the runtime calls an operator's methods without the GIL, so only compiled ones.

    A Python class may still add attributes, ``__init__`` or ``open`` to an operator that is complete without it.
    """
    what = f"operator {place} of the pipeline is {_kind(operator)}"
    compiled = [cls for cls in type(operator).__mro__ if "__pyx_vtable__" in vars(cls)]
    for cls in type(operator).__mro__:
        if cls in compiled:
            continue
        for name in WITHOUT_THE_GIL:
            if name in vars(cls):
                raise OptionError(
                    f"{what} with {name} in Python, which the runtime never calls: write it in Cython, as a cdef class."
                )
    if compiled[0] in BASES:
        raise OptionError(f"{what}, which processes nothing: extend {compiled[0].__name__} in Cython, as a cdef class.")


def _kind(operator: Any) -> str:
    return f"a {type(operator).__name__}"
