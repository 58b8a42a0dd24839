"""Numba's compiler with the arithmetic of `compiled_arithmetic`, and the types that it may come to.

Imported only where Numba is installed.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes
from numba.np.ufunc.dufunc import DUFunc

from streambench.operators.compiled_arithmetic import (
    CHOICES,
    FLOATS_FOR_INTEGERS,
    FUNCTIONS,
    IN_LINE,
    IN_PLACE,
    OPERATORS,
    RANGES,
    SIGNS,
    WRAPPING,
    WRAPPING_OF_ARRAYS,
)
from streambench.operators.plain_calls import FLAGS

HANDED_ON = ("build_tuple", "cast", "phi")
"""Expressions that compute nothing."""
VALUES = (types.int64, types.float64, types.boolean)
INTEGERS = {types.int64, types.boolean}


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
                if len(value.args) > 1:
                    stub = stub or RANGES.get(function)
            except TypeError:  # without a hash
                return [line]
            if stub is not None:
                return _call(scope, place, line.target, stub, value.args)
            if choice is not None and len(value.args) > 1:
                lines: list[Any] = []
                result = value.args[0]
                for k, each in enumerate(value.args[1:], 2):
                    to = line.target if k == len(value.args) else scope.redefine("$chosen", place)
                    lines += _call(scope, place, to, choice, (result, each))
                    result = to
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


def _value_types(kind: Any) -> tuple[Any, ...] | None:
    """The types of a value of functions, or of a tuple of such; None of anything else."""
    kinds = tuple(types.unliteral(each) for each in (kind.types if isinstance(kind, types.BaseTuple) else (kind,)))
    return kinds if all(each in VALUES for each in kinds) else None


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
                subject = f"{name.split('.')[0]} is" if not name.startswith(("$", "arg.")) else "it has"
                raise WrongTypeError(
                    f"{subject} {value}, and a function's values are int64, float64 and bool: "
                    "convert it by int() or float()"
                )
        for block in state.func_ir.blocks.values():
            for line in block.body:
                self._look_at(state, line)
        return False

    def _look_at(self, state: Any, line: Any) -> None:
        if isinstance(line, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
            to, value = state.typemap[line.target.name], state.typemap[line.value.name]
            where = ""
            if isinstance(to, types.Array):
                takes = to.dtype
            elif isinstance(to, types.Record):
                field = line.attr if isinstance(line, ir.SetAttr) else getattr(line, "index", None)
                field = list(to.fields)[field] if isinstance(field, int) else field
                takes = to.typeof(field) if isinstance(field, str) else None
                where = f", where the state's field {field} is {takes}"
            else:
                return
            value = value.dtype if isinstance(value, types.Array) else value
            if isinstance(takes, types.Integer) and isinstance(value, types.Float):
                raise WrongTypeError(f"{FLOATS_FOR_INTEGERS}{where} (line {line.loc.line})")


@register_pass(mutates_CFG=False, analysis_only=True)
class OneType(AnalysisPass):  # type: ignore[misc]
    """Refuses a variable that is an integer on one path and a floating point number on another, as Python keeps both.

    A variable that is only returned or stored has its column's type there. A bool beside an integer is the integer 0
    or 1 in Numba: only ``~`` tells it from the bool that Python keeps.
    """

    _name = "streambench_one_type"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        lines = [line for block in state.func_ir.blocks.values() for line in block.body if isinstance(line, ir.Assign)]
        mixed = {line.target.name: (line, kinds) for line in lines if (kinds := self._several(state, line))}
        floats = {name: each for name, each in mixed.items() if types.float64 in each[1]}
        flags = {name: each for name, each in mixed.items() if name not in floats}
        handed_on = [line for line in lines if not isinstance(line.value, ir.Expr) or line.value.op in HANDED_ON]
        self._follow(floats, handed_on)
        self._follow(flags, lines)
        for line in lines:
            value = line.value
            if isinstance(value, ir.Expr) and value.op not in HANDED_ON:
                inverts = value.op == "unary" and value.fn is operator.invert
                for each in value.list_vars():
                    if each.name in floats or (inverts and each.name in flags):
                        _refuse_types(*(floats | flags)[each.name])
        return False

    def _follow(self, mixed: dict[str, Any], lines: list[Any]) -> None:
        """Adds the variables that are made of those."""
        count = -1
        while count < len(mixed):
            count = len(mixed)
            for line in lines:
                origin = next((mixed[each.name] for each in line.list_vars() if each.name in mixed), None)
                if origin:
                    mixed.setdefault(line.target.name, origin)

    def _several(self, state: Any, line: Any) -> set[Any]:
        """The types of the values that the variable of an assignment may have, where they are several."""
        value = line.value
        if isinstance(value, ir.Expr) and value.op in ("build_list", "build_set", "phi"):
            sources = value.incoming_values if value.op == "phi" else value.items
        elif isinstance(value, ir.Var):
            sources = [value, line.target]
        else:
            return set()
        values = {_value_types(state.typemap[each.name]) for each in sources if each is not ir.UNDEFINED}
        several = [each for each in values if each is not None]
        return set(itertools.chain(*several)) if len(values) > 1 and len(several) == len(values) else set()


def _refuse_types(line: Any, kinds: Any) -> None:
    name = line.target.name.split(".")[0]
    subject = "a value" if name.startswith("$") else name
    several = " or ".join(sorted(map(str, kinds)))
    raise WrongTypeError(
        f"{subject} is {several}, by the path (line {line.loc.line}): give it one type by int(), float() or bool(), or "
        "write 0.0 in place of 0"
    )


@register_pass(mutates_CFG=False, analysis_only=False)
class TypedArithmetic(FunctionPass):  # type: ignore[misc]
    """Puts sums, differences and products that wrap in the place of Numba's, which are not to leave 64 bits.

    What `Arithmetic` has put there for values and arrays alike stands in line between two integers.
    """

    _name = "streambench_typed_arithmetic"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            block.body = [line for each in block.body for line in self._lines(state, block.scope, each)]
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True

    def _lines(self, state: Any, scope: Any, line: Any) -> list[Any]:
        value = getattr(line, "value", None)
        if isinstance(value, ir.Expr) and value.op == "call" and len(value.args) == 2:
            return self._in_line(state, scope, line)
        if not isinstance(value, ir.Expr) or value.op not in ("binop", "inplace_binop"):
            return [line]
        operands = [state.typemap[each.name] for each in (value.lhs, value.rhs)]
        operation = value.fn if value.op == "binop" else value.immutable_fn
        kinds = {types.unliteral(each.dtype if isinstance(each, types.Array) else each) for each in operands}
        of_arrays = any(isinstance(each, types.Array) for each in operands)
        if operation not in WRAPPING or not kinds <= INTEGERS:
            return [line]
        if of_arrays and kinds == {types.boolean}:
            raise WrongTypeError(FLAGS)
        if of_arrays and value.op == "inplace_binop":
            return [line]
        return _replaced(state, scope, line, (WRAPPING_OF_ARRAYS if of_arrays else WRAPPING)[operation], operands)

    def _in_line(self, state: Any, scope: Any, line: Any) -> list[Any]:
        operands = [state.typemap[each.name] for each in line.value.args]
        function = _named(state.func_ir, line.value.func)
        if not {types.unliteral(each) for each in operands} <= INTEGERS or not isinstance(function, DUFunc):
            return [line]
        stub = IN_LINE.get(function)
        return [line] if stub is None else _replaced(state, scope, line, stub, operands)


def _replaced(state: Any, scope: Any, line: Any, stub: Any, operands: Any) -> list[Any]:
    """The lines that call the stub with the same two operands, with their types."""
    value = line.value
    lines = _call(scope, line.loc, line.target, stub, value.args if value.op == "call" else (value.lhs, value.rhs))
    kind = state.typingctx.resolve_value_type(stub)
    state.typemap[lines[0].target.name] = kind
    state.calltypes[lines[1].value] = kind.get_call_type(state.typingctx, operands, {})
    del state.calltypes[value]
    return lines


class Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's, with this arithmetic."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(Arithmetic, InlineClosureLikes)
        passes.add_pass_after(TypedArithmetic, NopythonTypeInference)
        passes.add_pass_after(OneType, NopythonTypeInference)
        passes.add_pass_after(ValueTypes, NopythonTypeInference)
        passes.finalize()
        return [passes]
