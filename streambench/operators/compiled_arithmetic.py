"""The arithmetic of `scalars` for Numba, where Numba's own differs.

Imported only where Numba is installed.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.extending import intrinsic, overload

from streambench.operators.scalars import LEAST, LONG_RANGE, NEGATIVE_POWER, NO_INTEGER, power

BEYOND = -float(LEAST)
FLOATS_FOR_INTEGERS = "integers are given a floating point number: convert it by int(), an array by astype(np.int64)"


def raised(a: Any, b: Any) -> Any:
    """Stands for ``**``."""


def opposite(value: Any) -> Any:
    """Stands for ``-`` before a value."""


def floating(value: Any) -> Any:
    """Stands for ``float``."""


def whole(value: Any) -> Any:
    """Stands for ``int`` and ``math.trunc``."""


def floor(value: Any) -> Any:
    """Stands for ``math.floor``."""


def ceiling(value: Any) -> Any:
    """Stands for ``math.ceil``."""


def rounded(value: Any, digits: Any = None) -> Any:
    """Stands for ``round``."""


def least(a: Any, b: Any) -> Any:
    """Stands for ``min`` of two values."""


def most(a: Any, b: Any) -> Any:
    """Stands for ``max`` of two values."""


def quotient(a: Any, b: Any) -> Any:
    """Stands for ``divmod``."""


def power_of_numbers(a: Any, b: Any) -> Any:
    """Stands for ``math.pow``."""


def remainder_of_numbers(a: Any, b: Any) -> Any:
    """Stands for ``math.fmod``."""


def sign_copied(a: Any, b: Any) -> Any:
    """Stands for ``math.copysign``."""


def counted(start: Any, stop: Any, step: Any = 1) -> Any:
    """Stands for ``range`` from a start to a stop."""


def _numbers(*operands: Any) -> bool:
    return all(isinstance(each, types.Integer | types.Float | types.Boolean) for each in operands)


def _floats(*operands: Any) -> bool:
    return any(isinstance(each, types.Float) for each in operands)


def _wrapping(instruction: str) -> Any:
    """A sum, difference or product that wraps: of Numba's own the compiler supposes that none leaves 64 bits."""

    @intrinsic
    def of_integers(typing_context: Any, a: Any, b: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return types.int64(types.int64, types.int64), lower

    return of_integers


WRAPPING = {
    operator.add: _wrapping("add"),
    operator.sub: _wrapping("sub"),
    operator.mul: _wrapping("mul"),
}
difference, product = WRAPPING[operator.sub], WRAPPING[operator.mul]


def _of_arrays(of_values: Any) -> Any:
    return numba.vectorize(lambda a, b: of_values(a, b))


WRAPPING_OF_ARRAYS = {each: _of_arrays(of_values) for each, of_values in WRAPPING.items()}


def _by_value(chosen: Callable[..., Any]) -> Any:
    """An operator of two values, or of arrays by their values: ``chosen`` gives its code by the values' types.

    Numba puts it into one loop with the other operators of an expression of arrays.
    """

    def of_values(a: Any, b: Any) -> Any:
        """Stands for ``chosen``."""

    overload(of_values, strict=False)(chosen)
    return numba.vectorize(lambda a, b: of_values(a, b))


def _in_line(chosen: Callable[..., Any]) -> Any:
    """The same between two integers, in line, so that the compiler sees a constant divisor."""

    def of_integers(a: Any, b: Any) -> Any:
        """Stands for ``chosen``."""

    overload(of_integers, strict=False, inline="always")(chosen)
    return of_integers


def _in_place(operate: Any) -> Callable[..., Any]:
    """The same, as of ``//=``: an array is changed."""

    def assigned(a: Any, b: Any) -> Any:
        """Stands for an assignment with an operator."""

    @overload(assigned, strict=False)
    def chosen(a: Any, b: Any) -> Any:
        if not isinstance(a, types.Array):
            return lambda a, b: operate(a, b)
        if isinstance(a.dtype, types.Integer) and _floats(getattr(b, "dtype", b)):
            raise numba.core.errors.TypingError(FLOATS_FOR_INTEGERS)

        def of_array(a: Any, b: Any) -> Any:
            a[:] = operate(a, b)
            return a

        return of_array

    return assigned


def _floor_division(a: Any, b: Any) -> Any:
    if _floats(a, b):

        def of_floats(a: Any, b: Any) -> Any:
            x, y = np.float64(a), np.float64(b)
            if y == 0.0:
                return x / y
            left = np.fmod(x, y)
            div = (x - left) / y
            if left != 0.0 and ((y < 0.0) != (left < 0.0)):
                div -= 1.0
            if div == 0.0:
                return math.copysign(0.0, x / y)
            down = np.floor(div)
            return down + 1.0 if div - down > 0.5 else down

        return of_floats

    def of_integers(a: Any, b: Any) -> Any:
        x, y = np.int64(a), np.int64(b)
        if y == 0:  # no `or` and no `else` in a value, of which Numba warns where it puts this in line
            return np.int64(0)
        if y == -1:
            return -x
        return x // y

    return of_integers


def _remainder(a: Any, b: Any) -> Any:
    if _floats(a, b):

        def of_floats(a: Any, b: Any) -> Any:
            x, y = np.float64(a), np.float64(b)
            if y == 0.0:
                return np.nan
            left = np.fmod(x, y)
            if left == 0.0:
                return math.copysign(0.0, y)
            return left + y if (y < 0.0) != (left < 0.0) else left

        return of_floats

    def of_integers(a: Any, b: Any) -> Any:
        x, y = np.int64(a), np.int64(b)
        if y == 0:
            return np.int64(0)
        if y == -1:
            return np.int64(0)
        return x % y

    return of_integers


def _power(a: Any, b: Any) -> Any:
    if _floats(b):
        return lambda a, b: power(np.float64(a), b)
    if _floats(a):
        return lambda a, b: a * a if b == 2 else power(a, np.float64(b))

    def of_integers(a: Any, b: Any) -> Any:
        base, left, power = np.int64(a), np.int64(b), np.int64(1)
        while left > 0:
            if left & 1:
                power = product(power, base)
            base = product(base, base)
            left >>= 1
        return power

    return of_integers


def _left_shift(a: Any, b: Any) -> Any:
    return None if _floats(a, b) else lambda a, b: np.int64(a) << np.int64(b) if 0 <= b < 64 else np.int64(0)


def _right_shift(a: Any, b: Any) -> Any:
    return None if _floats(a, b) else lambda a, b: np.int64(a) >> np.int64(b) if 0 <= b < 64 else -np.int64(a < 0)


floor_division, remainder, power_by_value = _by_value(_floor_division), _by_value(_remainder), _by_value(_power)
left_shift, right_shift = _by_value(_left_shift), _by_value(_right_shift)
IN_LINE = {floor_division: _in_line(_floor_division), remainder: _in_line(_remainder)}
negative = numba.vectorize(lambda value: opposite(value))
positive = numba.vectorize(lambda value: 1 * value)
absolute = numba.vectorize(lambda value: abs(1 * value))


@overload(opposite, strict=False)
def _opposite(value: Any) -> Any:
    return (lambda value: -value) if _floats(value) else (lambda value: difference(0, value))


@overload(raised, strict=False)
def _raised(a: Any, b: Any) -> Any:
    if _floats(*(getattr(each, "dtype", each) for each in (a, b))):
        return lambda a, b: power_by_value(a, b)

    def of_integers(a: Any, b: Any) -> Any:
        if np.any(b < 0):
            raise ValueError(NEGATIVE_POWER)
        return power_by_value(a, b)

    return of_integers


def _overload_to_integer(stub: Callable[..., Any], toward: Callable[[Any], Any]) -> None:
    @overload(stub, strict=False)
    def chosen(value: Any) -> Any:
        if not _numbers(value):
            return None
        if not _floats(value):
            return lambda value: np.int64(value)

        def of_floats(value: Any) -> Any:
            if not (LEAST <= value < BEYOND):
                raise ValueError(NO_INTEGER)
            return np.int64(toward(value))

        return of_floats


_overload_to_integer(whole, np.trunc)
_overload_to_integer(floor, np.floor)
_overload_to_integer(ceiling, np.ceil)


@overload(rounded, strict=False)
def _rounded(value: Any, digits: Any = None) -> Any:
    if digits is None or isinstance(digits, types.NoneType | types.Omitted):
        if not _floats(value):
            return lambda value, digits=None: np.int64(value)

        def of_floats(value: Any, digits: Any = None) -> Any:
            if not (LEAST <= value < BEYOND):
                raise ValueError(NO_INTEGER)
            return np.int64(np.rint(value))

        return of_floats
    if not _floats(value):
        raise numba.core.errors.TypingError("an integer is not rounded to digits: write round(float(value), digits)")

    def of_digits(value: Any, digits: Any = None) -> Any:
        scale = 1.0
        for _ in range(min(abs(digits), 400)):
            scale *= 10.0
        moved = value * scale if digits >= 0 else value / scale
        if abs(moved) == np.inf:
            return value
        there = np.rint(moved) if abs(moved) < 2.0**52 else moved
        return there / scale if digits >= 0 else there * scale

    return of_digits


@overload(least, strict=False)
def _least(a: Any, b: Any) -> Any:
    if not _numbers(a, b):
        return None
    if _floats(a, b):
        return lambda a, b: np.float64(b) if b < a else np.float64(a)
    return lambda a, b: b if b < a else a


@overload(most, strict=False)
def _most(a: Any, b: Any) -> Any:
    if not _numbers(a, b):
        return None
    if _floats(a, b):
        return lambda a, b: np.float64(b) if b > a else np.float64(a)
    return lambda a, b: b if b > a else a


@overload(quotient, strict=False)
def _quotient(a: Any, b: Any) -> Any:
    return lambda a, b: (floor_division(a, b), remainder(a, b))


@overload(power_of_numbers, strict=False)
def _power_of_numbers(a: Any, b: Any) -> Any:
    return lambda a, b: power(np.float64(a), np.float64(b))


@overload(remainder_of_numbers, strict=False)
def _remainder_of_numbers(a: Any, b: Any) -> Any:
    return lambda a, b: np.fmod(np.float64(a), np.float64(b))


@overload(sign_copied, strict=False)
def _sign_copied(a: Any, b: Any) -> Any:
    return lambda a, b: math.copysign(np.float64(a), np.float64(b))


@overload(counted, strict=False)
def _counted(start: Any, stop: Any, step: Any = 1) -> Any:
    def of_integers(start: Any, stop: Any, step: Any = 1) -> Any:
        span = difference(stop, start)
        if (start < stop and span < 0) or (start > stop and (span >= 0 or span == LEAST)):
            raise ValueError(LONG_RANGE)
        return range(start, stop, step)

    return None if _floats(start, stop, step) else of_integers


@overload(floating, strict=False)
def _floating(value: Any) -> Any:
    return (lambda value: np.float64(value)) if _numbers(value) else None


OPERATORS: dict[Any, Callable[..., Any]] = {
    operator.floordiv: floor_division,
    operator.mod: remainder,
    operator.pow: raised,
    operator.lshift: left_shift,
    operator.rshift: right_shift,
}
IN_PLACE = {each: _in_place(stub) for each, stub in ((operator.ifloordiv, floor_division), (operator.imod, remainder))}
IN_PLACE |= {
    operator.ilshift: _in_place(left_shift),
    operator.irshift: _in_place(right_shift),
    operator.ipow: _in_place(raised),
}
SIGNS = {operator.neg: negative, operator.pos: positive}
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    builtins.int: whole,
    builtins.float: floating,
    builtins.abs: absolute,
    builtins.round: rounded,
    builtins.divmod: quotient,
    builtins.pow: raised,
    math.floor: floor,
    math.ceil: ceiling,
    math.trunc: whole,
    math.pow: power_of_numbers,
    math.fmod: remainder_of_numbers,
    math.copysign: sign_copied,
}
RANGES = {builtins.range: counted}
CHOICES = {builtins.min: least, builtins.max: most}
