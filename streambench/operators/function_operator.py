"""What the decorators make of a function: it may stand in pipelines, each of which gets an operator of its own."""

from __future__ import annotations

import functools
import importlib.util
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.column_types import dtype_of, emitted_dtype, initial_state
from streambench.operators.fusible import Fusible
from streambench.operators.plain_calls import Named, call_with_columns, call_with_rooms, call_with_values, counted
from streambench.operators.plain_names import plain
from streambench.operators.text_values import require_texts, with_texts
from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.keyed_operator import KeyCall, KeyedFunction
from streambench.pyx.functions.unit_operators import StatefulFunction, StatelessFunction
from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.operator import Operator, SchemaError
from streambench.pyx.tuples.whole_number import whole_number

if TYPE_CHECKING:
    from streambench.pyx.tuples.operator import Schema

Function = Callable[..., object]
DType = np.dtype[Any]
BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
Initial = Mapping[str, Any] | None
Names = str | Sequence[str] | Mapping[str, str]


class OperatorGroup(ABC):
    """What may stand in pipelines as one operator, and becomes several."""

    @abstractmethod
    def operators(self, before: Operator, source: Operator) -> list[Operator]:
        """New operators that take what ``before`` emits, in a pipeline of this ``source``. Raises OptionError where
        they do not fit it."""


