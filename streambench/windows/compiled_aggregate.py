"""What Numba makes of an aggregate of a user's own.

Imported only where Numba is installed.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from numba import types

from streambench.errors import OptionError
from streambench.operators.compile_errors import require_values
from streambench.operators.compiling import jitted, may_raise
from streambench.windows.own_aggregate import OwnAggregate

ADD = "def entry(state, value):\n    function(carray(state, 1, state_type)[0], value)"
MERGE = "def entry(state, other):\n    function(carray(state, 1, state_type)[0], carray(other, 1, state_type)[0])"
RESULT = "def entry(state):\n    return kind(function(carray(state, 1, state_type)[0]))"


@functools.lru_cache(maxsize=256)
def compiled_aggregate(own: OwnAggregate, floating: bool) -> tuple[Any, Any, Any]:
    """Its three functions as C has them, for values that are float64 or int64; what holds their code."""
    try:
        record = numba.from_dtype(own.state)
    except (AttributeError, numba.core.errors.NumbaError):
        raise OptionError(f"aggregate {own.name}: Numba has no type for a state of {own.state}.") from None
    value = types.float64 if floating else types.int64
    emitted = types.float64 if own.emits == "float64" else types.int64
    functions = ((own.add, (record, value)), (own.merge, (record, record)), (own.result, (record,)))
    made = []
    for function, given in functions:
        name = getattr(function, "__name__", own.name)
        compiled, returned = jitted(name, function, given, (own.name,) if function is own.add else ())
        if may_raise(compiled):
            raise OptionError(
                f"aggregate {own.name}: {name} may raise an exception, for which no tuple can be refused: leave out "
                "raise, int() of floats, ** and ranges from a start."
            )
        if function is own.result:
            require_values(name, returned, (own.name,), (np.dtype(own.emits),), in_place=True)
        made.append(compiled)
    sources = ((ADD, types.void(types.voidptr, value)), (MERGE, types.void(types.voidptr, types.voidptr)),
               (RESULT, emitted(types.voidptr)))  # fmt: skip
    add, merge, result = (
        _entry(source, signature, function, own, emitted)
        for (source, signature), function in zip(sources, made, strict=True)
    )
    return add, merge, result


def _entry(source: str, signature: Any, function: Any, own: OwnAggregate, kind: Any) -> Any:
    names = {"carray": numba.carray, "function": function, "state_type": own.state, "kind": kind}
    exec(source, names)
    return numba.cfunc(signature)(names["entry"])
