"""One loop over tuples around functions of a tuple, each of which is given what those before it make of the tuple.

Imported only where Numba is installed. The loop is generated source, as in ``compiling``; Numba inlines the functions,
so that what one hands to the next stays in registers. One of them may be keyed: it is given its key's state, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from streambench.operators.column_types import wide
from streambench.operators.compile_errors import column_type, record_type, require_values, shown
from streambench.operators.compiling import (
    in_tuple,
    jitted,
    may_raise,
    narrowing,
    present,
    unit_entry,
    widened,
)
from streambench.operators.state_address import asked_for, at_address, far_state

DType = np.dtype[Any]

LOOP = """
def loop({parameters}):
    made = 0
    n = len(read_0)
    {counts}
    for i in range(n):
        {steps}
        {emit}
        made += 1
    {counted}
    return made
"""


KEYED = """
{ask}
key = np.int64({key})
if np.uint64(key) < near_keys:
    at = near + key * {row_size}
else:
    at = far_state(find_far, keyed, key)
record = carray(at_address(at), 1, record_type)[0]
"""
TABLE = (("near", np.int64), ("near_keys", np.uint64), ("find_far", np.int64), ("keyed", np.int64))
"""Where a keyed function's states are, as ``FusedFunctions`` tells it."""
AHEAD = 32  # tuples by which states are asked for, as `ROWS_AHEAD` of `KeyedRows`


REFUSES = """
def one({parameters}):
    {lines}
    return {made}
"""


class Keyed(NamedTuple):
    """Of a step that is given a state: the column of its key, the state's type, and the bytes from one to the next."""

    key: str
    key_type: DType
    state: DType
    row_size: int


class Step(NamedTuple):
    """``function(*reads)`` returns the values of the columns ``writes``, or None to drop the tuple.

    ``in_place``: the tuple keeps its columns besides. ``keyed``: it is ``function(state, *reads)``.
    """

    name: str
    function: Callable[..., Any]
    reads: tuple[str, ...]
    read: tuple[DType, ...]
    writes: tuple[str, ...]
    written: tuple[DType, ...]
    in_place: bool
    keyed: Keyed | None = None


class TupleLoop(NamedTuple):
    """``entry``: a function of columns, as of ``compile_unit``; which it reads and writes, and these columns' types.

    Of several steps it has a state: how many tuples each but the first was given; before that, with a keyed one, a
    TABLE.
    ``asks_ahead``: states are asked for before they are needed, by the keys that tuples have at first.
    """

    entry: Any
    reads: tuple[str, ...]
    read: tuple[DType, ...]
    writes: tuple[str, ...]
    written: tuple[DType, ...]
    asks_ahead: bool


@functools.lru_cache(maxsize=256)
def compile_loop(steps: tuple[Step, ...]) -> TupleLoop:
    """The loop of ``steps``. Where all are in place it writes what they append; else all columns of the last's tuples.

    Raises OptionError for a function that Numba cannot compile, or whose values do not fit the columns.
    """
    names: dict[str, Any] = {"present": present, "np": np}
    known: dict[str, tuple[str, DType]] = {}  # what steps have made: column, variable, type
    reads: list[tuple[str, DType]] = []  # of the stream
    lines: list[str] = []
    asks_ahead = False
    for place, step in enumerate(steps):
        arguments = [_value(*each, known, reads, names) for each in zip(step.reads, step.read, strict=True)]
        lines += [f"given_{place} += 1"] if place else []
        if step.keyed is not None:
            key = _value(step.keyed.key, step.keyed.key_type, known, reads, names)
            ask = _ask_ahead(step.keyed, reads)
            asks_ahead = bool(ask)
            lines += KEYED.format(ask=ask, key=key, row_size=step.keyed.row_size).strip().splitlines()
            names |= {"at_address": at_address, "asked_for": asked_for, "far_state": far_state}
            names |= {"carray": numba.carray, "record_type": wide(step.keyed.state)}
            arguments.insert(0, "record")
        lines += _call(place, step, arguments, names)
        columns_written = {column: (f"column_{place}_{k}", step.written[k]) for k, column in enumerate(step.writes)}
        known = {**known, **columns_written} if step.in_place else columns_written
    counters = [f"given_{place}" for place in range(1, len(steps))]
    table = TABLE if any(step.keyed for step in steps) else ()
    fields = [*table, *((each, np.int64) for each in counters)]
    parameters = [*(["state"] if fields else []), *(f"read_{k}" for k in range(len(reads)))]
    source = LOOP.format(
        parameters=", ".join([*parameters, *(f"written_{k}" for k in range(len(known)))]),
        counts=_block([*(f"{each} = state.{each}" for each, _ in table), *(f"{each} = 0" for each in counters)], 4),
        steps=_block(lines, 8),
        emit=_block([f"written_{k}[made] = {variable}" for k, (variable, _) in enumerate(known.values())], 8),
        counted=_block([f"state.{each} = {each}" for each in counters], 4),
    )
    exec(source, names)
    state = np.dtype(fields) if fields else None
    read, written = tuple(dtype for _, dtype in reads), tuple(dtype for _, dtype in known.values())
    loop = numba.njit(error_model="numpy")(names["loop"])
    entry = unit_entry(loop, state, read, written, counted=True, raw=True)
    return TupleLoop(entry, tuple(column for column, _ in reads), read, tuple(known), written, asks_ahead)


