"""A function with the arithmetic of `scalars`, as Python calls it: its constants, and the names that it knows."""

from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

from streambench.errors import OptionError
from streambench.operators.named_values import with_names
from streambench.operators.scalars import (
    LEAST,
    LONG_RANGE,
    MOST,
    Flag,
    Float,
    Integer,
    divided,
    power,
    scalar,
    to_integer,
    wrapped,
)

Function = Callable[..., Any]


def plain(name: str, function: Function) -> Function:
    """The function of operator ``name``, with its constants and those that it names as `scalars`.

    Raises OptionError for an integer that has no 64 bits.
    """
    rebound: Function = with_names(
        name,
        function,
        functools.partial(_known, name),
        code=functools.partial(_with_constants, name),
        builtins=builtins.__dict__ | _OWN,
    )
    return rebound


def _with_constants(name: str, code: types.CodeType) -> types.CodeType:
    constants = tuple(
        _with_constants(name, each) if isinstance(each, types.CodeType) else _known(name, each)
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)


def _known(name: str, value: Any) -> Any:
    if type(value) is int and not LEAST <= value <= MOST:
        number = f"the integer {value}" if value.bit_length() < 200 else f"an integer of {value.bit_length()} bits"
        raise OptionError(f"operator {name} has {number}, and a function's integers have 64 bits with a sign.")
    if type(value) is tuple:
        return tuple(_known(name, each) for each in value)
    if value is math:
        return _MATH
    try:
        return _REPLACED.get(value) or scalar(value) if type(value) in _REPLACEABLE else value
    except TypeError:  # a number of NumPy's of another width is told where it is used
        return value


def _least(*values: Any, **options: Any) -> Any:
    return _chosen(min, values, options)


def _most(*values: Any, **options: Any) -> Any:
    return _chosen(max, values, options)


def _chosen(choose: Function, values: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Of an integer and a floating point number it is a floating point number, whichever is chosen."""
    if len(values) == 1 or options:
        return scalar(choose(*values, **options))
    numbers = [scalar(each) for each in values]
    choice = choose(numbers)
    if any(isinstance(each, float) for each in numbers):
        return Float(choice)
    return choice if all(isinstance(each, Flag) for each in numbers) else wrapped(int(choice))


def _rounded(value: Any, digits: Any = None) -> Any:
    value = scalar(value)
    if digits is None:
        return (
            to_integer(float(round(float(value))) if math.isfinite(value) else value)
            if isinstance(value, float)
            else +value
        )
    if not isinstance(value, float):
        raise TypeError("an integer is not rounded to digits: write round(float(value), digits)")
    scale = 1.0
    for _ in range(min(abs(int(digits)), 400)):
        scale *= 10.0
    moved = float(value) * scale if digits >= 0 else float(value) / scale
    if math.isinf(moved):
        return value
    whole = math.copysign(float(round(moved)), moved) if abs(moved) < 2.0**52 else moved
    return Float(divided(whole, scale) if digits >= 0 else whole * scale)


def _whole(toward: Function) -> Function:
    """``math.floor`` and its like."""

    def replacement(value: Any) -> Any:
        value = scalar(value)
        return (
            to_integer(float(toward(float(value))) if math.isfinite(value) else value)
            if isinstance(value, float)
            else +value
        )

    return replacement


class _Counted:
    """``range``, of `scalars`."""

    def __init__(self, *bounds: Any) -> None:
        self.values = range(*bounds)
        if abs(self.values.stop - self.values.start) > MOST:
            raise ValueError(LONG_RANGE)

    def __iter__(self) -> Iterator[Any]:
        return map(Integer, self.values)

    def __len__(self) -> int:
        return len(self.values)


def _enumerated(values: Any, start: int = 0) -> Iterator[Any]:
    return ((Integer(k), each) for k, each in enumerate(values, start))


def _quotient(a: Any, b: Any) -> Any:
    a, b = scalar(a), scalar(b)
    return a // b, a % b


def _raised(a: Any, b: Any, *modulus: Any) -> Any:
    if modulus:
        raise TypeError("pow() with a modulus is none of a function's")
    return scalar(a) ** scalar(b)


_OWN: dict[str, Any] = {
    "abs": lambda value: abs(scalar(value)),
    "divmod": _quotient,
    "enumerate": _enumerated,
    "len": lambda values: Integer(len(values)),
    "max": _most,
    "min": _least,
    "pow": _raised,
    "range": _Counted,
    "round": _rounded,
    "sum": lambda values, start=0: sum(values, scalar(start)),
}


_OWN |= {"int": Integer, "float": Float, "bool": Flag}
# What the C library gives where Python raises: by the sign of the argument, or nan.
_ENDS: dict[str, Callable[[float], float]] = {
    "exp": lambda x: math.inf,
    "exp2": lambda x: math.inf,
    "expm1": lambda x: math.inf,
    "cosh": lambda x: math.inf,
    "sinh": lambda x: math.copysign(math.inf, x),
    "log": lambda x: -math.inf if not x else math.nan,
    "log2": lambda x: -math.inf if not x else math.nan,
    "log10": lambda x: -math.inf if not x else math.nan,
    "log1p": lambda x: -math.inf if x == -1 else math.nan,
    "atanh": lambda x: math.copysign(math.inf, x) if abs(x) == 1 else math.nan,
    "gamma": lambda x: math.copysign(math.inf, x) if not x or x > 0 else math.nan,
    "lgamma": lambda x: math.inf,
}


def _without_errors(name: str) -> Function:
    """A function of ``math`` that gives an infinity or nan where Python's raises."""
    function: Function = getattr(math, name)
    end: Function = _ENDS.get(name, lambda x: math.nan)

    def replacement(*arguments: Any) -> Any:
        values = [float(each) for each in arguments]
        try:
            return Float(function(*values))
        except (ValueError, OverflowError):
            return Float(end(values[0]))

    return replacement


_FLOATS = (
    "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fabs fmod gamma "
    "hypot lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh"
)
_OWN_MATH: dict[str, Any] = {each: _without_errors(each) for each in _FLOATS.split()}
_OWN_MATH |= {each: _whole(getattr(math, each)) for each in ("floor", "ceil", "trunc")}
_OWN_MATH["pow"] = lambda a, b: Float(power(float(a), float(b)))
_OWN_MATH |= {each: (lambda f: lambda x: Flag(f(x)))(getattr(math, each)) for each in ("isnan", "isinf", "isfinite")}
_MATH = types.SimpleNamespace(
    **{each: scalar(value) for each, value in vars(math).items() if not each.startswith("_")} | _OWN_MATH
)
_REPLACED = {getattr(math, each): replacement for each, replacement in _OWN_MATH.items()}
_REPLACED |= {getattr(builtins, each): replacement for each, replacement in _OWN.items()}
_REPLACEABLE = frozenset((int, float, bool, type, types.BuiltinFunctionType))
