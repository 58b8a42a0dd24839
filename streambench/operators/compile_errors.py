"""What Numba says against a function, as one sentence that names the operator, its columns and their types.

Imported only where Numba is installed.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import types

from streambench.errors import OptionError
from streambench.operators.column_types import wide
from streambench.operators.compiler_passes import WrongTypeError

DType = np.dtype[Any]
MOST_NAMED = 4
"""Columns that a sentence names, of those that the line at fault uses."""
LINE = re.compile(r" \(line (\d+)\)")


def column_type(name: str, column: str, dtype: DType) -> Any:
    """Numba's type of a column's values, as functions have them. Raises OptionError where it has none."""
    try:
        return numba.from_dtype(wide(dtype))
    except (AttributeError, NotImplementedError, numba.core.errors.NumbaError):
        raise OptionError(
            f"Numba cannot compile operator {name}: column {column} is {_named(dtype)}, for which it has no "
            "values: leave the column to appends=, which keeps it, or have the function called as it is by numba=False."
        ) from None


def record_type(name: str, state: DType) -> Any:
    """Numba's type of a state. Raises OptionError where it has none."""
    try:
        return numba.from_dtype(state)
    except (AttributeError, numba.core.errors.NumbaError):  # of arrays of bool it misses their width
        raise OptionError(
            f"Numba cannot compile operator {name}: it has no type for a state of {state}: give each field a number's "
            "type, or an array's of numbers, or have the function called as it is by numba=False."
        ) from None


def refusal(
    name: str, function: Callable[..., Any], arguments: Sequence[Any], columns: Sequence[str], error: Exception
) -> OptionError:
    """The exception for what Numba raised of ``function``, whose last parameters are for ``columns``."""
    wrong_type = isinstance(error, WrongTypeError)
    told = str(error) if wrong_type else _cause(error)
    used = _used(function, arguments, columns, told)
    told = LINE.sub(lambda line: f", where {used}{line[0]}", told, count=1) if used else told
    advice = "" if wrong_type else "; write it otherwise, or have it called as it is by numba=False"
    return OptionError(f"Numba cannot compile operator {name}: {told}{advice}.")


def require_count(name: str, returned: Any, *, or_nothing: bool = False) -> None:
    """Raise OptionError unless the type ``returned`` is one of a number of outputs."""
    if not isinstance(returned, (types.Integer, types.NoneType) if or_nothing else types.Integer):
        raise OptionError(
            f"operator {name} returns {shown(returned)}, as Numba has it: return how many tuples it emitted on every "
            f"way through it{', or nothing at all for one for each' if or_nothing else ''}."
        )


def require_values(name: str, returned: Any, columns: Sequence[str], written: Sequence[DType], in_place: bool) -> None:
    """Raise OptionError unless the type ``returned`` is one of a value for each column."""
    kind = returned.type if isinstance(returned, types.Optional) else returned
    values = list(kind.types) if isinstance(kind, types.BaseTuple) else [kind]
    end = "." if in_place else ", or None for none."
    if len(values) != len(written) or (in_place and kind is not returned) or isinstance(kind, types.NoneType):
        wanted = f"{len(written)} values" if len(written) > 1 else "a value"
        raise OptionError(
            f"operator {name} returns {shown(returned)}, as Numba has it: return for each tuple {wanted} of the "
            f"columns' types ({', '.join(f'{c} {_named(t)}' for c, t in zip(columns, written, strict=True))}){end}"
        )
    numbers = (types.Integer, types.Boolean)
    for value, column, dtype in zip(values, columns, written, strict=True):
        column_type(name, column, dtype)
        if not isinstance(value, numbers if dtype.kind in "iub" else (*numbers, types.Float)):
            how = f", as int() does, or write {column} as float64" if isinstance(value, types.Float) else ""
            raise OptionError(
                f"operator {name} returns {shown(value)} for column {column}, which is {_named(dtype)}: return for "
                f"each tuple a value of that type{how}{end}"
            )


def _cause(error: Exception) -> str:
    """The line that says what is wrong, out of the many that Numba prints, and where."""
    if isinstance(error, KeyError):
        return f"the state has no field {error}"
    if isinstance(error, AttributeError) and "NoneType" in str(error):  # what it found no function of, in place
        return "an array is changed in place by values that it cannot hold: convert them by astype(np.int64)"
    if not type(error).__module__.startswith("numba."):
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
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
    told = re.sub(r"Literal\[\w+\]\((.*?)\)", r"'\1'", re.sub(r"\.* Raised from .*|: i8\* null", "", told))
    return told.rstrip(".") + (f" (line {lines[-1]})" if lines else "")


def _used(function: Any, arguments: Sequence[Any], columns: Sequence[str], told: str) -> str:
    """The columns that the line at fault uses, each with its type; none where the line is not the function's."""
    line = LINE.search(told)
    code = getattr(function, "__code__", None)
    if line is None or code is None:
        return ""
    loaded = {
        name
        for each in dis.get_instructions(code)
        if each.positions is not None and each.positions.lineno == int(line[1]) and "FAST" in each.opname
        for name in (each.argval if isinstance(each.argval, tuple) else (each.argval,))
    }
    leading = len(arguments) - len(columns)
    parameters = zip(code.co_varnames[leading:], columns, arguments[leading:], strict=False)
    used = [
        f"column {column} is {shown(kind)}" if name == column else f"{name}, column {column}, is {shown(kind)}"
        for name, column, kind in parameters
        if name in loaded
    ]
    return " and ".join(used[:MOST_NAMED]) + (f" and {len(used) - MOST_NAMED} more" if len(used) > MOST_NAMED else "")


def _named(dtype: DType) -> str:
    return f"V{dtype.itemsize}" if dtype.kind == "V" else dtype.name


def shown(kind: Any) -> str:
    """A type of Numba's, in words."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Optional):
        return f"{shown(kind.type)} or None"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(shown, kind.types))})"
    if isinstance(kind, types.Array):
        return f"an array of {shown(kind.dtype)}"
    words = ((types.NoneType, "None"), (types.Boolean, "bool"), (types.UnicodeType, "a text"), (types.List, "a list"))
    found = next((word for one, word in words if isinstance(kind, one)), None)
    return found or re.split(r"\(|<", str(kind))[0].split(" ")[-1]
