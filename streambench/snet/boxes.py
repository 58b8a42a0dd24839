"""Boxes as Python calls them: functions of one's own, found by the box's name, and what they give.

A box function gets the values of its input labels, in the order of the signature. It gives None (no record), a dict by
label, a tuple in the order of the signature (of a box with one output variant, as Numba functions do), or several of
these: a list, or what a generator yields.

Native boxes are C functions of ``streambench.pyx.native_box``, which FRONT calls without the GIL: those of a
module's ``__pyx_capi__`` (Cython's ``cdef api``), capsules, and what has an ``address``, as Numba's ``cfunc``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from streambench.errors import OptionError
from streambench.pyx.front.native_box import NativeBox
from streambench.snet import types
from streambench.snet.errors import SnetError
from streambench.snet.record import is_tag_value
from streambench.snet.syntax import Box, Label
from streambench.user_code import exception_line, shown

BoxFunction = Callable[..., Any]
Boxes = ModuleType | Mapping[str, BoxFunction]
CAPSULE = "PyCapsule"
MOST_CALLS = 1024  # of a box at a time


def is_count(value: Any, most: int) -> bool:
    """Whether it is a whole number from 1 to ``most``."""
    return not isinstance(value, bool) and is_tag_value(value) and 1 <= value <= most


@dataclass(frozen=True)
class Concurrency:
    """How many calls of a box may be under way at a time (section 4.7): of those named, and of all ``others``."""

    named: Mapping[str, int] = field(default_factory=dict)
    others: int = 1

    def __post_init__(self) -> None:
        """Raises OptionError for what is no number of calls."""
        for calls in (self.others, *self.named.values()):
            if not is_count(calls, MOST_CALLS):
                raise OptionError(f"`concurrency` must be 1 to {MOST_CALLS}, not {shown(calls)}.")

    def of(self, box: str) -> int:
        """The number of one box."""
        return self.named.get(box, self.others)


class NativeCalls:
    """A native box, called from Python: it gives dicts, as others do."""

    def __init__(self, box: Box, function: object, keeps: object = None) -> None:
        """``function``: a capsule, or an address, of what lives in ``keeps``. Raises SnetError for a capsule of another
        C function.
        """
        self._box = box
        inputs = [not types.is_tag(label) for label in box.inputs or ()]
        outputs = [[not types.is_tag(label) for label in variant] for variant in box.outputs]
        try:
            self.native = NativeBox(function, inputs, outputs, keeps)
        except TypeError as problem:
            raise SnetError(box.place, f"box {box.name} has no function: {problem}.") from None

    def __call__(self, *values: object) -> list[dict[Label, Any]]:
        """What the box gives. Raises SnetError for what it must not do."""
        answer = self.native.call(list(values))
        if isinstance(answer, str):
            raise SnetError(self._box.place, f"box {self._box.name} {answer}.")
        return [dict(zip(self._box.outputs[variant], values_out, strict=True)) for variant, values_out in answer]


def functions(boxes: Iterable[Box], source: Boxes | None) -> dict[str, BoxFunction]:
    """The function of every box by its name. Raises SnetError for a box without one."""
    return {box.name: _function(box, source) for box in boxes}


def call(box: Box, function: BoxFunction, values: Mapping[Label, Any]) -> list[dict[Label, Any]]:
    """What the box makes of a record: the labels that it declares, with their values, record by record.

    Raises SnetError where the function raises anything, and for what the box does not declare; MemoryError where a
    native box is refused memory, as in a runtime that calls it without Python.
    """
    arguments = [values[label] for label in box.inputs or ()]
    try:
        return [_checked(box, each) for each in _several(function(*arguments))]
    except (SnetError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        if isinstance(function, NativeCalls) and isinstance(problem, MemoryError):
            raise
        # `sys.exit()` is told, too: records that are missing must not look like success
        raise SnetError(box.place, f"box {box.name} raised {exception_line(problem)}.") from problem


def _function(box: Box, source: Boxes | None) -> BoxFunction:
    if source is None:
        raise SnetError(box.place, f"box {box.name} needs a function: name the module of the boxes.")
    if isinstance(source, Mapping):
        box_function: Any = source.get(box.name)
    else:
        box_function = getattr(source, box.name, None) or getattr(source, "__pyx_capi__", {}).get(box.name)
    kind = f"module {source.__name__}" if isinstance(source, ModuleType) else f"a {type(source).__name__}"
    where = "the dict of boxes" if isinstance(source, Mapping) else kind
    if box_function is None:
        raise SnetError(box.place, f"{where} has no function for box {box.name}.")
    if type(box_function).__name__ == CAPSULE:
        return NativeCalls(box, box_function, source)
    if isinstance(getattr(box_function, "address", None), int):
        return NativeCalls(box, _address(box, box_function), box_function)
    if not callable(box_function):
        raise SnetError(box.place, f"{box.name} of {where} is no function.")
    function: BoxFunction = box_function
    return function


def _address(box: Box, compiled: Any) -> int:
    """Of a function that Numba has compiled for C."""
    signature = str(getattr(compiled, "_sig", "")).replace(" ", "")
    if signature not in ("(void*,)->none", "(voidptr,)->none"):
        raise SnetError(box.place, f"box {box.name} is compiled as {signature}: Numba's cfunc must be void(voidptr).")
    address: int = compiled.address
    return address


def _several(answer: Any) -> Iterator[Any]:
    if answer is None:
        return
    if isinstance(answer, list | Iterator):
        yield from answer
    else:
        yield answer


def _checked(box: Box, answer: Any) -> dict[Label, Any]:
    if isinstance(answer, tuple):
        if len(box.outputs) != 1:
            raise SnetError(box.place, f"box {box.name} has several output variants: give dicts, not tuples.")
        if len(answer) != len(box.outputs[0]):
            raise SnetError(
                box.place, f"box {box.name} gives {len(answer)} values, and declares {len(box.outputs[0])}."
            )
        record = dict(zip(box.outputs[0], answer, strict=True))
    elif isinstance(answer, Mapping):
        record = dict(answer)
        if not any(record.keys() == set(variant) for variant in box.outputs):
            labels = types.label_text(map(str, record))
            raise SnetError(box.place, f"box {box.name} gives {labels}, which it does not declare.")
    else:
        raise SnetError(
            box.place, f"box {box.name} gives {shown(answer)}: boxes give None, dicts, tuples or lists of them."
        )
    for label, value in record.items():
        if types.is_tag(label):
            if not is_tag_value(value):
                raise SnetError(
                    box.place, f"box {box.name} gives tag {label} the value {shown(value)}: tags have 32 bits."
                )
            record[label] = int(operator.index(value))
    return record
