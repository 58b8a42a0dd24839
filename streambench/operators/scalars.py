"""The values of functions that Python calls: 64-bit integers that wrap, 64-bit floating point numbers, truth values.

The table of `docs/writing-operators.md` says what operators give. `compiled_arithmetic` gives the same to Numba.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

MOST, LEAST = (1 << 63) - 1, -(1 << 63)
NEGATIVE_POWER = "integers to negative integer powers are not allowed"
LONG_RANGE = "the ends of a range lie further apart than the greatest 64-bit integer"
NO_INTEGER = "a number that is no 64-bit integer has none"


def _libm() -> Callable[[float, float], float]:
    power = ctypes.CDLL(None).pow
    power.restype, power.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_double]
    return power


power = _libm()
"""x ** y of the C library. Compiled functions call it by its address, too, so that no compiler takes another."""


def divided(a: float, b: float) -> float:
    """By IEEE 754: by zero an infinity, or nan for 0 / 0."""
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _true_division(a: Any, b: Any) -> float:
    return divided(float(a), float(b))


def _floor_division(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a // b if b else divided(a, b)
    return a // b if b else 0


def _remainder(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a % b if b else math.nan
    return a % b if b else 0


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a * a if not isinstance(b, float) and b == 2 else power(a, b)
    if b < 0:
        raise ValueError(NEGATIVE_POWER)
    return pow(a, b, 1 << 64)


def _left_shift(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _right_shift(a: int, b: int) -> int:
    return a >> b if 0 <= b < 64 else -(a < 0)


def wrapped(value: int) -> Integer:
    """The 64 lowest bits of an integer."""
    return _new(Integer, ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63))


_new = int.__new__


def scalar(value: Any) -> Any:
    """A value as functions have it; what is no number stays as it is. Raises TypeError for NumPy's of other widths."""
    kind = type(value)
    if kind in _KINDS:
        return value
    if kind in _MADE:
        return _MADE[kind](value)
    if isinstance(value, np.number):
        raise TypeError(f"{kind.__name__} is no type of a function's values: convert it by int() or float()")
    return value


def to_integer(value: Any) -> Any:
    """An integer of a number, towards 0. Raises ValueError for one that is none of 64 bits."""
    if isinstance(value, float | np.floating):
        if not LEAST <= value < -float(LEAST):
            raise ValueError(NO_INTEGER)
        return _new(Integer, math.trunc(float(value)))
    return wrapped(int(value))


def _plain(value: Any) -> Any:
    """An operand: an int, a float, or None for what these classes leave to others."""
    if isinstance(value, int | float):
        return value
    value = scalar(value)
    return value if isinstance(value, int | float) else None


def _result(value: Any) -> Any:
    return Float(value) if isinstance(value, float) else wrapped(value)


def _array(value: Any, own: Any) -> Any:
    """The array of NumPy's own that an operand is, with an operand for it; None where it is none."""
    return own.numpy() if isinstance(value, np.ndarray) else None


def _binary(operate: Callable[[Any, Any], Any], of_arrays: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: Any, other: Any) -> Any:
        b = _plain(other)
        if b is None:
            own = _array(other, self)
            return NotImplemented if own is None else of_arrays(own, other)
        if isinstance(self, float) or isinstance(b, float):
            return _result(operate(float(self), b if operate is _power and type(b) is not float else float(b)))
        return _result(operate(int(self), int(b)))

    def reflected(self: Any, other: Any) -> Any:
        a = _plain(other)
        if a is None:
            own = _array(other, self)
            return NotImplemented if own is None else of_arrays(other, own)
        return forward(scalar(a), self)

    return forward, reflected


def _shift(operate: Callable[[int, int], int], of_arrays: Callable[[Any, Any], Any]) -> Any:
    def of_integers(shifted: Any) -> Any:
        return lambda self, other: NotImplemented if isinstance(other, float) else shifted(self, other)

    return map(of_integers, _binary(operate, of_arrays))


