"""Addresses of states, for generated loops: what Numba has no words for.

Imported only where Numba is installed.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic

BYTE = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)


@intrinsic
def at_address(typing_context: Any, address: Any) -> Any:
    """The pointer that a number is."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), lower


@intrinsic
def asked_for(typing_context: Any, address: Any) -> Any:
    """Ask for the cache line at an address, to be written to. Any address will do."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [BYTE, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [BYTE], declared)
        builder.call(prefetch, [builder.inttoptr(arguments[0], BYTE), number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), lower


@intrinsic
def far_state(typing_context: Any, find_far: Any, keyed: Any, key: Any) -> Any:
    """The address of a key's state, by the function at ``find_far``: ``far_state`` of ``fused_functions.pyx``."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = ir.FunctionType(WORD, [WORD, WORD]).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return types.int64(types.int64, types.int64, types.int64), lower
