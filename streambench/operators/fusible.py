"""Which neighbouring operators around functions of a tuple become one loop."""

from __future__ import annotations

from typing import Any, NamedTuple

from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.fused_functions import FusedFunctions
from streambench.pyx.functions.keyed_operator import KeyedFunction
from streambench.pyx.functions.unit_operators import StatelessFunction
from streambench.pyx.tuples.operator import Operator

NEAR_ENOUGH = 1 << 18
"""Bytes of states that are fast without being asked for ahead: they fit into a core's cache."""


class Fusible(NamedTuple):
    """What the operator around a compiled function is made of; ``before``: the operator before it."""

    step: Any
    before: Operator

    def fused_behind(
        self, operator: StatelessFunction | KeyedFunction, before: tuple[Operator, ...]
    ) -> FusedFunctions | None:
        """As an operator's, for the ``operator`` of this.

        A loop begins as far in front as it can, and has one keyed operator at most. One that it cannot have ends it.
        """
        operators: list[Any] = [operator]
        for each in before:
            if not isinstance(each, StatelessFunction | KeyedFunction) or each.fusible is None:
                break
            if isinstance(each, KeyedFunction) and any(isinstance(other, KeyedFunction) for other in operators):
                break
            operators.insert(0, each)
        keyed = [k for k, each in enumerate(operators) if isinstance(each, KeyedFunction)]
        return _fused(operators) or (_fused(operators[keyed[0] + 1 :]) if keyed else None)


def _all_near(keyed: KeyedFunction) -> bool:
    """Are states found without a hash table, as far as is known? Far ones are asked for ahead by the operator alone."""
    return bool(keyed.low_key >= 0 and keyed.near_size >= max(keyed.high_key, 1) * keyed.row_size)


def _fused(operators: list[Any]) -> FusedFunctions | None:
    """The operators as one loop, None where it would not be right or not be faster."""
    from streambench.operators.tuple_loop import compile_loop, refuses

    if len(operators) < 2:
        return None
    steps = tuple(each.fusible.step for each in operators)
    keyed = next((each for each in operators if isinstance(each, KeyedFunction)), None)
    if keyed is not None and (not _all_near(keyed) or any(refuses(step) for step in steps)):
        return None  # when a tuple is refused states have changed
    loop = compile_loop(steps)
    if keyed is not None and not loop.asks_ahead and keyed.near_size > NEAR_ENOUGH:
        return None
    emitted = operators[0].fusible.before.emitted
    places = tuple(emitted.index(each) for each in loop.reads)
    first = len(operators[-1].emitted) - len(loop.writes)
    try:
        bound = BoundColumns(places, loop.read, first, loop.written)
    except ValueError:  # they read more columns together than a loop can
        return None
    return FusedFunctions(tuple(operators), loop.entry, bound, keyed)
