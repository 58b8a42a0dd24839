"""What Numba makes of a function: compiled code that the runtime calls without the GIL.

Imported only where Numba is installed. Around the function stands a loop or a call in a few lines of generated source,
since Numba needs to see every column by itself: its type is a part of the code.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.callconv import RETCODE_NONE, RETCODE_OK
from numba.core.extending import intrinsic

from streambench.errors import OptionError
from streambench.operators.column_types import bounds, wide
from streambench.operators.compile_errors import column_type, record_type, refusal, require_count, require_values
from streambench.operators.compiler_passes import Compiler, WrongTypeError
from streambench.operators.long_tuples import with_long_tuples
from streambench.operators.named_values import with_names

DType = np.dtype[Any]

FEW = 16
"""Values in a display of a tuple: of more than 30 Python makes a list first, which Numba does not read."""
UNIT = """
def entry(n, read, room, written, state):
    try:
        made = call(n, read, room, written, state)
    except Exception:
        return -1
    return made


def call(n, read, room, written, state):
    {rooms}
    arguments = {arguments}
    {made}function(*arguments)
    {narrowed}
    return {answer}
"""
TUPLES = """
def entry(n, given, read, row, state, before, written, source_row, made):
    columns = {columns}
    rooms = {rooms}
    kept = carray(before, 1, state_type)
    {times}
    emitted = 0
    ended = -1
    i = 0
    try:
        for i in range(n):
            record = carray(state[i], 1, state_type)[0]
            kept[0] = record
            emitted = call(row[i], record, columns, rooms, source_row, emitted)
            {stop}
    except Exception:
        made[0] = emitted
        return i
    made[0] = emitted
    return ended


def call(at, record, columns, rooms, source_row, emitted):
    {begin}
    arguments = {arguments}
    values = function(*arguments)
    {emit}
    return emitted
"""
FIRST_LEFT = -3
STOP = """if times[row[i]] < record[{field!r}] <= times[row[n - 1]]:
                ended = {first} - i
                break"""
"""A timer is due before a later tuple: ``FIRST_LEFT`` of ``keyed_operator.pxd`` less the tuple's place."""


def compile_unit(
    name: str,
    function: Callable[..., Any],
    state: DType | None,
    columns: tuple[str, ...],
    read: Sequence[DType],
    written: Sequence[DType],
    *,
    counted: bool = False,
) -> Any:
    """A function of ``columns``, ``function([state,] *read, *written)``, as a ``CompiledUnit``.

    The arrays that it is given have the types of ``wide``. Raises OptionError for a function that Numba cannot
    compile, or that returns no number, or nothing where it has to be ``counted``.
    """
    state = None if state is None else wide(state)
    kinds = [column_type(name, *each) for each in zip(columns, (*read, *written), strict=True)]
    arrays = [types.Array(kind, 1, "C", readonly=k < len(read)) for k, kind in enumerate(kinds)]
    records = [] if state is None else [record_type(name, state)]
    compiled, returned = jitted(name, function, (*records, *arrays), columns)
    require_count(name, returned, or_nothing=not counted)
    return unit_entry(compiled, state, read, written, counted=isinstance(returned, types.Integer))


def unit_entry(
    compiled: Any,
    state: DType | None,
    read: Sequence[DType],
    written: Sequence[DType],
    *,
    counted: bool,
    raw: bool = False,
) -> Any:
    """A ``CompiledUnit`` around a function of arrays, of columns as they are with ``raw``."""
    names: dict[str, Any] = {"zeros": np.zeros}
    arguments = ["carray(state, 1, state_type)[0]"] if state is not None else []
    for k, dtype in enumerate(read):
        column = f"carray(read[{k}], n, read_type_{k})"
        if not raw and wide(dtype) != dtype:
            names[f"widened_{k}"] = widening(dtype)
            column = f"widened_{k}({column})"
        arguments.append(column)
    rooms, narrowed = [], []
    for k, dtype in enumerate(written):
        column = f"carray(written[{k}], room, written_type_{k})"
        if not raw and wide(dtype) != dtype:
            names |= {f"wide_type_{k}": wide(dtype), f"narrowed_{k}": narrowing_all(dtype)}
            rooms.append(f"room_{k} = zeros(room, wide_type_{k})")
            narrowed.append(f"narrowed_{k}({'min(made, room)' if counted else 'n'}, room_{k}, {column})")
            column = f"room_{k}"
        arguments.append(column)
    source = UNIT.format(
        rooms="\n    ".join(rooms) or "pass",
        made="made = " if counted else "",
        arguments=in_tuple(arguments),
        narrowed="\n    ".join(narrowed) or "pass",
        answer="made" if counted else "n",
    )
    pointers = types.CPointer(types.voidptr)
    signature = types.int64(types.int64, pointers, types.int64, pointers, types.voidptr)
    return _entry(source, signature, compiled, state, read, written, names)


