"""What Numba makes of a function: compiled code that the runtime calls without the GIL.

Imported only where Numba is installed. Around the function stands a loop or a call in a few lines of generated source,
since Numba needs to see every column by itself: its type is a part of the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.callconv import RETCODE_NONE, RETCODE_OK
from numba.core.extending import intrinsic

from streambench.errors import OptionError

DType = np.dtype[Any]

UNIT = """
def entry(n, read, room, written, state):
    try:
        {made}function({arguments})
    except Exception:
        return -1
    return {answer}
"""
TUPLES = """
def entry(n, given, read, row, state, before, written, source_row, made):
    {columns}
    kept = carray(before, 1, state_type)
    emitted = 0
    i = 0
    try:
        for i in range(n):
            at = row[i]
            record = carray(state[i], 1, state_type)[0]
            kept[0] = record
            values = function({arguments})
            {emit}
    except Exception:
        made[0] = emitted
        return i
    made[0] = emitted
    return -1
"""


class Compiled(NamedTuple):
    """``function``: for Python, raises what it raises; ``entry``: for the runtime, has an ``address``."""

    function: Callable[..., Any]
    entry: Any


def compile_unit(
    name: str, function: Callable[..., Any], state: DType | None, read: Sequence[DType], written: Sequence[DType]
) -> Compiled:
    """A function of columns, ``function([state,] *read, *written)``, as a ``CompiledUnit`` of ``unit_function.pxd``.

    Raises OptionError for one that Numba cannot compile, or that returns no number.
    """
    arrays = [_array(each, readonly=True) for each in read] + [_array(each, readonly=False) for each in written]
    compiled, returned = jitted(name, function, [*_records(state), *arrays])
    if not isinstance(returned, types.NoneType | types.Integer):
        raise OptionError(
            f"operator {name} returns {returned}, as Numba has it: return how many tuples it emitted on every way "
            "through it, or nothing at all for one for each."
        )
    arguments = ["carray(state, 1, state_type)[0]"] if state is not None else []
    arguments += [f"carray(read[{k}], n, read_type_{k})" for k in range(len(read))]
    arguments += [f"carray(written[{k}], room, written_type_{k})" for k in range(len(written))]
    counted = isinstance(returned, types.Integer)
    source = UNIT.format(
        made="made = " if counted else "", arguments=", ".join(arguments), answer="made" if counted else "n"
    )
    pointers = types.CPointer(types.voidptr)
    signature = types.int64(types.int64, pointers, types.int64, pointers, types.voidptr)
    return Compiled(compiled, _entry(source, signature, compiled, state, read, written))


def compile_tuples(
    name: str,
    function: Callable[..., Any],
    state: DType,
    read: Sequence[DType],
    written: Sequence[DType],
    in_place: bool,
) -> Compiled:
    """A function of a tuple, ``function(state, *read)``, as a ``CompiledTuples`` of ``keyed_operator.pyx``.

    Raises OptionError for one that Numba cannot compile, or whose values do not fit the columns.
    """
    compiled, returned = jitted(name, function, [*_records(state), *(numba.from_dtype(each) for each in read)])
    require_values(name, returned, written, in_place)
    filtered = isinstance(returned, types.Optional)
    many = isinstance(returned.type if filtered else returned, types.BaseTuple)
    columns = [f"read_{k} = carray(read[{k}], given, read_type_{k})" for k in range(len(read))]
    room = "given" if in_place else "n"
    columns += [f"written_{k} = carray(written[{k}], {room}, written_type_{k})" for k in range(len(written))]
    place = "at" if in_place else "emitted"
    emit = [f"written_{k}[{place}] = present(values){f'[{k}]' if many else ''}" for k in range(len(written))]
    if not in_place:
        emit += ["source_row[emitted] = at", "emitted += 1"]
    if filtered:
        emit = ["if values is not None:", *(f"    {each}" for each in emit)]
    source = TUPLES.format(
        columns="\n    ".join(columns),
        arguments=", ".join(["record", *(f"read_{k}[at]" for k in range(len(read)))]),
        emit="\n            ".join(emit),
    )
    pointers, rows = types.CPointer(types.voidptr), types.CPointer(types.uint32)
    signature = types.int64(
        types.int64,
        types.int64,
        pointers,
        rows,
        pointers,
        types.voidptr,
        pointers,
        rows,
        types.CPointer(types.int64),
    )
    return Compiled(compiled, _entry(source, signature, compiled, state, read, written))


@intrinsic
def present(typing_context: Any, value: Any) -> Any:
    """A value that is not None, of a function that may return None."""
    kind = value.type if isinstance(value, types.Optional) else value

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], value, kind)

    return kind(value), lower


def _array(dtype: DType, *, readonly: bool) -> Any:
    return types.Array(numba.from_dtype(dtype), 1, "C", readonly=readonly)


def _records(state: DType | None) -> list[Any]:
    return [] if state is None else [numba.from_dtype(state)]


def jitted(name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, Any]:
    """What Numba makes of the function, and the type that it returns."""
    try:
        compiled = numba.njit(tuple(arguments), error_model="numpy")(function)  # arithmetic as of NumPy's values
    except Exception as error:  # Numba's own, and what it raises of Python's
        raise OptionError(
            f"Numba cannot compile operator {name}: {_cause(error)}; write it otherwise, or have it called as it is by "
            "numba=False."
        ) from error
    return compiled, compiled.nopython_signatures[0].return_type


def may_raise(compiled: Any) -> bool:
    """Has the machine code of what ``jitted`` made a way to raise anything? True, if it cannot be told.

    Code returns a status, and how it got there is seen in what LLVM has left of the function.
    """
    signature = compiled.signatures[0]
    name = re.escape(compiled.overloads[signature].fndesc.llvm_func_name)
    code = re.search(rf'^define [^\n]*@"?{name}"?\(.*?^}}', compiled.inspect_llvm(signature), re.MULTILINE | re.DOTALL)
    returned = re.findall(r"^ *ret i32 (\S+)", code[0], re.MULTILINE) if code else []
    for variable in [each for each in returned if each.startswith("%")]:
        chosen = re.search(rf"^ *{re.escape(variable)} = phi i32 (.*)", code[0], re.MULTILINE) if code else None
        returned += re.findall(r"\[ (\S+), ", chosen[1]) if chosen else ["unknown"]
        returned.remove(variable)
    without = {str(each.constant) for each in (RETCODE_OK, RETCODE_NONE)}
    return not returned or not without.issuperset(returned)


def _cause(error: Exception) -> str:
    """The line that says what is wrong, out of the many that Numba prints, and where."""
    if not type(error).__module__.startswith("numba."):
        return f"{type(error).__name__}: {error}"
    text = re.sub(r"\x1b\[[\d;]*m", "", str(error))
    raised = re.search(r"^\s*\w*Error: (?!Failed in)(.+)", text, re.MULTILINE)
    missing = re.search(r"signature:\s*>>> (.+)", text)
    first = next(
        (each for each in text.splitlines() if each and not each.startswith("Failed in")), type(error).__name__
    )
    told = raised[1] if raised else f"there is no {missing[1]}" if missing else first
    lines = re.findall(
        r"^(?:File .*, line |\S.* \()(\d+)[:)]", text, re.MULTILINE
    )  # the last is of the function itself
    return re.sub(r"\.* Raised from .*", "", told).rstrip(".") + (f" (line {lines[-1]})" if lines else "")


def require_values(name: str, returned: Any, written: Sequence[DType], in_place: bool) -> None:
    kind = returned.type if isinstance(returned, types.Optional) else returned
    values = list(kind.types) if isinstance(kind, types.BaseTuple) else [kind]
    numbers = (types.Integer, types.Boolean)
    fitting = len(values) == len(written) and all(
        isinstance(value, numbers if dtype.kind in "iu" else (*numbers, types.Float))
        for value, dtype in zip(values, written, strict=True)
    )
    if not fitting or (in_place and kind is not returned):
        wanted = f"for each tuple {len(written)} values" if len(written) > 1 else "for each tuple a value"
        raise OptionError(
            f"operator {name} returns {returned}, as Numba has it: return {wanted} of the columns' types"
            f"{'' if in_place else ', or None for none'}."
        )


def _entry(
    source: str, signature: Any, compiled: Any, state: DType | None, read: Sequence[DType], written: Sequence[DType]
) -> Any:
    names: dict[str, Any] = {"carray": numba.carray, "function": compiled, "present": present}
    names |= {f"read_type_{k}": each for k, each in enumerate(read)}
    names |= {f"written_type_{k}": each for k, each in enumerate(written)}
    if state is not None:
        names["state_type"] = state
    exec(source, names)
    return numba.cfunc(signature)(names["entry"])
