"""Work that is added to a query's operators, so that they cost as much as the paper's (paper 000, section 7.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.queries.parametric.calibration import rounds_for
from streambench.queries.parametric.costly import TUPLE_SIZE, costly

LEAST, LARGEST = 1e-9, 1.0  # seconds: longer, and Ctrl-C would wait for a tuple
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
FORM = "10us for every operator, or Operator=10us, several with + between them"
MARK = "@"  # between a query's name and the cost


@dataclass(frozen=True)
class OperatorCost:
    """Seconds that each tuple costs besides, by the name of the operator; ``""`` is every operator."""

    seconds: tuple[tuple[str, float], ...] = ()

    @classmethod
    def parse(cls, text: str) -> OperatorCost:
        """``10us``, or ``PairCounts=10us+TopPairs=2us``; ``0`` is none. Raises OptionError for anything else."""
        if text.strip() in ("", "0"):
            return cls()
        named = [_named(part.strip(), text) for part in text.split("+")]
        if len(dict(named)) < len(named) or ("" in dict(named) and len(named) > 1):
            raise OptionError(f"`operator-cost` takes {FORM}, not {text!r}.")
        return cls(tuple(named))

    def __str__(self) -> str:
        """As it is parsed."""
        parts = (f"{name}={_time(each)}" if name else _time(each) for name, each in self.seconds)
        return "+".join(parts) or "0"

    def __bool__(self) -> bool:
        return bool(self.seconds)

    @property
    def most(self) -> float:
        """Seconds of the operator that costs the most."""
        return max((each for _, each in self.seconds), default=0.0)

    @classmethod
    def of_workload(cls, name: str) -> tuple[str, OperatorCost]:
        """A query's name, and the cost of ``q2@10us``."""
        query, _, cost = name.partition(MARK)
        return query, cls.parse(cost)

    def workload(self, query: str) -> str:
        """What the query is called with this cost."""
        return f"{query}{MARK}{self}" if self else query

    def added_to(self, operators: list[Any]) -> list[Any]:
        """The operators between source and sink, with the work. Raises OptionError for a name that none has."""
        by_name = dict(self.seconds)
        names = [each.name for each in operators]
        for name in by_name:
            if name and name not in names:
                raise OptionError(f"there is no operator {name} to cost more: choose from {', '.join(names)}.")
        added = (by_name.get(name, by_name.get("", 0.0)) for name in names)
        return [
            costly(each, rounds_for(cost * 1e6, TUPLE_SIZE)) if cost else each
            for each, cost in zip(operators, added, strict=True)
        ]


def without_cost(operators: list[Any]) -> list[Any]:
    """The operators themselves, which have the state."""
    return [getattr(each, "inner", each) for each in operators]


def _named(part: str, text: str) -> tuple[str, float]:
    match = re.fullmatch(r"(?:(\w+)=)?(\d+(?:\.\d*)?)(\D+)", part)
    seconds = float(match[2]) * UNITS.get(match[3], 0.0) if match else 0.0
    if match is None or not LEAST <= seconds <= LARGEST:
        raise OptionError(f"`operator-cost` takes {FORM}, from 1ns to 1s, not {text!r}.")
    return match[1] or "", seconds


def _time(seconds: float) -> str:
    unit = next((name for name in ("s", "ms", "us") if seconds >= UNITS[name]), "ns")
    return f"{seconds / UNITS[unit]:.6g}{unit}"
