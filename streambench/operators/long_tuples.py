"""Functions that return more values than Python displays as a tuple at once, for Numba."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any

NOP, BUILD_TUPLE = dis.opmap["NOP"], dis.opmap["BUILD_TUPLE"]
AT_ONCE = 30
"""Values that Python's compiler puts on its stack for a display of a tuple."""


def with_long_tuples(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with every tuple built at once.

    Of more than AT_ONCE values Python makes a list, value by value, and a tuple of that; Numba does not read it. A list
    of the function's own never becomes a tuple in its place on the stack.
    """
    if not isinstance(function, types.FunctionType):
        return function
    code = bytearray(function.__code__.co_code)
    stack = function.__code__.co_stacksize
    for *places, end in _lists_of_tuples(function):
        if len(places) > AT_ONCE + 1:
            for place in places:
                code[place : place + 2] = NOP, 0
            code[end : end + 2] = BUILD_TUPLE, len(places) - 1
            stack += len(places)
    if code == function.__code__.co_code:
        return function
    rebound = types.FunctionType(
        function.__code__.replace(co_code=bytes(code), co_stacksize=stack),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    rebound.__kwdefaults__ = function.__kwdefaults__
    return rebound


def _lists_of_tuples(function: types.FunctionType) -> Iterator[list[int]]:
    """Of each tuple made of a list: where the list is begun, where values are appended, where it becomes a tuple."""
    lists: dict[int, list[int]] = {}  # by their place on the stack
    depths: dict[int, int] = {}  # of the stack where a jump leads
    depth = 0
    for each in dis.get_instructions(function):
        depth = depths.get(each.offset, depth)
        if each.opname == "BUILD_LIST" and each.arg == 0:
            lists[depth] = [each.offset]
        elif each.opname == "LIST_APPEND" and each.arg == 1 and depth - 2 in lists:
            lists[depth - 2].append(each.offset)
        elif each.opname == "LIST_EXTEND":
            lists.pop(depth - 1 - (each.arg or 0), None)
        elif _makes_tuple(each) and depth - 1 in lists:
            yield [*lists.pop(depth - 1), each.offset]
        argument = each.arg if each.opcode >= dis.HAVE_ARGUMENT else None
        if each.opcode in dis.hasjrel or each.opcode in dis.hasjabs:
            depths[each.argval] = depth + dis.stack_effect(each.opcode, argument, jump=True)
        depth += dis.stack_effect(each.opcode, argument, jump=False)


def _makes_tuple(instruction: dis.Instruction) -> bool:
    """LIST_TO_TUPLE, which Python 3.12 has among its intrinsics."""
    return instruction.opname == "LIST_TO_TUPLE" or "LIST_TO_TUPLE" in str(instruction.argrepr)
