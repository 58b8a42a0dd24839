"""Keyed functions that ask to be called at a time of the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.column_types import dtype_of
from streambench.operators.function_operator import DType, Function, KeyedOperator, OperatorGroup
from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.timed_function import HIDDEN_COLUMNS, TimedFunction, TimerOrder
from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.layout import MOST_COLUMNS
from streambench.pyx.tuples.meaning import whole_span
from streambench.pyx.tuples.operator import Operator
from streambench.pyx.tuples.span import Span
from streambench.pyx.windows.time_order import TimeOrder, TimeSlack

NEVER = -(2**63)
"""What the field of the time is at first: it is never due."""


class TimedOperator(KeyedOperator, OperatorGroup):
    """A keyed function with ``on_time``; it becomes the order of time, the function by key, and the order of timers."""

    timer = "timer"
    hidden = len(HIDDEN_COLUMNS)

    def __init__(
        self,
        function: Function,
        key: str | Sequence[str],
        state: DType,
        low_key: int,
        high_key: int,
        *,
        on_time: Function,
        time: str,
        slack: Span,
        timers_at_end: bool,
        initial: Any = None,
        **common: Any,
    ) -> None:
        fields: Any = state.fields or {}
        if self.timer not in fields or fields[self.timer][0].kind != "i":
            raise OptionError(
                f"operator {function.__name__} with on_time= needs a field timer of its state, ('timer', 'int64'), in "
                "which it asks for a time."
            )
        if initial is None or isinstance(initial, Mapping):
            initial = {self.timer: NEVER, **(initial or {})}
        super().__init__(function, key, state, low_key, high_key, initial=initial, **common)
        self.on_time = on_time
        self.time_reads = self.require_flush(on_time, self.key, "on_time")
        if not isinstance(time, str):
            raise OptionError(f"operator {self.name}: time= names a column by a text, not {time!r}.")
        if len(self.written) > MOST_COLUMNS - self.hidden:
            raise OptionError(
                f"operator {self.name} with on_time= emits at most {MOST_COLUMNS - self.hidden} columns, not "
                f"{len(self.written)}."
            )
        self.time, self.slack, self.at_end = time, slack, bool(timers_at_end)
        self._slack: TimeSlack | None = None

    @property
    def late(self) -> int:
        """Tuples that the last pipeline has left out because they were later than ``slack``."""
        return 0 if self._slack is None else int(self._slack.late)

    @property
    def bound(self) -> tuple[str, ...]:
        return (*self.reads, self.time)

    def needed(self) -> tuple[str, ...]:
        return (*super().needed(), self.time)

    def operators(self, before: Operator, source: Operator) -> list[Operator]:
        timed = self.operator(before, source)
        assert isinstance(timed, TimedFunction)
        if before.list_column >= 0:
            raise OptionError(
                f"operator {self.name} with on_time= takes no lists, which {before.name} before it emits."
            )
        schema = tuple(zip(timed.columns, (np.dtype(each) for each in timed.types), strict=True))
        slack = self._whole_slack(before, source)
        self._slack = TimeSlack(self.time, slack, before.schema or ()) if slack else None
        made: list[Operator] = [self._slack or TimeOrder(self.time), timed, TimerOrder(timed.of, schema)]
        for each in made:
            each.name = self.name
        return made

    def _whole_slack(self, before: Operator, source: Operator) -> int:
        held = getattr(source, "held_columns", None)
        of_source = (self.time, dtype_of(before, self.time)) in (source.schema or ())
        meaning = held.meanings.get(self.time) if held is not None and of_source else None
        try:
            return whole_span(f"operator {self.name}: `slack`", self.slack, meaning)
        except UnfitOptionError as problem:
            raise OptionError(f"{problem}.") from None

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        timer = (self.timer, read[-1])
        return self.compile_for(self.name, self.function, self.reads, read[:-1], silent=True, timer=timer)

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        keyed = self.keyed_function(function, compiled, bound, columns, before)
        on_time = self.call_for_keys(self.on_time, "on_time", self.time_reads, before, compiled is not None)
        assert on_time is not None
        place = before.emitted.index(self.time)
        timed = TimedFunction(keyed, on_time, columns, self.types, place, self.at_end)
        timed.low_key, timed.high_key = self.low_key, self.high_key
        return timed
