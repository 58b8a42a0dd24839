"""A column that is computed: + - * / and parentheses over columns of the file and numbers, in exact arithmetic."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow, localcontext
from fractions import Fraction
from typing import Any

from streambench.datagen.errors import DatagenOptionError
from streambench.datagen.ingest.numbers import Number, exact

_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"]|"")*")|(?P<number>\d+\.?\d*|\.\d+)|(?P<name>[^\W\d]\w*)|(?P<sign>[-+*/()]))'
)
_LONGEST = 500
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_NAMED: dict[str, Callable[[Any, Any], Any]] = {kind.__name__: work for kind, work in _OPERATORS.items()}
# What this cannot hold exactly is computed again in fractions.
_EXACT = Context(prec=60, traps=[Inexact, DivisionByZero, InvalidOperation, Overflow])

Tree = tuple[Any, ...]


@dataclass(frozen=True)
class Expression:
    """`columns` are those of the file that it names, each once; `tree` is its form, a column being its index there."""

    text: str
    columns: tuple[str, ...]
    tree: Tree

    def values(self, operands: Sequence[Sequence[str | None]]) -> list[Number | None]:
        """The exact value of every row, given the texts of `columns`; None where one is missing or is no number.

        A division by zero has no value either.
        """
        known: dict[tuple[str | None, ...], Number | None] = {}
        numbers = []
        with localcontext(_EXACT):
            for row in zip(*operands, strict=True):
                if row not in known:
                    known[row] = self._value(row)
                numbers.append(known[row])
        return numbers

    def _value(self, row: tuple[str | None, ...]) -> Number | None:
        numbers = [None if text is None else exact(text) for text in row]
        if any(number is None for number in numbers):
            return None
        try:
            value: Number = _computed(self.tree, numbers, Decimal)
        except (Inexact, Overflow):
            try:
                value = _computed(self.tree, [Fraction(number) for number in numbers if number is not None], Fraction)
            except ZeroDivisionError:
                return None
        except (DivisionByZero, InvalidOperation):
            return None
        return value


def parsed(text: str) -> Expression:
    """Read an expression; DatagenOptionError where it is none.

    A name with blanks or signs stands in double quotes, doubled within, as in SQL.
    """
    if len(text) > _LONGEST:
        raise DatagenOptionError(
            f"The expression {text[:40]!r}… is longer than {_LONGEST} characters: compute it in the file."
        )
    columns: list[str] = []
    constants: list[Decimal] = []
    python, at = "", 0
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        if token is None:
            raise _no_expression(text, f"{text[at:].strip()[0]!r} is not expected")
        at = token.end()
        if token["sign"]:
            python += token["sign"]
        elif token["number"]:
            python += f" k{len(constants)} "
            constants.append(Decimal(token["number"]))
        else:
            name = token["name"] or token["quoted"][1:-1].replace('""', '"')
            if name not in columns:
                columns.append(name)
            python += f" c{columns.index(name)} "
    try:
        form = ast.parse(python.strip(), mode="eval").body
    except SyntaxError:
        raise _no_expression(text, "a sign, a name or a parenthesis is missing or too many") from None
    if "//" in python or "**" in python or not columns:
        raise _no_expression(text, "a column is missing" if not columns else "one sign stands beside another")
    return Expression(text, tuple(columns), _tree(form, constants, text))


def _tree(form: ast.AST, constants: Sequence[Decimal], text: str) -> Tree:
    if isinstance(form, ast.BinOp) and type(form.op) in _OPERATORS:
        return (type(form.op).__name__, _tree(form.left, constants, text), _tree(form.right, constants, text))
    if isinstance(form, ast.UnaryOp) and isinstance(form.op, (ast.USub, ast.UAdd)):
        inner = _tree(form.operand, constants, text)
        return ("Sub", ("number", Decimal(0)), inner) if isinstance(form.op, ast.USub) else inner
    if isinstance(form, ast.Name):
        index = int(form.id[1:])
        return ("column", index) if form.id[0] == "c" else ("number", constants[index])
    raise _no_expression(text, "a sign, a name or a parenthesis is missing or too many")


def _computed(tree: Tree, numbers: Sequence[Any], kind: Callable[[Any], Any]) -> Any:
    what = tree[0]
    if what == "column":
        return numbers[tree[1]]
    if what == "number":
        return kind(tree[1])
    return _NAMED[what](_computed(tree[1], numbers, kind), _computed(tree[2], numbers, kind))


def _no_expression(text: str, why: str) -> DatagenOptionError:
    return DatagenOptionError(
        f"{text!r} is no expression of + - * / and parentheses over columns and numbers ({why}): "
        "names with blanks or signs stand in double quotes."
    )