@functools.lru_cache(maxsize=256)
def refuses(step: Step) -> bool:
    """May it refuse a tuple: its function, or a column that cannot take a value? True, if that is not known."""
    leading = ["state"] if step.keyed else []
    names: dict[str, Any] = {"present": present}
    parameters = [f"given_{k}" for k in range(len(step.read))]
    for k, dtype in enumerate(step.read):
        names[f"widened_{k}"] = widened(dtype)
    lines = _call(0, step, [*leading, *(f"widened_{k}({each})" for k, each in enumerate(parameters))], names)
    results = [f"column_0_{k}" for k in range(len(step.writes))]
    source = REFUSES.format(
        parameters=", ".join([*leading, *parameters]),
        lines=_block(lines, 4).replace("continue", "return None"),
        made=in_tuple(results),
    )
    exec(source, names)
    kinds = [wide(step.keyed.state)] if step.keyed else []
    types_given = tuple(numba.from_dtype(dtype) for dtype in (*kinds, *step.read))
    return may_raise(numba.njit(types_given, error_model="numpy")(names["one"]))


def returned_type(step: Step) -> str:
    """The type that a step's function returns, in words."""
    return shown(jitted(step.name, step.function, _arguments(step), step.reads)[1])


def _arguments(step: Step) -> tuple[Any, ...]:
    states = [record_type(step.name, wide(step.keyed.state))] if step.keyed else []
    return (*states, *(column_type(step.name, *each) for each in zip(step.reads, step.read, strict=True)))


def _value(
    column: str,
    dtype: DType,
    known: dict[str, tuple[str, DType]],
    reads: list[tuple[str, DType]],
    names: dict[str, Any],
) -> str:
    """A column's value: a variable, or an element of the stream's column, which is added to ``reads``."""
    if column in known:
        return known[column][0]
    if (column, dtype) not in reads:
        reads.append((column, dtype))
    k = reads.index((column, dtype))
    names[f"widened_{k}"] = widened(dtype)
    return f"widened_{k}(read_{k}[i])"


def _ask_ahead(keyed: Keyed, reads: Sequence[tuple[str, DType]]) -> str:
    """A line that asks for the state of a later tuple, or none.

    By the key that this one has in the stream. Steps before may give it another; any is right, as nothing is read.
    """
    for k, (column, dtype) in enumerate(reads):
        if column == keyed.key and dtype.kind in "iub":
            return f"if i + {AHEAD} < n: asked_for(near + np.int64(read_{k}[i + {AHEAD}]) * {keyed.row_size})"
    return ""


def _call(place: int, step: Step, arguments: Sequence[str], names: dict[str, Any]) -> list[str]:
    """Lines that call a step's function, go on to the next tuple for None, else set variables to what its columns take.

    What they name is added to ``names``.
    """
    function, returned = jitted(step.name, step.function, _arguments(step), step.reads)
    require_values(step.name, returned, step.writes, step.written, step.in_place)
    names[f"function_{place}"] = function
    filtered = isinstance(returned, types.Optional)
    many = isinstance(returned.type if filtered else returned, types.BaseTuple)
    lines = [f"arguments_{place} = {in_tuple(arguments)}", f"found_{place} = function_{place}(*arguments_{place})"]
    if filtered:
        lines += [f"if found_{place} is None:", "    continue"]
    for k, dtype in enumerate(step.written):
        names[f"taken_{place}_{k}"] = narrowing(dtype, kept=True)
        lines.append(f"column_{place}_{k} = taken_{place}_{k}(present(found_{place}){f'[{k}]' if many else ''})")
    return lines


def _block(lines: Sequence[str], indent: int) -> str:
    return ("\n" + " " * indent).join(lines) or "pass"