def compile_tuples(
    name: str,
    function: Callable[..., Any],
    state: DType,
    reads: tuple[str, ...],
    read: Sequence[DType],
    writes: tuple[str, ...],
    written: Sequence[DType],
    in_place: bool,
    most: int = 1,
    *,
    silent: bool = False,
    timer: tuple[str, DType] | None = None,
) -> Any:
    """A function of a tuple, ``function(state, *read)``, as a ``CompiledTuples`` of ``keyed_operator.pyx``.

    ``reads``, ``writes``: the columns' names. With ``most`` above 1 it is ``function(state, *read, *written)`` and
    returns how many outputs it wrote to these arrays. ``silent``: it may emit nothing at all. ``timer``: a field of the
    state, and the type of the column of time, behind those that are read.
    Raises OptionError for one that Numba cannot compile, or whose values do not fit the columns.
    """
    state = wide(state)
    kinds = [column_type(name, *each) for each in zip((*reads, *writes), (*read, *written), strict=True)]
    values = (*kinds[: len(read)], *(types.Array(each, 1, "C") for each in kinds[len(read) :] if most > 1))
    columns = (*reads, *writes) if most > 1 else reads
    compiled, returned = jitted(name, function, (record_type(name, state), *values), columns)
    names: dict[str, Any] = {f"widened_{k}": widened(each) for k, each in enumerate(read)}
    arguments = ["record", *(f"widened_{k}(columns[{k}][at])" for k in range(len(read)))]
    if most > 1:
        require_count(name, returned)
        begin, emit = _rooms(written, most, names)
        arguments += [f"room_{k}" for k in range(len(written))]
    elif silent and isinstance(returned, types.NoneType):
        begin, emit = [], []
    else:
        require_values(name, returned, writes, written, in_place)
        begin, emit = [], _one_row(returned, written, in_place, names)
    room = "given" if in_place else f"n * {most}"
    source = TUPLES.format(
        columns=in_tuple([f"carray(read[{k}], given, read_type_{k})" for k in range(len(read))]),
        rooms=in_tuple([f"carray(written[{k}], {room}, written_type_{k})" for k in range(len(written))]),
        begin="\n    ".join(begin) or "pass",
        arguments=in_tuple(arguments),
        emit="\n    ".join(emit) or "pass",
        times="pass" if timer is None else f"times = carray(read[{len(read)}], given, read_type_{len(read)})",
        stop="pass" if timer is None else STOP.format(field=timer[0], first=FIRST_LEFT),
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
    bound = read if timer is None else (*read, timer[1])
    return _entry(source, signature, compiled, state, bound, written, names)


def _one_row(returned: Any, written: Sequence[DType], in_place: bool, names: dict[str, Any]) -> list[str]:
    """Lines that write the values that a function returned, None or a row; what they name is added to ``names``."""
    filtered = isinstance(returned, types.Optional)
    many = isinstance(returned.type if filtered else returned, types.BaseTuple)
    names |= {f"narrowed_{k}": narrowing(each) for k, each in enumerate(written)}
    place = "at" if in_place else "emitted"
    emit = [
        f"rooms[{k}][{place}] = narrowed_{k}(present(values){f'[{k}]' if many else ''})" for k in range(len(written))
    ]
    if not in_place:
        emit += ["source_row[emitted] = at", "emitted += 1"]
    return ["if values is not None:", *(f"    {each}" for each in emit)] if filtered else emit


def _rooms(written: Sequence[DType], most: int, names: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Lines before and behind a call that writes up to ``most`` rows to arrays."""
    begin, narrowed = [], []
    for k, dtype in enumerate(written):
        column = f"rooms[{k}][emitted : emitted + {most}]"
        if wide(dtype) == dtype:
            begin += [f"room_{k} = {column}", f"room_{k}[:] = 0"]
        else:
            names |= {f"wide_type_{k}": wide(dtype), f"narrowed_{k}": narrowing_all(dtype), "zeros": np.zeros}
            begin.append(f"room_{k} = zeros({most}, wide_type_{k})")
            narrowed.append(f"narrowed_{k}(values, room_{k}, {column})")
    check = [f"if values < 0 or values > {most}:", "    raise ValueError"]
    rows = ["for j in range(values):", "    source_row[emitted + j] = at", "emitted += values"]
    return begin, [*check, *narrowed, *rows]


def in_tuple(values: Sequence[str]) -> str:
    """The source of a tuple of however many values."""
    return " + ".join(f"({', '.join(values[k : k + FEW])},)" for k in range(0, len(values), FEW)) or "()"


@functools.cache
def widened(dtype: DType) -> Any:
    """A function of a column's value that gives it in the type of ``wide``; of uint64, or raises OverflowError."""
    kind = wide(dtype).type
    if dtype == np.uint64:

        @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
        def checked(value: Any) -> Any:
            if np.int64(value) < 0:
                raise OverflowError("an integer beyond 64 bits with a sign")
            return kind(value)

        return checked
    if dtype.kind not in "iuf":
        return numba.njit(lambda value: value)
    return numba.njit(lambda value: kind(value))


@functools.cache
def widening(dtype: DType) -> Any:
    """The same of a column's values: a new array."""
    one, kind = widened(dtype), wide(dtype)

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def all_widened(values: Any) -> Any:
        widened = np.empty(len(values), kind)
        for k in range(len(values)):
            widened[k] = one(values[k])
        return widened

    return all_widened


@functools.cache
def narrowing(dtype: DType, *, kept: bool = False) -> Any:
    """A function of a value that gives it in the column's type, or raises OverflowError.

    ``kept``: as functions have it.
    """
    kind = numba.from_dtype(dtype)
    own = numba.from_dtype(wide(dtype)) if kept else kind
    if dtype.kind == "f":
        return numba.njit(lambda value: own(kind(value)))
    if dtype.kind not in "iub":
        return numba.njit(lambda value: value)
    least, most = bounds(dtype)
    if dtype == np.int64:
        return numba.njit(lambda value: own(value))

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def checked(value: Any) -> Any:
        if not least <= np.int64(value) <= most:
            raise OverflowError("a value that its column cannot take")
        return own(value)

    return checked


@functools.cache
def narrowing_all(dtype: DType) -> Any:
    """A function that writes the first values of an array to a column."""
    one = narrowing(dtype)

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def all_narrowed(n: int, values: Any, to: Any) -> None:
        for k in range(n):
            to[k] = one(values[k])

    return all_narrowed


@intrinsic
def present(typing_context: Any, value: Any) -> Any:
    """A value that is not None, of a function that may return None."""
    kind = value.type if isinstance(value, types.Optional) else value

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], value, kind)

    return kind(value), lower


