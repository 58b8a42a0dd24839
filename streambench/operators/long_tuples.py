"""Functions that return more values than Python displays as a tuple at once, for Numba."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable
from typing import Any

NOP, BUILD_TUPLE = dis.opmap["NOP"], dis.opmap["BUILD_TUPLE"]
AT_ONCE = 30
"""Values that Python's compiler puts on its stack for a display of a tuple."""


def with_long_tuples(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with every tuple built at once.

    Of more than AT_ONCE values Python makes a list, value by value, and a tuple of that; Numba does not read it.
    """
    if not isinstance(function, types.FunctionType):
        return function
    code = bytearray(function.__code__.co_code)
    lists: list[list[int]] = []  # where each list that is not yet a tuple is begun and appended to
    tuples: list[list[int]] = []
    for each in dis.get_instructions(function):
        if each.opname == "BUILD_LIST" and each.arg == 0:
            lists.append([each.offset])
        elif each.opname == "LIST_APPEND" and each.arg == 1 and lists:
            lists[-1].append(each.offset)
        elif _makes_tuple(each) and lists:
            tuples.append([*lists.pop(), each.offset])
    if lists or not tuples or min(map(len, tuples)) < AT_ONCE + 3:
        return function  # it has lists of its own, which this does not tell from those
    for *places, end in tuples:
        for place in places:
            code[place : place + 2] = NOP, 0
        code[end : end + 2] = BUILD_TUPLE, len(places) - 1
    made = types.FunctionType(
        function.__code__.replace(co_code=bytes(code)),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _makes_tuple(instruction: dis.Instruction) -> bool:
    """LIST_TO_TUPLE, which Python 3.12 has among its intrinsics."""
    return instruction.opname == "LIST_TO_TUPLE" or "LIST_TO_TUPLE" in str(instruction.argrepr)
