"""Filters around a function of a tuple: they keep whole tuples, whatever columns these have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.function_operator import Function, Names
from streambench.operators.mapped_operator import MappedOperator, tuple_by_tuple
from streambench.operators.plain_calls import Named, call_with_values
from streambench.operators.scalars import Flag
from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.unit_operators import FilterFunction
from streambench.pyx.tuples.operator import Operator

DType = np.dtype[Any]
WANTED = "a filter returns True or False, as a comparison does"


class FilteredOperator(MappedOperator):
    """Stateless, around a function of a tuple's values, which returns whether to keep the tuple."""

    def __init__(self, function: Function, *, reads: Names | None, texts: Names, numba: bool | None) -> None:
        super().__init__(function, emits={"kept": "bool"}, appends=(), reads=reads, texts=texts, numba=numba)

    def operator(self, before: Operator, source: Operator) -> Operator:
        made = super().operator(before, source)
        made.types = tuple(type for _, type in before.schema or ())
        made.list_column = before.list_column
        return made

    def step(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        return super().step(read, written)._replace(in_place=True)

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        from streambench.operators.tuple_loop import returned_type

        returned = returned_type(self.step(read, written))
        if returned != "bool":
            raise OptionError(f"operator {self.name} returns {returned}, as Numba has it: {WANTED}.")
        return super().compile(read, written)

    def call(self, function: Function, read: Named, written: Named) -> Function:
        called = call_with_values(_answers(function), read, written, with_state=False, in_place=True)
        return tuple_by_tuple(called, len(read))

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        return FilterFunction(function, compiled, bound, before.emitted)


def _answers(function: Function) -> Callable[..., Any]:
    def answer(*given: Any) -> Any:
        kept = function(*given)
        if not isinstance(kept, bool | np.bool_ | Flag):
            raise TypeError(f"it returned {kept!r}: {WANTED}")
        return kept

    return answer
