"""Calls of a function by Python: columns become values as functions have them, and what they give becomes columns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from streambench.operators.column_types import bounds, wide
from streambench.operators.scalars import MOST, Flag, Float, Integer, scalar
from streambench.pyx.tuples.whole_number import is_whole_number

Function = Callable[..., Any]
DType = np.dtype[Any]
Named = Sequence[tuple[str, DType]]


SUMS = frozenset((np.add, np.subtract, np.multiply))
FLAGS = "two arrays of truth values have no sum, difference or product: convert one by astype(np.int64)"
COUNTING = frozenset(
    (np.negative, np.positive, np.absolute, np.floor_divide, np.remainder, np.power, np.left_shift, np.right_shift)
)
"""What of arrays of truth values makes integers."""


def _in_place(operate: Callable[[Any, Any], Any]) -> Any:
    """Of `scalars` NumPy would make another array, and the one that the function has would stay as it is."""

    def assigned(self: Any, other: Any) -> Any:
        self[:] = operate(self, other)
        return self

    return assigned


class Column(np.ndarray[Any, Any]):
    """An array whose elements are `scalars`, and that takes no floating point numbers for integers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [each.view(np.ndarray) if isinstance(each, Column) else each for each in inputs]
        if (
            ufunc in SUMS
            and method == "__call__"
            and all(getattr(each, "dtype", None) == np.bool_ for each in arrays[:2])
        ):
            raise TypeError(FLAGS)
        if ufunc in COUNTING and method == "__call__":
            arrays = [each.astype(np.int64) if getattr(each, "dtype", None) == np.bool_ else each for each in arrays]
        if "out" in options:
            options["out"] = tuple(each.view(np.ndarray) for each in options["out"])
        result = getattr(ufunc, method)(*arrays, **options)
        return result.view(Column) if isinstance(result, np.ndarray) else scalar(result)

    def __getitem__(self, place: Any) -> Any:
        return scalar(super().__getitem__(place))

    def __iter__(self) -> Any:
        return map(scalar, super().__iter__())

    __iadd__, __isub__, __imul__ = _in_place(operator.add), _in_place(operator.sub), _in_place(operator.mul)
    __itruediv__, __ifloordiv__ = _in_place(operator.truediv), _in_place(operator.floordiv)
    __imod__, __ipow__ = _in_place(operator.mod), _in_place(operator.pow)
    __ilshift__, __irshift__ = _in_place(operator.lshift), _in_place(operator.rshift)
    __iand__, __ior__, __ixor__ = _in_place(operator.and_), _in_place(operator.or_), _in_place(operator.xor)

    def __setitem__(self, place: Any, value: Any) -> None:
        if self.dtype.kind in "iu" and _floats(value):
            raise TypeError(
                f"an array of integers is given {value!r}: convert it by int(), or an array by astype(np.int64)"
            )
        super().__setitem__(place, value)


class State:
    """A record whose fields are `scalars`."""

    __slots__ = ("_record",)

    def __init__(self, record: Any) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, field: str) -> Any:
        return _field(self._record[_field_name(self._record, field)])

    def __setattr__(self, field: str, value: Any) -> None:
        field = _field_name(self._record, field)
        if self._record.dtype[field].base.kind in "iu" and _floats(value):
            raise TypeError(f"the state's field {field} of integers is given {value!r}: convert it by int()")
        self._record[field] = value

    __getitem__ = __getattr__
    __setitem__ = __setattr__


def _field_name(record: Any, field: Any) -> str:
    """Of a field's name or its place."""
    names: tuple[str, ...] = record.dtype.names
    if isinstance(field, int) and -len(names) <= field < len(names):
        return names[field]
    if field not in names:
        raise AttributeError(f"the state has no field {field}: it has {', '.join(names)}")
    return str(field)


