"""A function with other values behind the names that it knows, and so the functions that it calls."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any

from streambench.errors import OptionError

Function = Callable[..., Any]


def with_names(
    name: str,
    function: Function,
    known: Callable[[Any], Any],
    *,
    code: Callable[[types.CodeType], types.CodeType] = lambda each: each,
    finish: Callable[[Any], Any] = lambda each: each,
    builtins: dict[str, Any] | None = None,
) -> Any:
    """The function of operator ``name`` with ``known(value)`` for each value that it names, and for its defaults.

    A Python function among them is treated in the same way. ``code`` makes a function's code; what ``finish`` makes of
    a function stands in its place. Raises OptionError for a function that calls itself, of which compiled code would
    not see the end of its stack.
    """
    rebound_values: dict[Any, Any] = {}

    def value_of(value: Any) -> Any:
        value = getattr(value, "py_func", value)  # Numba's own decorator stands between
        if not isinstance(value, types.FunctionType):
            return known(value)
        if value not in rebound_values:
            rebound_values[value] = None
            rebound_values[value] = rebound(value)
        if rebound_values[value] is None:
            raise OptionError(f"operator {name} calls {value.__name__}, which calls itself: write a loop.")
        return rebound_values[value]

    def rebound(function: types.FunctionType) -> Any:
        own = function.__globals__
        names = {each: value_of(own[each]) for each in set(_global_names(function.__code__)) if each in own}
        if builtins is not None:
            names["__builtins__"] = builtins
        changed = {each.argval for each in dis.get_instructions(function) if each.opname == "STORE_DEREF"}
        cells = []
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells.append(cell if variable in changed else types.CellType(value_of(cell.cell_contents)))
            except ValueError:  # not set yet
                cells.append(cell)
        copy = types.FunctionType(
            code(function.__code__),
            own | names,
            function.__name__,
            known(function.__defaults__),
            tuple(cells) or None,
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        return finish(copy)

    return value_of(function)


def _global_names(code: types.CodeType) -> Iterator[str]:
    yield from (each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _global_names(each)