def _bitwise(operate: Callable[[int, int], int]) -> tuple[Any, Any]:
    def forward(self: Any, other: Any) -> Any:
        b = _plain(other)
        if b is None:
            own = _array(other, self)
            return NotImplemented if own is None else operate(own, other)
        if isinstance(b, float):
            return NotImplemented
        result = operate(int(self), int(b))
        return Flag(result) if isinstance(self, Flag) and isinstance(b, Flag | bool) else wrapped(result)

    def reflected(self: Any, other: Any) -> Any:
        a = _plain(other)
        if a is None:
            own = _array(other, self)
            return NotImplemented if own is None else operate(other, own)
        return NotImplemented if isinstance(a, float) else forward(scalar(a), self)

    return forward, reflected


def _comparison(compare: Callable[[Any, Any], bool]) -> Any:
    def compared(self: Any, other: Any) -> Any:
        b = _plain(other)
        if b is None:
            own = _array(other, self)
            return NotImplemented if own is None else compare(own, other)
        if isinstance(self, float) or isinstance(b, float):
            return Flag(compare(float(self), float(b)))
        return Flag(compare(int(self), int(b)))

    return compared


class _Number:
    """What integers and floating point numbers have."""

    __slots__ = ()
    __array_priority__ = 1000  # NumPy's scalars and arrays leave operators to these

    __add__, __radd__ = _binary(operator.add, operator.add)
    __sub__, __rsub__ = _binary(operator.sub, operator.sub)
    __mul__, __rmul__ = _binary(operator.mul, operator.mul)
    __truediv__, __rtruediv__ = _binary(_true_division, operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(_floor_division, operator.floordiv)
    __mod__, __rmod__ = _binary(_remainder, operator.mod)
    __pow__, __rpow__ = _binary(_power, operator.pow)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)
    __eq__, __ne__ = _comparison(operator.eq), _comparison(operator.ne)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


class Integer(_Number, int):
    """``int`` of functions: 64 bits that wrap."""

    __slots__ = ()
    dtype: np.dtype[Any] = np.dtype(np.int64)
    __hash__ = int.__hash__

    def __new__(cls, *values: Any) -> Any:
        return to_integer(values[0]) if len(values) == 1 and not isinstance(values[0], str) else wrapped(int(*values))

    __lshift__, __rlshift__ = _shift(_left_shift, operator.lshift)
    __rshift__, __rrshift__ = _shift(_right_shift, operator.rshift)
    __and__, __rand__ = _bitwise(operator.and_)
    __or__, __ror__ = _bitwise(operator.or_)
    __xor__, __rxor__ = _bitwise(operator.xor)

    def numpy(self) -> Any:
        """The same as NumPy's."""
        return np.int64(int(self))

    def __neg__(self) -> Any:
        return wrapped(-int(self))

    def __pos__(self) -> Any:
        return wrapped(int(self))

    def __abs__(self) -> Any:
        return wrapped(abs(int(self)))

    def __invert__(self) -> Any:
        return wrapped(~int(self))


class Flag(Integer):
    """``bool`` of functions: an integer in arithmetic, but for operators of bits between two of them."""

    __slots__ = ()
    dtype: np.dtype[Any] = np.dtype(np.bool_)

    def __new__(cls, value: Any = False) -> Any:
        return _new(cls, bool(value))

    __hash__ = int.__hash__

    def numpy(self) -> Any:
        return np.bool_(self)

    def __invert__(self) -> Any:
        return Flag(not self)

    def __repr__(self) -> str:
        return str(bool(self))

    __str__ = __repr__


class Float(_Number, float):
    """``float`` of functions: 64 bits by IEEE 754."""

    __slots__ = ()
    dtype = np.dtype(np.float64)
    __hash__ = float.__hash__

    def numpy(self) -> Any:
        """The same as NumPy's."""
        return np.float64(float(self))

    def __neg__(self) -> Any:
        return Float(-float(self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return Float(abs(float(self)))


_KINDS = frozenset((Integer, Flag, Float))
_MADE: dict[type, Callable[[Any], Any]] = {
    int: lambda value: _new(Integer, value) if LEAST <= value <= MOST else value,
    bool: Flag,
    float: Float,
    np.int64: Integer,
    np.float64: Float,
    np.bool_: Flag,
}
