"""What the decorators make of a function: it may stand in pipelines, each of which gets an operator of its own."""

from __future__ import annotations

import functools
import importlib.util
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.column_types import dtype_of, emitted_dtype, wide, with_attributes
from streambench.operators.fusible import Fusible
from streambench.operators.plain_calls import Named, call_with_columns, call_with_values
from streambench.operators.plain_names import plain
from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.keyed_operator import KeyedFunction
from streambench.pyx.functions.unit_operators import StatefulFunction, StatelessFunction
from streambench.pyx.tuples.operator import Operator, SchemaError

if TYPE_CHECKING:
    from streambench.pyx.tuples.operator import Schema

Function = Callable[..., object]
DType = np.dtype[Any]
Names = str | Sequence[str] | Mapping[str, str]


class OperatorGroup(ABC):
    """What may stand in pipelines as one operator, and becomes several."""

    @abstractmethod
    def operators(self, before: Operator) -> list[Operator]:
        """New operators that take what ``before`` emits. Raises OptionError where they do not fit it."""


class FunctionOperator(ABC):
    """A function that may stand in a pipeline. Called, it is the function still: a test can call it with arrays.

    ``emits`` or ``appends``: the columns that it writes: their names, and then all are int64, or each name with its
    type. ``reads``: those that it is given; None: its parameters are called as they are. ``state``: see
    ``record_type``; None: there is none. ``numba``: True: compiled by Numba; False: called as it is, under the GIL;
    None: compiled where Numba is installed.
    """

    def __init__(
        self,
        function: Function,
        *,
        emits: Names,
        appends: Names,
        reads: Names | None,
        state: DType | None,
        numba: bool | None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self.in_place = bool(appends)
        self.written = _names(appends or emits)
        self.types = tuple(emitted_dtype(self.name, each, appends or emits) for each in self.written)
        if bool(emits) == bool(appends):
            raise OptionError(f"operator {self.name} needs either emits=, its columns, or appends=, those it adds.")
        self.state = state
        self.reads = self._read(None if reads is None else _names(reads))
        self.compiles = numba is not False and importlib.util.find_spec("numba") is not None
        if numba and not self.compiles:
            raise OptionError(
                f"operator {self.name} asks for Numba, which is not installed: pip install 'streambench[numba]', or "
                "leave numba out."
            )
        self._compiled: dict[tuple[tuple[DType, ...], tuple[DType, ...]], Any] = {}

    writes_arrays = True
    """Its last parameters are those that it writes to; otherwise it returns what it emits."""

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.function(*values, **named)

    def _read(self, reads: tuple[str, ...] | None) -> tuple[str, ...]:
        """The columns that the function is given, by its parameters."""
        parameters = list(inspect.signature(self.function).parameters.values())
        plain = all(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters)
        leading = 0 if self.state is None else 1
        closing = len(self.written) if self.writes_arrays else 0
        names = tuple(each.name for each in parameters[leading : len(parameters) - closing])
        if not plain or not names or len(parameters) < leading + closing or len(reads or names) != len(names):
            needed = ["the state"] if leading else []
            needed.append(f"{len(reads)} columns to read ({', '.join(reads)})" if reads else "the columns to read")
            needed += [f"{closing} to write ({', '.join(self.written)})"] if closing else []
            present = ", ".join(each.name for each in parameters) or "none"
            raise OptionError(f"operator {self.name} needs as parameters {', '.join(needed)}, but has {present}.")
        return reads or names

    def operator(self, before: Operator) -> Operator:
        """A new operator that takes what ``before`` emits. Raises OptionError where the two do not fit."""
        for each in self.needed():
            if each not in before.emitted:
                raise OptionError(
                    f"operator {self.name} reads a column {each}, but {before.name} before it emits "
                    f"{', '.join(before.emitted) or 'none with a name'}."
                )
        columns = (*before.emitted, *self.written) if self.in_place else self.written
        if len(set(columns)) < len(columns):
            raise OptionError(f"operator {self.name} emits {', '.join(columns)}: two columns cannot have one name.")
        read = tuple(dtype_of(before, each) for each in self.reads)
        written = self.types
        try:
            places = tuple(before.emitted.index(each) for each in self.reads)
            bound = BoundColumns(places, read, len(columns) - len(written), written)
        except ValueError as error:
            raise OptionError(f"operator {self.name}: {error}.") from None
        called = self.call(
            plain(self.name, self.function), self._named(self.reads, read), self._named(self.written, written)
        )
        if self.compiles and (read, written) not in self._compiled:
            self._compiled[read, written] = self.compile(read, written)
        operator = self.make(called, self._compiled.get((read, written)), bound, self.written, before)
        operator.name = self.name
        operator.reads = {each: dtype_of(before, each).str for each in self.needed()}
        operator.types = self.types
        if self.in_place:
            operator.list_column = before.list_column
        return operator

    def needed(self) -> tuple[str, ...]:
        """The columns that must be there."""
        return self.reads

    @staticmethod
    def _named(names: tuple[str, ...], types: tuple[DType, ...]) -> list[tuple[str, DType]]:
        return list(zip(names, types, strict=True))

    @abstractmethod
    def call(self, function: Function, read: Named, written: Named) -> Function:
        """What Python calls, around a function of `plain`; it also says why a compiled one refuses a tuple."""

    @abstractmethod
    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        """What Numba makes of the function for columns of these types."""

    @abstractmethod
    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        """An operator, not named yet."""


class UnitOperator(FunctionOperator):
    """Stateless or stateful, around a function of the columns of consecutive tuples."""

    def __init__(self, function: Function, most: int, **common: Any) -> None:
        super().__init__(function, **common)
        self.most = most
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 1024:
            raise OptionError(f"operator {self.name}: most must be a number of outputs from 1 to 1024, not {most!r}.")
        if self.in_place and most > 1:
            raise OptionError(f"operator {self.name} appends to each tuple, so most can only be 1, not {most}.")

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        from streambench.operators.compiling import compile_unit

        return compile_unit(self.name, self.function, self.state, (*self.reads, *self.written), read, written)

    def call(self, function: Function, read: Named, written: Named) -> Function:
        return call_with_columns(function, read, written, with_state=self.state is not None)

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        if self.state is None:
            return StatelessFunction(function, compiled, bound, columns, self.in_place, self.most)
        return StatefulFunction(
            function, compiled, bound, columns, self.in_place, self.most, with_attributes(wide(self.state))
        )


class KeyedOperator(FunctionOperator):
    """Partitioned stateful, around a function of a tuple and its key's state."""

    writes_arrays = False

    def __init__(
        self, function: Function, key: str | Sequence[str], state: DType, low_key: int, high_key: int, **common: Any
    ) -> None:
        super().__init__(function, state=state, **common)
        self.record = state
        self.key, self.low_key, self.high_key = _names(key), low_key, high_key
        if not self.key or len(set(self.key)) < len(self.key):
            raise OptionError(f"operator {self.name}: key names the column of the key, or several, each once.")

    def needed(self) -> tuple[str, ...]:
        return (*self.key, *self.reads)

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        from streambench.operators.compiling import compile_tuples

        return compile_tuples(
            self.name, self.function, self.record, self.reads, read, self.written, written, self.in_place
        )

    def call(self, function: Function, read: Named, written: Named) -> Function:
        return call_with_values(function, read, written, with_state=True, in_place=self.in_place)

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        types = [dtype_of(before, each) for each in self.key]
        by_bits = len(types) > 1 or types[0].kind not in "iub"
        if by_bits and (self.low_key or self.high_key):
            raise OptionError(
                f"operator {self.name}: low_key and high_key are of a key that is one column of integers, not "
                f"{', '.join(f'{c} {t.name}' for c, t in zip(self.key, types, strict=True))}."
            )
        keys = tuple((before.emitted.index(c), t.itemsize) for c, t in zip(self.key, types, strict=True))
        state = with_attributes(wide(self.record))
        operator = KeyedFunction(function, compiled, bound, columns, self.in_place, keys, by_bits, state)
        operator.low_key, operator.high_key = self.low_key, self.high_key
        if compiled is not None and not by_bits:
            from streambench.operators.tuple_loop import Keyed, Step

            keyed = Keyed(self.key[0], types[0], self.record, operator.row_size)
            read = tuple(dtype_of(before, each) for each in self.reads)
            step = Step(self.name, self.function, self.reads, read, self.written, self.types, self.in_place, keyed)
            operator.fusible = Fusible(step, before)
        return operator


def bind(operators: Sequence[Any]) -> list[Any]:
    """The operators, with one for each function in their place, each bound to the schema of the one before it.

    Raises OptionError where one does not get what it reads.
    """
    bound: list[Any] = []
    schema: Schema = ()
    for place, each in enumerate(operators):
        if isinstance(each, FunctionOperator) and bound and isinstance(bound[-1], Operator):
            each = each.operator(bound[-1])
        group = isinstance(each, OperatorGroup) and bound and isinstance(bound[-1], Operator)
        for one in each.operators(bound[-1]) if group else [each]:
            if isinstance(one, Operator):
                try:
                    schema = one.bind(schema)
                except SchemaError as error:
                    raise OptionError(f"operator {place} of the pipeline does not fit: {error}.") from None
            bound.append(one)
    return bound


def _names(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
