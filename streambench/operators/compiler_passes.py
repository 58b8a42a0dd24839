"""Numba's compiler with the arithmetic of `compiled_arithmetic`, and the types that it may come to.

Imported only where Numba is installed.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import IRProcessing

from streambench.operators.compiled_arithmetic import (
    CHOICES,
    FLOATS_FOR_INTEGERS,
    FUNCTIONS,
    IN_PLACE,
    OPERATORS,
    SIGNS,
    SUMS,
)
from streambench.operators.plain_calls import FLAGS

VALUES = (types.int64, types.float64, types.boolean)


@register_pass(mutates_CFG=False, analysis_only=False)
class Arithmetic(FunctionPass):  # type: ignore[misc]
    """Puts the functions of `compiled_arithmetic` in the place of operators and of Python's functions."""

    _name = "streambench_arithmetic"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            block.body = [line for each in block.body for line in self._lines(state.func_ir, block.scope, each)]
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True

    def _lines(self, func_ir: Any, scope: Any, line: Any) -> list[Any]:
        value = getattr(line, "value", None)
        if not isinstance(line, ir.Assign) or not isinstance(value, ir.Expr):
            return [line]
        place = value.loc
        if value.op in ("binop", "inplace_binop") and (stub := (OPERATORS | IN_PLACE).get(value.fn)):
            return _call(scope, place, line.target, stub, (value.lhs, value.rhs))
        if value.op == "getattr" and (stub := FUNCTIONS.get(_module_function(func_ir, value))):
            return [ir.Assign(ir.Global("stub", stub, place), line.target, place)]
        if value.op == "unary" and (stub := SIGNS.get(value.fn)):
            return _call(scope, place, line.target, stub, (value.value,))
        if value.op == "call" and not value.kws and value.vararg is None:
            function = _named(func_ir, value.func)
            try:
                stub, choice = FUNCTIONS.get(function), CHOICES.get(function)
            except TypeError:  # without a hash
                return [line]
            if stub is not None:
                return _call(scope, place, line.target, stub, value.args)
            if choice is not None and len(value.args) > 1:
                lines: list[Any] = []
                made = value.args[0]
                for k, each in enumerate(value.args[1:], 2):
                    to = line.target if k == len(value.args) else scope.redefine("$chosen", place)
                    lines += _call(scope, place, to, choice, (made, each))
                    made = to
                return lines
        return [line]


def _named(func_ir: Any, variable: Any) -> Any:
    """The function that is called, where it is a global or of a module."""
    try:
        definition = func_ir.get_definition(variable)
        if isinstance(definition, ir.Global | ir.FreeVar):
            return definition.value
        if isinstance(definition, ir.Expr) and definition.op == "getattr":
            return _module_function(func_ir, definition)
    except KeyError:
        pass
    return None


def _module_function(func_ir: Any, value: Any) -> Any:
    """The function of ``math`` that an expression names, or None."""
    return math.__dict__.get(value.attr) if _named(func_ir, value.value) is math else None


def _call(scope: Any, place: Any, target: Any, stub: Any, arguments: Any) -> list[Any]:
    name = scope.redefine("$stub", place)
    return [
        ir.Assign(ir.Global("stub", stub, place), name, place),
        ir.Assign(ir.Expr.call(name, tuple(arguments), (), place), target, place),
    ]


class WrongTypeError(Exception):
    """A sentence of what a function has that functions do not."""


@register_pass(mutates_CFG=False, analysis_only=True)
class ValueTypes(AnalysisPass):  # type: ignore[misc]
    """Refuses values of types that `scalars` does not know, for which Numba has an arithmetic of its own."""

    _name = "streambench_value_types"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        typed = state.typemap
        for name, kind in typed.items():
            value = kind.dtype if isinstance(kind, types.Array) else kind
            value = types.unliteral(value)
            if isinstance(value, types.Number) and value not in VALUES:
                told = f"{name.split('.')[0]} is" if not name.startswith(("$", "arg.")) else "it has"
                raise WrongTypeError(
                    f"{told} {value}, and a function's values are int64, float64 and bool: "
                    "convert it by int() or float()"
                )
        for block in state.func_ir.blocks.values():
            for line in block.body:
                self._look_at(state, line)
        return False

    def _look_at(self, state: Any, line: Any) -> None:
        if isinstance(value := getattr(line, "value", None), ir.Expr) and value.op == "binop" and value.fn in SUMS:
            values = [state.typemap[each.name] for each in (value.lhs, value.rhs)]
            flags = [getattr(each, "dtype", each) == types.boolean for each in values]
            if all(flags) and any(isinstance(each, types.Array) for each in values):
                raise WrongTypeError(FLAGS)
        if isinstance(line, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
            to, value = state.typemap[line.target.name], state.typemap[line.value.name]
            if isinstance(to, types.Array):
                takes = to.dtype
            elif isinstance(to, types.Record):
                field = line.attr if isinstance(line, ir.SetAttr) else getattr(line, "index", None)
                takes = to.typeof(field) if isinstance(field, str) else None
            else:
                return
            value = value.dtype if isinstance(value, types.Array) else value
            if isinstance(takes, types.Integer) and isinstance(value, types.Float):
                raise WrongTypeError(f"{FLOATS_FOR_INTEGERS} (line {line.loc.line})")


class Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's, with this arithmetic."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(Arithmetic, IRProcessing)
        passes.add_pass_after(ValueTypes, NopythonTypeInference)
        passes.finalize()
        return [passes]