@functools.lru_cache(maxsize=256)
def jitted(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], columns: tuple[str, ...]
) -> tuple[Any, Any]:
    """What Numba makes of a user's function, and the type that it returns; its last parameters are for ``columns``."""
    options = {"error_model": "numpy", "pipeline_class": Compiler}
    try:
        named = with_names(
            name, function, lambda value: value, finish=lambda each: numba.njit(with_long_tuples(each), **options)
        )
        compiled = numba.njit(arguments, **options)(named.py_func)
    except OptionError:
        raise
    except Exception as error:  # Numba's own, and what it raises of Python's
        cause = None if isinstance(error, WrongTypeError) else error
        raise refusal(name, function, arguments, columns, error) from cause
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


def _entry(
    source: str,
    signature: Any,
    compiled: Any,
    state: DType | None,
    read: Sequence[DType],
    written: Sequence[DType],
    names: dict[str, Any],
) -> Any:
    names |= {"carray": numba.carray, "function": compiled, "present": present}
    names |= {f"read_type_{k}": each for k, each in enumerate(read)}
    names |= {f"written_type_{k}": each for k, each in enumerate(written)}
    if state is not None:
        names["state_type"] = state
    exec(source, names)
    names["call"] = numba.njit(error_model="numpy")(names["call"])
    return numba.cfunc(signature)(names["entry"])
