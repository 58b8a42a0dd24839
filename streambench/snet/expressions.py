"""Integer expressions over tags, with C's precedence and C's arithmetic of 32 bits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from streambench.snet.errors import NOWHERE, Place, SnetError

LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
"""Binary operators, those that bind least first."""


@dataclass(frozen=True)
class Number:
    """A literal, within 32 bits."""

    value: int


@dataclass(frozen=True)
class Tag:
    """The value of a tag, called by its label: ``<n>`` or ``<#n>``."""

    label: str
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Unary:
    """``!`` or ``abs``."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """Two operands and what stands between them."""

    operator: str
    left: Expression
    right: Expression
    place: Place = field(default=NOWHERE, compare=False)


Expression = Number | Tag | Unary | Binary


def wrapped(value: int) -> int:
    """What 32 bits hold of a number, in two's complement."""
    return (value + 2**31) % 2**32 - 2**31


def chain(expression: Expression) -> tuple[Expression, list[Binary]]:
    """The first operand of operators that bind from the left, as in ``a + b + c``, and these, that operand's first."""
    operators: list[Binary] = []
    while isinstance(expression, Binary):
        operators.append(expression)
        expression = expression.left
    return expression, operators[::-1]


def tags(expression: Expression) -> Iterator[Tag]:
    """The tags whose values an expression takes."""
    first, operators = chain(expression)
    if isinstance(first, Tag):
        yield first
    elif isinstance(first, Unary):
        yield from tags(first.operand)
    for each in operators:
        yield from tags(each.right)


def evaluate(expression: Expression, values: Mapping[str, Any]) -> int:
    """The value where tags have the ``values``. Raises SnetError for a division by zero."""
    first, operators = chain(expression)
    if isinstance(first, Number):
        value = first.value
    elif isinstance(first, Tag):
        value = int(values[first.label])
    else:
        assert isinstance(first, Unary)
        operand = evaluate(first.operand, values)
        value = int(not operand) if first.operator == "!" else wrapped(abs(operand))
    for each in operators:
        value = _applied(each, value, values)
    return value


def _applied(each: Binary, left: int, values: Mapping[str, Any]) -> int:
    if each.operator == "&&" and not left:  # the right side is not looked at, as in C
        return 0
    if each.operator == "||" and left:
        return 1
    right = evaluate(each.right, values)
    if each.operator in ("/", "%") and not right:
        raise SnetError(each.place, f"{left} {each.operator} 0 is a division by zero.")
    return wrapped(int(_BINARY[each.operator](left, right)))


def _quotient(left: int, right: int) -> int:
    """Rounded towards zero, as C does."""
    magnitude = abs(left) // abs(right)
    return magnitude if (left < 0) == (right < 0) else -magnitude


_BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda left, right: bool(left or right),
    "&&": lambda left, right: bool(left and right),
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda left, right: left - right * _quotient(left, right),
}