class FunctionOperator(ABC):
    """A function that may stand in a pipeline. Called, it is the function still: a test can call it with arrays.

    ``emits`` or ``appends``: the columns that it writes: their names, and then all are int64, or each name with its
    type. ``reads``: those that it is given; None: its parameters are called as they are. ``state``: see
    ``record_type``; None: there is none. ``numba``: True: compiled by Numba; False: called as it is, under the GIL;
    None: compiled where Numba is installed. ``texts``: columns of codes that it is given as the texts that these stand
    for, of which it is not compiled.
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
        texts: Names = (),
    ) -> None:
        if not callable(function):
            raise OptionError(f"an operator is made around a function, not around {function!r}.")
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self.in_place = bool(appends)
        self.written = _names(self.name, "appends" if appends else "emits", appends or emits)
        self.types = tuple(emitted_dtype(self.name, each, appends or emits) for each in self.written)
        if bool(emits) == bool(appends):
            raise OptionError(f"operator {self.name} needs either emits=, its columns, or appends=, those it adds.")
        self.state = state
        self.reads = self._read(None if reads is None else _names(self.name, "reads", reads))
        self.texts = _names(self.name, "texts", texts)
        if not set(self.texts) <= set(self.reads):
            raise OptionError(
                f"operator {self.name}: texts= names {', '.join(self.texts)}, but the function reads "
                f"{', '.join(self.reads)}."
            )
        if self.texts and numba:
            raise OptionError(f"operator {self.name}: Numba has no texts: leave texts= out, or numba=True.")
        self.compiles = not self.texts and numba is not False and importlib.util.find_spec("numba") is not None
        if numba and not self.compiles:
            raise OptionError(
                f"operator {self.name} asks for Numba, which is not installed: pip install 'streambench[numba]', or "
                "leave numba out."
            )
        self._compiled: dict[Any, Any] = {}  # by types

    writes_arrays: bool = True
    """Its last parameters are those that it writes to; otherwise it returns what it emits."""

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.function(*values, **named)

    def _read(self, reads: tuple[str, ...] | None) -> tuple[str, ...]:
        """The columns that the function is given, by its parameters."""
        parameters = list(inspect.signature(self.function).parameters.values())
        plain = all(each.kind in BY_PLACE for each in parameters)
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

    def outputs(self, most: int) -> int:
        """``most``, if a tuple may become so many. Raises OptionError."""
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 1024:
            raise OptionError(f"operator {self.name}: most must be a number of outputs from 1 to 1024, not {most!r}.")
        if self.in_place and most > 1:
            raise OptionError(f"operator {self.name} appends to each tuple, so most can only be 1, not {most}.")
        return most

    def require_flush(self, flush: Function | None, key: tuple[str, ...], option: str = "flush") -> tuple[str, ...]:
        """The columns of the key that ``flush`` is given, by its parameters. Raises OptionError for others."""
        if flush is None:
            return ()
        if self.in_place:
            raise OptionError(
                f"operator {self.name}: {option}= emits tuples of its own: give emits= in place of appends=."
            )
        if not callable(flush):
            raise OptionError(f"operator {self.name}: {option}= is a function, not {flush!r}.")
        parameters = inspect.signature(flush).parameters
        names = list(parameters)
        by_place = all(each.kind in BY_PLACE for each in parameters.values())
        end = len(names) - (len(self.written) if self.writes_arrays else 0)
        if not by_place or end < 1 or not set(names[1:end]) <= set(key):
            needed = ["the state", *([f"columns of the key ({', '.join(key)})"] if key else [])]
            needed += [f"{len(self.written)} to write ({', '.join(self.written)})"] if self.writes_arrays else []
            raise OptionError(
                f"operator {self.name}: {option}= needs as parameters {', '.join(needed)}, but has "
                f"{', '.join(names) or 'none'}."
            )
        return tuple(names[1:end])

    def operator(self, before: Operator, source: Operator) -> Operator:
        """A new operator that takes what ``before`` emits of the stream of ``source``.

        Raises OptionError where they do not fit.
        """
        for each in self.needed():
            if each not in before.emitted:
                raise OptionError(
                    f"operator {self.name} reads a column {each}, but {before.name} before it emits "
                    f"{', '.join(before.emitted) or 'none with a name'}."
                )
        if before.list_column >= 0 and before.emitted[before.list_column] in self.needed():
            raise OptionError(
                f"operator {self.name} reads column {before.emitted[before.list_column]}, which holds lists, and a "
                "function has numbers: put an operator in Cython between that takes the lists apart."
            )
        columns = (*before.emitted, *self.written) if self.in_place else self.written
        if len(set(columns)) < len(columns):
            raise OptionError(f"operator {self.name} emits {', '.join(columns)}: two columns cannot have one name.")
        read = tuple(dtype_of(before, each) for each in self.bound)
        written = self.types
        first = len(columns) - len(written) + self.hidden
        try:
            places = tuple(before.emitted.index(each) for each in self.bound)
            bound = BoundColumns(places, read, first, written)
        except ValueError as error:
            raise OptionError(f"operator {self.name}: {error}.") from None
        require_texts(self.name, self.texts, before, source)
        leading = 0 if self.state is None else 1
        function = with_texts(plain(self.name, self.function), leading, self.reads, self.texts, source)
        named = self._named(self.reads, read[: len(self.reads)])
        called = self.call(function, named, self._named(self.written, written))
        compiled = self._once((read, written), lambda: self.compile(read, written), self.compiles)
        operator = self.make(called, compiled, bound, self.written, before)
        operator.name = self.name
        operator.reads = {each: dtype_of(before, each).str for each in self.needed()}
        operator.types = operator.types or self.types
        if self.in_place:
            operator.list_column = before.list_column
        return operator

    def _once(self, types: Any, compile: Callable[[], Any], compiles: bool) -> Any:
        """What ``compile`` returns, of the first call for these types; None where the function is not compiled."""
        if compiles and types not in self._compiled:
            self._compiled[types] = compile()
        return self._compiled.get(types)

    hidden: int = 0
    """Columns that the operator emits in front of those that the function writes."""

    @property
    def bound(self) -> tuple[str, ...]:
        """The columns that the operator looks at for the function."""
        return self.reads

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

    def __init__(
        self, function: Function, most: int, initial: Initial = None, flush: Function | None = None, **common: Any
    ) -> None:
        super().__init__(function, **common)
        self.most = self.outputs(most)
        self.flush = flush
        if self.state is not None:
            self.initial = initial_state(self.name, self.state, initial)
        self.require_flush(flush, ())

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
            function, compiled, bound, columns, self.in_place, self.most, self.initial, last=self._last(compiled)
        )

    def _last(self, compiled: Any) -> tuple[Function, Any, BoundColumns] | None:
        flush = self.flush
        if flush is None:
            return None
        called = call_with_columns(
            counted(plain(self.name, flush)), (), self._named(self.written, self.types), with_state=True
        )

        def compile_last() -> Any:
            from streambench.operators.compiling import compile_unit

            return compile_unit(f"{self.name} (flush=)", flush, self.state, self.written, (), self.types, counted=True)

        last = self._once("flush", compile_last, compiled is not None)
        return called, last, BoundColumns((), (), 0, self.types)


class KeyedOperator(FunctionOperator):
    """Partitioned stateful, around a function of a tuple and its key's state."""

    timer: str | None = None
    """The field of the state in which the function asks for a time."""

    def __init__(
        self,
        function: Function,
        key: str | Sequence[str],
        state: DType,
        low_key: int,
        high_key: int,
        *,
        most: int = 1,
        initial: Initial = None,
        flush: Function | None = None,
        **common: Any,
    ) -> None:
        self.writes_arrays = isinstance(most, int) and most > 1
        super().__init__(function, state=state, **common)
        self.most = self.outputs(most)
        self.record = state
        self.initial = initial_state(self.name, state, initial)
        self.key = _names(self.name, "key", key if isinstance(key, str | Sequence) else ())
        self.low_key = self._key_bound("low_key", low_key)
        self.high_key = self._key_bound("high_key", high_key)
        if not self.key or len(set(self.key)) < len(self.key):
            raise OptionError(f"operator {self.name}: key names the column of the key, or several, each once.")
        self.flush = flush
        self.last_reads = self.require_flush(flush, self.key)

    def _key_bound(self, option: str, value: int) -> int:
        try:
            return whole_number(f"operator {self.name}: `{option}`", value)
        except UnfitOptionError as problem:
            raise OptionError(f"{problem}.") from None

    def needed(self) -> tuple[str, ...]:
        return (*self.key, *self.reads)

    def compile(self, read: tuple[DType, ...], written: tuple[DType, ...]) -> Any:
        return self.compile_for(self.name, self.function, self.reads, read, silent=self.flush is not None)

    def call(self, function: Function, read: Named, written: Named) -> Function:
        if self.most > 1:
            return call_with_rooms(function, read, written, self.most)
        return call_with_values(function, read, written, with_state=True, in_place=self.in_place)

    def make(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> Operator:
        return self.keyed_function(function, compiled, bound, columns, before)

    def keyed_function(
        self, function: Function, compiled: Any, bound: BoundColumns, columns: tuple[str, ...], before: Operator
    ) -> KeyedFunction:
        """The operator by key, not named yet."""
        keys = tuple((before.emitted.index(each), dtype_of(before, each)) for each in self.key)
        one_integer = len(keys) == 1 and keys[0][1].kind in "iub"
        if not one_integer and (self.low_key or self.high_key):
            raise OptionError(
                f"operator {self.name}: low_key and high_key are of a key that is one column of integers, not "
                f"{', '.join(f'{name} {type.name}' for name, (_, type) in zip(self.key, keys, strict=True))}."
            )
        last = self.call_for_keys(self.flush, "flush", self.last_reads, before, compiled is not None)
        operator = KeyedFunction(
            function, compiled, bound, columns, self.in_place, keys, self.initial, most=self.most, last=last,
            timer=self.timer,
        )  # fmt: skip
        operator.low_key, operator.high_key = self.low_key, self.high_key
        at_zero = last is None and not any(self.initial.tobytes())
        if compiled is not None and one_integer and at_zero and self.most == 1:
            from streambench.operators.tuple_loop import Keyed, Step

            keyed = Keyed(self.key[0], keys[0][1], self.record, operator.row_size)
            read = tuple(dtype_of(before, each) for each in self.reads)
            step = Step(self.name, self.function, self.reads, read, self.written, self.types, self.in_place, keyed)
            operator.fusible = Fusible(step, before)
        return operator

    def compile_for(
        self, name: str, function: Function, reads: tuple[str, ...], read: tuple[DType, ...], **options: Any
    ) -> Any:
        """What Numba makes of a function of a state and of columns."""
        from streambench.operators.compiling import compile_tuples

        columns = (reads, read, self.written, self.types)
        return compile_tuples(name, function, self.record, *columns, self.in_place, self.most, **options)

    def call_for_keys(
        self, function: Function | None, option: str, reads: tuple[str, ...], before: Operator, compiles: bool
    ) -> KeyCall | None:
        """What calls the function of an option with states and these columns of their keys."""
        if function is None:
            return None
        read = tuple(dtype_of(before, each) for each in reads)
        called = self.call(plain(self.name, function), self._named(reads, read), self._named(self.written, self.types))
        name = f"{self.name} ({option}=)"
        silent = option == "on_time"
        compiled = self._once(
            (option, read), lambda: self.compile_for(name, function, reads, read, silent=silent), compiles
        )
        return KeyCall(called, compiled, tuple(self.key.index(each) for each in reads))


def bind(operators: Sequence[Any]) -> list[Any]:
    """The operators, with one for each function in their place, each bound to the schema of the one before it.

    Raises OptionError where one does not get what it reads.
    """
    bound: list[Any] = []
    schema: Schema = ()
    for place, each in enumerate(operators):
        behind = bool(bound) and isinstance(bound[-1], Operator)
        group = isinstance(each, OperatorGroup) and behind
        if isinstance(each, FunctionOperator) and behind and not group:
            each = each.operator(bound[-1], bound[0])
        for one in each.operators(bound[-1], bound[0]) if group else [each]:
            if isinstance(one, Operator):
                try:
                    schema = one.bind(schema)
                except SchemaError as error:
                    raise OptionError(f"operator {place} of the pipeline does not fit: {error}.") from None
            bound.append(one)
    return bound


def _names(name: str, option: str, names: object) -> tuple[str, ...]:
    """The names of columns that an option of operator ``name`` gives. Raises OptionError for anything else."""
    listed = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, Iterable) else (names,)
    if not all(isinstance(each, str) for each in listed):
        raise OptionError(f"operator {name}: {option}= names columns by texts, as one name or a list, not {names!r}.")
    return listed
