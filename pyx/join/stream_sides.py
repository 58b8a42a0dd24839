"""Two streams as a join's sides: what their columns are called in the pairs, and what can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from streambench.pyx.join.streams import TIMES
from streambench.pyx.tuples.operator import Source

if TYPE_CHECKING:
    from streambench.pyx.join.predicate import Predicate
    from streambench.pyx.tuples.operator import Schema

SIDES = ("left", "right")
WHOLE = ("bool", *TIMES)
REAL = ("float32", "float64")


class Compared(NamedTuple):
    """A band or an equality: the columns' names, the type in which both are compared, the band's width or None."""

    columns: tuple[str, str]
    type: np.dtype[Any]
    width: Any


def schemas_of(sides: Sequence[Any], times: tuple[str, str]) -> tuple[Schema, Schema]:
    """What each side emits. Raises ValueError and TypeError for sides that are none, or cannot be ordered by time."""
    if sides[0] is sides[1]:
        raise ValueError("both sides are one source: a join reads each once")
    found = []
    for name, side, time in zip(SIDES, sides, times, strict=True):
        if not isinstance(side, Source):
            raise TypeError(f"the {name} side is of type {type(side).__name__}: give a Source")
        schema = side.bind(())
        if side.list_column >= 0:
            raise ValueError(f"the {name} side has a column of lists, which a join cannot take: take them apart before")
        _column(schema, name, time, TIMES, "its time is")
        found.append(schema)
    return found[0], found[1]


def named(schemas: Sequence[Schema], times: tuple[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """By side: its columns but for the time, by the names that they have in the pairs."""
    taken = {times[0]}
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for schema, time, names in zip(schemas, times, found, strict=True):
        for own, _ in schema:
            name = own
            while own != time and name in taken:
                name += "_right"
            if own != time:
                taken.add(name)
                names[name] = own
    return found


def compared(
    sides: Sequence[Any], schemas: Sequence[Schema], equal: Iterable[Sequence[str]], bands: Iterable[Sequence[Any]]
) -> list[Compared]:
    """The predicate's terms. Raises ValueError for columns and widths that cannot be compared."""
    terms = []
    for a, b in _entries(equal, 2, "an equality is (left column, right column)"):
        for side, schema, which, column in zip(sides, schemas, SIDES, (a, b), strict=True):
            _column(schema, which, column, WHOLE, "equality is asked of")
            if column in getattr(side, "dictionaries", ()):
                raise ValueError(f"column {column} of the {which} side holds texts, whose codes are that stream's own")
        terms.append(Compared((a, b), np.dtype("int64"), None))
    for a, b, width in _entries(bands, 3, "a band is (left column, right column, width)"):
        types = [
            _column(schema, which, c, (*WHOLE, *REAL), "a band takes")
            for schema, which, c in zip(schemas, SIDES, (a, b), strict=True)
        ]
        whole = [each.name in WHOLE for each in types]
        if whole[0] != whole[1] or (not whole[0] and types[0] != types[1]):
            raise ValueError(
                f"a band over {a} ({types[0].name}) and {b} ({types[1].name}) cannot be asked: cast one of them"
            )
        if not isinstance(width, int | float | np.number) or not 0 <= width <= (2**63 - 1 if whole[0] else 1e300):
            raise ValueError(
                f"the width of the band over {a} and {b} must be from 0 on, and no greater than its type, not {width!r}"
            )
        terms.append(
            Compared((a, b), np.dtype("int64") if whole[0] else types[0], int(width) if whole[0] else float(width))
        )
    return terms


def read_by(predicate: Predicate | None, schemas: Sequence[Schema]) -> tuple[list[str], list[str]]:
    """By side, which columns the predicate reads. Raises ValueError where there is none of that name."""
    if predicate is None:
        return [], []
    left, right = ([name for name, _ in reads] for reads in predicate.reads)
    for side, names, schema in zip(SIDES, (left, right), schemas, strict=True):
        for name in names:
            _there(schema, side, name)
    return left, right


def times_of(time: Any) -> tuple[str, str]:
    """By side, what the column of time is called. Raises ValueError for what does not say it."""
    names = (time, time) if isinstance(time, str) else time
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(each, str) for each in names):
        raise ValueError(f"time is the name of a column, or one for each side, not {time!r}")
    return names[0], names[1]


def require_whole(name: str, value: Any, least: int, most: int) -> None:
    """Raises ValueError where an option is no whole number from ``least`` to ``most``."""
    if not isinstance(value, int | np.integer) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def _entries(terms: Iterable[Sequence[Any]], length: int, what: str) -> Iterator[Sequence[Any]]:
    for term in terms:
        if not isinstance(term, Sequence) or isinstance(term, str) or len(term) != length:
            raise ValueError(f"{what}, not {term!r}")
        yield term


def _there(schema: Schema, side: str, name: str) -> np.dtype[Any]:
    found = dict(schema)
    if name not in found:
        raise ValueError(f"the {side} side has no column {name}; it has {', '.join(found) or 'no columns'}")
    return found[name]


def _column(schema: Schema, side: str, name: str, taken: Sequence[str], what: str) -> np.dtype[Any]:
    found = _there(schema, side, name)
    if found.name not in taken:
        raise ValueError(f"column {name} of the {side} side holds {found.name}: {what} {' or '.join(taken)}")
    return found