def _floats(value: Any) -> bool:
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _field(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.view(Column)
    return State(value) if isinstance(value, np.void) else scalar(value)


def call_with_values(
    function: Function, read: Named, written: Named, *, with_state: bool, in_place: bool
) -> Callable[..., tuple[Any, ...] | None]:
    """``function``, of the values of a tuple as columns hold them; returns a value for each column written, or None."""
    makers = [_maker(column, dtype) for column, dtype in read]
    takers = [_taker(column, dtype) for column, dtype in written]
    leading = int(with_state)

    def called(*arguments: Any) -> tuple[Any, ...] | None:
        state = [State(each) for each in arguments[:leading]]
        with np.errstate(all="ignore"):
            values = function(*state, *[make(each) for make, each in zip(makers, arguments[leading:], strict=True)])
        if values is None and not in_place:
            return None
        many = values if isinstance(values, tuple) else (values,)
        if len(many) != len(takers) or many[0] is None:
            value = many[0] if len(many) == 1 else many
            raise ValueError(f"it returned {value!r}, not a value for each of {len(takers)} columns")
        return tuple([take(each) for take, each in zip(takers, many, strict=True)])

    return called


def call_with_rooms(function: Function, read: Named, written: Named, most: int) -> Callable[..., list[tuple[Any, ...]]]:
    """``function``, of a state, the values of a tuple, and arrays for ``most`` rows; returns the rows that it wrote."""
    makers = [_maker(column, dtype) for column, dtype in read]
    takers = [_taker(column, dtype) for column, dtype in written]

    def called(state: Any, *given: Any) -> list[tuple[Any, ...]]:
        rooms = [np.zeros(most, wide(dtype)).view(Column) for _, dtype in written]
        with np.errstate(all="ignore"):
            made = function(State(state), *[make(each) for make, each in zip(makers, given, strict=True)], *rooms)
        count = operator.index(made)
        if not 0 <= count <= most:
            raise ValueError(
                f"it returned {count} as the number of its outputs for 1 of its inputs, at most {most} are right"
            )
        return [tuple([take(room[k]) for take, room in zip(takers, rooms, strict=True)]) for k in range(count)]

    return called


def call_with_columns(function: Function, read: Named, written: Named, *, with_state: bool) -> Function:
    """``function``, of columns as they are, with arrays of wide values for them."""
    leading = int(with_state)
    first = leading + len(read)

    def called(*arguments: Any) -> Any:
        state = [State(each) for each in arguments[:leading]]
        arrays = [_widened(*named, each) for named, each in zip(read, arguments[leading:first], strict=True)]
        rooms = [
            (each if wide(each.dtype) == each.dtype else np.zeros(len(each), wide(each.dtype))).view(Column)
            for each in arguments[first:]
        ]
        emitted = function(*state, *arrays, *rooms)
        for (column, _), to, room in zip(written, arguments[first:], rooms, strict=True):
            if to.dtype != room.dtype:
                count = len(to) if emitted is None else max(0, min(int(emitted), len(to)))
                _fill(column, to, room.view(np.ndarray), count)
        return emitted

    return called


def counted(function: Function) -> Function:
    """``function``, which has to return a number."""
    return lambda *given: operator.index(function(*given))


def _widened(column: str, dtype: DType, array: Any) -> Any:
    kept = wide(dtype)
    if dtype == np.uint64 and array.size and int(array.max()) > MOST:
        _read(column, int(array[array > np.uint64(MOST)][0]))
    widened = (array if kept == dtype else array.astype(kept)).view(Column)
    widened.flags.writeable = False
    return widened


def _fill(column: str, to: Any, room: Any, count: int) -> None:
    if to.dtype.kind in "iu":
        least, most = bounds(to.dtype)
        wrong = (room[:count] < least) | (room[:count] > most)
        if wrong.any():
            _within(column, to.dtype, int(room[:count][wrong][0]))
    to[:count] = room[:count]


def _within(column: str, dtype: DType, value: int) -> int:
    least, most = bounds(dtype)
    if not least <= value <= most:
        raise OverflowError(f"column {column} of {dtype.name} cannot take {value}: it holds {least} to {most}")
    return value


def _maker(column: str, dtype: DType) -> Callable[[Any], Any]:
    if dtype == np.uint64:
        return lambda value: Integer(_read(column, int(value)))
    if dtype.kind in "iu":
        return lambda value: int.__new__(Integer, value)
    return {"f": Float, "b": Flag}.get(dtype.kind, lambda value: value)


def _read(column: str, value: int) -> int:
    if value > MOST:
        raise OverflowError(f"column {column} of uint64 holds {value}, and a function's integers end at {MOST}")
    return value


def _taker(column: str, dtype: DType) -> Callable[[Any], Any]:
    if dtype.kind not in "iub":
        return dtype.type if dtype.kind == "f" else lambda value: value

    def take(value: Any) -> Any:
        if not isinstance(value, bool | np.bool_) and not is_whole_number(value):
            kind = "truth values" if dtype.kind == "b" else "integers"
            raise TypeError(f"column {column}: it returned {value!r} for a column of {kind}")
        return _within(column, dtype, int(value))

    return take
