"""One loop over tuples around functions of a tuple, each of which is given what those before it make of the tuple.

Imported only where Numba is installed. The loop is generated source, as in ``compiling``; Numba inlines the functions,
so that what one hands to the next stays in registers.
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
    """The loop of ``steps``. Where all are in place it writes what they append; else all columns of the last's tuples.

    Raises OptionError for a function that Numba cannot compile, or whose values do not fit the columns.
    """
    names: dict[str, Any] = {"present": present}
    known: dict[str, tuple[str, DType]] = {}  # what steps have made: column, variable, type
    reads: list[tuple[str, DType]] = []  # of the stream
    lines: list[str] = []
    for place, step in enumerate(steps):
        arguments = []
        for column, dtype in zip(step.reads, step.read, strict=True):
            if column not in known:
                reads.append((column, dtype))
            arguments.append(known[column][0] if column in known else f"read_{len(reads) - 1}[i]")
        lines += [f"given_{place} += 1"] if place else []
        lines += _call(place, step, arguments, names)
        made = {column: (f"column_{place}_{k}", step.written[k]) for k, column in enumerate(step.writes)}
        known = {**known, **made} if step.in_place else made
    counters = [f"given_{place}" for place in range(1, len(steps))]
    parameters = [*(["state"] if counters else []), *(f"read_{k}" for k in range(len(reads)))]
    source = LOOP.format(
        parameters=", ".join([*parameters, *(f"written_{k}" for k in range(len(known)))]),
        counts=_block([f"{each} = 0" for each in counters], 4),
        steps=_block(lines, 8),
        emit=_block([f"written_{k}[made] = {variable}" for k, (variable, _) in enumerate(known.values())], 8),
        counted=_block([f"state.{each} = {each}" for each in counters], 4),
    )
    exec(source, names)
    state = np.dtype([(each, np.int64) for each in counters]) if counters else None
    read, written = tuple(dtype for _, dtype in reads), tuple(dtype for _, dtype in known.values())
    compiled = compile_unit(" and ".join(step.name for step in steps), names["loop"], state, read, written)
    return TupleLoop(compiled, tuple(column for column, _ in reads), read, tuple(known), written)


def _call(place: int, step: Step, arguments: Sequence[str], names: dict[str, Any]) -> list[str]:
    """Lines that call a step's function, go on to the next tuple for None, else set variables of its columns' types.

    What they name is added to ``names``.
    """
    function, returned = jitted(step.name, step.function, [numba.from_dtype(dtype) for dtype in step.read])
    require_values(step.name, returned, step.written, step.in_place)
    names[f"function_{place}"] = function
    filtered = isinstance(returned, types.Optional)
    many = isinstance(returned.type if filtered else returned, types.BaseTuple)
    lines = [f"found_{place} = function_{place}({', '.join(arguments)})"]
    if filtered:
        lines += [f"if found_{place} is None:", "    continue"]
    for k, dtype in enumerate(step.written):
        names[f"type_{place}_{k}"] = numba.from_dtype(dtype)
        lines.append(f"column_{place}_{k} = type_{place}_{k}(present(found_{place}){f'[{k}]' if many else ''})")
    return lines


def _block(lines: Sequence[str], indent: int) -> str:
    return ("\n" + " " * indent).join(lines) or "pass"
