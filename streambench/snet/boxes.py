"""Boxes as Python calls them: functions of one's own, found by the box's name, and what they give.

A box function gets the values of its input labels, in the order of the signature. It gives None (no record), a dict by
label, a tuple in the order of the signature (of a box with one output variant, as Numba functions do), or several of
these: a list, or what a generator yields.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from streambench.snet import types
from streambench.snet.errors import SnetError
from streambench.snet.record import is_tag_value
from streambench.snet.syntax import Box, Label
from streambench.user_code import told

BoxFunction = Callable[..., Any]
Boxes = ModuleType | Mapping[str, BoxFunction]


def functions(boxes: Iterable[Box], given: Boxes | None) -> dict[str, BoxFunction]:
    """The function of every box by its name. Raises SnetError for a box without one."""
    return {box.name: _function(box, given) for box in boxes}


def call(box: Box, function: BoxFunction, values: Mapping[Label, Any]) -> list[dict[Label, Any]]:
    """What the box makes of a record: the labels that it declares, with their values, record by record.

    Raises SnetError where the function raises anything, and for what the box does not declare.
    """
    arguments = [values[label] for label in box.inputs or ()]
    try:
        given = list(_several(function(*arguments)))
    except Exception as problem:
        raise SnetError(box.place, f"box {box.name} raised {told(problem)}.") from problem
    return [_checked(box, each) for each in given]


def _function(box: Box, given: Boxes | None) -> BoxFunction:
    if given is None:
        raise SnetError(box.place, f"box {box.name} needs a function: name the module of the boxes.")
    found = given.get(box.name) if isinstance(given, Mapping) else getattr(given, box.name, None)
    where = "the dict of boxes" if isinstance(given, Mapping) else f"module {given.__name__}"
    if found is None:
        raise SnetError(box.place, f"{where} has no function for box {box.name}.")
    if not callable(found):
        raise SnetError(box.place, f"{box.name} of {where} is no function.")
    return found


def _several(given: Any) -> Iterator[Any]:
    if given is None:
        return
    if isinstance(given, list | Iterator):
        yield from given
    else:
        yield given


def _checked(box: Box, given: Any) -> dict[Label, Any]:
    if isinstance(given, tuple):
        if len(box.outputs) != 1:
            raise SnetError(box.place, f"box {box.name} has several output variants: give dicts, not tuples.")
        if len(given) != len(box.outputs[0]):
            raise SnetError(box.place, f"box {box.name} gives {len(given)} values, and declares {len(box.outputs[0])}.")
        made = dict(zip(box.outputs[0], given, strict=True))
    elif isinstance(given, Mapping):
        made = dict(given)
        if not any(made.keys() == set(variant) for variant in box.outputs):
            labels = types.told(map(str, made))
            raise SnetError(box.place, f"box {box.name} gives {labels}, which it does not declare.")
    else:
        raise SnetError(box.place, f"box {box.name} gives {given!r}: boxes give None, dicts, tuples or lists of them.")
    for label, value in made.items():
        if types.is_tag(label):
            if not is_tag_value(value):
                raise SnetError(box.place, f"box {box.name} gives tag {label} the value {value!r}: tags have 32 bits.")
            made[label] = operator.index(value)
    return made
