"""One loop over tuples around functions of a tuple, each of which is given what those before it make of the tuple.

Imported only where Numba is installed. The loop is generated source, as in ``compiling``; Numba inlines the functions, so that
what one hands to the next stays in registers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from streambench.operators.compiling import Compiled, compile_unit, jitted, present, require_values

DType = np.dtype[Any]

LOOP = """
def loop({parameters}):
    made = 0
    {counts}
    for i in range(len(read_0)):
        {steps}
        {emit}
        made += 1
    {counted}
    return made
"""


class Step(NamedTuple):
    """``function(*reads)`` returns the values of the columns ``writes``, or None to drop the tuple.

    ``in_place``: the tuple keeps its columns besides.
    """

    name: str
    function: Callable[..., Any]
    reads: tuple[str, ...]
    read: tuple[DType, ...]
    writes: tuple[str, ...]
    written: tuple[DType, ...]
    in_place: bool


class TupleLoop(NamedTuple):
    """``compiled``: a function of columns, as of ``compile_unit``; which it reads and writes, and these columns' types.

    Of several steps it has a state: how many tuples each but the first was given.
    """

    compiled: Compiled
    reads: tuple[str, ...]
    read: tuple[DType, ...]
    writes: tuple[str, ...]
    written: tuple[DType, ...]


@functools.lru_cache(maxsize=256)
def compile_loop(steps: tuple[Step, ...]) -> TupleLoop:
    """The loop of ``steps``. Where all are in place it writes what they append; else all columns of the last one's tuples.

    Raises OptionError for a function that Numba cannot compile, or whose values do not fit the columns.
    """
    names: dict[str, Any] = {"present": present}
    known: dict[str, str] = {}  # the variables of the columns that the tuple has, but for the stream's
    types_of: dict[str, DType] = {}
    reads: list[tuple[str, DType]] = []
    lines: list[str] = []
    for place, step in enumerate(steps):
        names[f"function_{place}"], returned = jitted(step.name, step.function, [numba.from_dtype(t) for t in step.read])
        require_values(step.name, returned, step.written, step.in_place)
        if place:
            lines.append(f"given_{place} += 1")
        arguments = []
        for column, dtype in zip(step.reads, step.read, strict=True):
            if column not in known:
                reads.append((column, dtype))
            arguments.append(known.get(column, f"read_{len(reads) - 1}[i]"))
        lines += _call(place, arguments, returned)
        if not step.in_place:
            known, types_of = {}, {}
        for k, (column, dtype) in enumerate(zip(step.writes, step.written, strict=True)):
            names[f"type_{place}_{k}"] = numba.from_dtype(dtype)
            many = isinstance(returned.type if isinstance(returned, types.Optional) else returned, types.BaseTuple)
            lines.append(f"column_{place}_{k} = type_{place}_{k}(found_{place}{f'[{k}]' if many else ''})")
            known[column], types_of[column] = f"column_{place}_{k}", dtype
    counters = [f"given_{place}" for place in range(1, len(steps))]
    parameters = [*(["state"] if counters else []), *(f"read_{k}" for k in range(len(reads)))]
    source = LOOP.format(
        parameters=", ".join([*parameters, *(f"written_{k}" for k in range(len(known)))]),
        counts=_block([f"{each} = 0" for each in counters], 4),
        steps=_block(lines, 8),
        emit=_block([f"written_{k}[made] = {variable}" for k, variable in enumerate(known.values())], 8),
        counted=_block([f"state.{each} = {each}" for each in counters], 4),
    )
    exec(source, names)
    state = np.dtype([(each, np.int64) for each in counters]) if counters else None
    read, written = tuple(dtype for _, dtype in reads), tuple(types_of.values())
    compiled = compile_unit(" and ".join(step.name for step in steps), names["loop"], state, read, written)
    return TupleLoop(compiled, tuple(column for column, _ in reads), read, tuple(known), written)


def _call(place: int, arguments: Sequence[str], returned: Any) -> list[str]:
    call = f"function_{place}({', '.join(arguments)})"
    if not isinstance(returned, types.Optional):
        return [f"found_{place} = {call}"]
    return [f"values_{place} = {call}", f"if values_{place} is None:", "    continue", f"found_{place} = present(values_{place})"]


def _block(lines: Sequence[str], indent: int) -> str:
    return ("\n" + " " * indent).join(lines) or "pass"
