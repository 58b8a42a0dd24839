"""The aggregates of windows: what users name, and the columns that are emitted for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from streambench.errors import OptionError
from streambench.pyx.tuples.meaning import Meaning
from streambench.pyx.tuples.whole_number import is_whole_number
from streambench.windows.own_aggregate import OwnAggregate

Function = Literal[
    "count", "sum", "mean", "var", "min", "max", "first", "last", "distinct", "quantile", "top_k"
]  # fmt: skip
Aggregate = (
    Literal["count"]
    | tuple[Function | OwnAggregate, str]
    | tuple[Function, str, float]
    | tuple[Literal["top_k"], str, int, float]
)
"""``"count"`` of all tuples, or (function, column), or (function, column, parameter), of ``top_k`` with an error."""
COUNTS = ("rows", "count", "distinct")
OF_VALUES = ("min", "max", "first", "last")
FUNCTIONS = ("count", "sum", "mean", "var", "min", "max", "first", "last", "distinct", "quantile", "top_k")
NUMBERS = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8", "bool", "float64", "float32")
MOST_LOST = 1 << 53  # degrees of freedom
MOST_VALUES = 24  # of top_k: two columns each
STANDARD_ERROR = 1.04  # of HyperLogLog, times the square root of the number of registers
ERRORS = {"distinct": (0.005, 0.25), "top_k": (1e-6, 0.1)}


@dataclass(frozen=True)
class AggregateColumn:
    """An aggregate as it is stated. ``column``: what it reads, None for all tuples. ``parameter``: of ``quantile`` the
    share, of ``var`` the degrees of freedom that are lost, of ``top_k`` how many values. ``error``: of ``distinct`` and
    ``top_k`` in bounded memory; 0: they are exact."""

    name: str
    function: str
    column: str | None
    parameter: float
    own: OwnAggregate | None = None
    error: float = 0.0

    @classmethod
    def of(cls, name: str, stated: object) -> AggregateColumn:
        """Raises OptionError for what is no ``Aggregate``."""
        if not isinstance(name, str) or not name:
            raise OptionError(f"an aggregate is called by a text, not by {name!r}.")
        if isinstance(stated, str) and stated == "count":
            return cls(name, "rows", None, 0.0)
        if isinstance(stated, tuple | list) and stated and isinstance(stated[0], OwnAggregate):
            if len(stated) != 2 or not isinstance(stated[1], str):
                raise OptionError(f"aggregate {name}: an own aggregate needs one column, by a text, and nothing else.")
            return cls(name, "own", stated[1], 0.0, stated[0])
        if not isinstance(stated, tuple | list) or len(stated) not in (2, 3, 4) or not _is_function(stated[0]):
            raise OptionError(
                f"aggregate {name} must be 'count' or a tuple such as ('sum', 'amount'), of a function "
                f"({', '.join(FUNCTIONS)}) and a column, not {stated!r}."
            )
        function, column, *given = stated
        if not isinstance(column, str):
            raise OptionError(f"aggregate {name} must name a column by a text, not {column!r}.")
        error = 0.0
        if function in ERRORS and len(given) == 1 + (function == "top_k"):
            error = _error(name, function, given.pop())
        return cls(name, function, column, _parameter(name, function, given), error=error)

    @property
    def kind(self) -> str:
        """The function, by which sketch it is computed where it has an error."""
        return {"distinct": "hyperloglog", "top_k": "space_saving"}[self.function] if self.error else self.function

    @property
    def size(self) -> float:
        """The parameter; of a sketch, the logarithm of its registers or how many counters it has."""
        if not self.error:
            return self.parameter
        if self.function == "distinct":
            return float(math.ceil(2 * math.log2(STANDARD_ERROR / self.error)))
        return max(self.parameter, float(math.ceil(1 / self.error)))

    def emitted(self, type: np.dtype[Any] | None) -> dict[str, str]:
        """The names and types of its columns, where what it reads has this type."""
        if self.function in COUNTS or type is None:
            return {self.name: "int64"}
        if self.own is not None:
            return {self.name: self.own.emits}
        if self.function == "sum":
            return {self.name: "float64" if type.kind == "f" else "int64"}
        if self.function in OF_VALUES:
            return {self.name: type.str}
        if self.function != "top_k":
            return {self.name: "float64"}
        return {
            f"{self.name}_{k}{of}": as_type
            for k in range(1, int(self.parameter) + 1)
            for of, as_type in (("", type.str), ("_count", "int64"))
        }

    def values_of(self) -> tuple[str, ...]:
        """The emitted columns that hold values of the column that it reads."""
        if self.function == "top_k":
            return tuple(f"{self.name}_{k}" for k in range(1, int(self.parameter) + 1))
        return (self.name,) if self.function in OF_VALUES else ()


def _is_function(stated: object) -> bool:
    return isinstance(stated, str) and stated in FUNCTIONS


def _error(name: str, function: str, error: Any) -> float:
    least, most = ERRORS[function]
    if isinstance(error, bool) or not isinstance(error, int | float) or not least <= error <= most:
        raise OptionError(
            f"aggregate {name} takes an error from {least:g} to {most:g}, or none to be exact, not {error!r}."
        )
    return float(error)


def _parameter(name: str, function: str, given: list[Any]) -> float:
    if function == "quantile":
        share = given[0] if given else None
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise OptionError(f"aggregate {name} needs a share from 0 to 1, such as ('quantile', 'amount', 0.5).")
        return float(share)
    if len(given) > 1:
        raise OptionError(f"aggregate {name} takes one parameter at most, not {given!r}.")
    if function == "top_k":
        if not given or not is_whole_number(given[0]) or not 1 <= given[0] <= MOST_VALUES:
            raise OptionError(
                f"aggregate {name} needs a number of values from 1 to {MOST_VALUES}, such as ('top_k', 'page', 3)."
            )
        return float(given[0])
    if function == "var":
        if given and (not is_whole_number(given[0]) or not 0 <= given[0] <= MOST_LOST):
            raise OptionError(f"aggregate {name} loses a whole number of degrees of freedom, not {given[0]!r}.")
        return float(given[0]) if given else 1.0
    if given:
        raise OptionError(f"aggregate {name} takes no parameter: {function} needs a column alone, not {given[0]!r}.")
    return 0.0


def null_of(
    column: str, type: np.dtype[Any], nulls: Mapping[str, int], meaning: Meaning | None
) -> tuple[int | None, int]:
    """The integer that stands for null in a column, None where none does, and the one that is emitted for it."""
    stated: int | None = nulls.get(column)
    if stated is None and meaning is not None and meaning.null is not None and type.kind != "f":
        stated = int(meaning.null.as_py())
    if type.kind == "f":
        of_source = None if meaning is None or meaning.null is None else meaning.null.as_py()
        for null in (stated, of_source):
            if null is not None and null == null:  # NaN is no other's equal
                raise OptionError(
                    f"nulls= says {null!r} for column {column}, which is {type.name}: in windows its null is NaN, so "
                    "leave that out."
                )
        return None, 0
    least, most = (0, 1) if type.kind == "b" else (int(np.iinfo(type).min), int(np.iinfo(type).max))
    if stated is not None and (not is_whole_number(stated) or not least <= stated <= most):
        raise OptionError(
            f"nulls= says {stated!r} for column {column}, which is {type.name}: name a value it can hold."
        )
    if stated is not None:
        return int(stated), int(stated)
    return None, -1 if least < 0 else most if type.kind == "u" else 0
