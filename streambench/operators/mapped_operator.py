"""Stateless operators around a function of a tuple: neighbours that Numba compiles are one loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streambench.operators.function_operator import Function, FunctionOperator
from streambench.operators.fusible import Fusible
from streambench.operators.plain_calls import Named, call_with_values
from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.unit_operators import StatelessFunction
from streambench.pyx.functions.values import write_values
from streambench.pyx.tuples.operator import Operator

DType = np.dtype[Any]


class MappedOperator(FunctionOperator):
    """Stateless, around a function of a tuple's values, which returns those to emit."""

    writes_arrays = False

    def __init__(self, function: Function, **common: Any) -> None:
        super().__init__(function, state=None, **common)

    def step(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        """The function for columns of these types, for a loop."""
        from streambench.operators.tuple_loop import Step

        return Step(self.name, self.function, self.reads, read, self.written, written, self.in_place)

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        from streambench.operators.tuple_loop import compile_loop

        return compile_loop((self.step(read, written),)).entry

    def call(self, function: Function, read: Named, written: Named) -> Function:
        called = call_with_values(function, read, written, with_state=False, in_place=self.in_place)
        return tuple_by_tuple(called, len(read))

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        operator = StatelessFunction(function, compiled, bound, columns, self.in_place, 1, whole=True)
        if compiled is None:
            return operator
        types = dict(before.schema or ())
        operator.fusible = Fusible(self.step(tuple(types[each] for each in self.reads), self.types), before)
        return operator


def tuple_by_tuple(function: Function, reads: int) -> Callable[..., int]:
    """``function``, of the values of a tuple, as one of ``reads`` columns and those it writes."""

    def called(*columns: Any) -> int:
        emitted = 0
        for values_read in zip(*(each.tolist() for each in columns[:reads]), strict=True):
            values = function(*values_read)
            if values is not None:
                write_values(values, columns[reads:], emitted)
                emitted += 1
        return emitted

    return called
