"""Two streams as a join's sides: what their columns are called in the pairs, and what can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from streambench.pyx.join.streams import TIMES, all_read
from streambench.pyx.tuples.errors import UnfitDataError, UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.meaning import Meaning, is_time, meanings_of, whole_span
from streambench.pyx.tuples.operator import Source
from streambench.pyx.tuples.whole_number import is_whole_number

if TYPE_CHECKING:
    from streambench.pyx.join.predicate import Predicate
    from streambench.pyx.tuples.operator import Schema

SIDES = ("left", "right")
WHOLE = ("bool", *TIMES)
REAL = ("float32", "float64")


class Compared(NamedTuple):
    """A band or an equality: the columns' names, the type in which both are compared, the band's width or None.

    ``texts``: both columns hold codes, each of its own dictionary.
    """

    columns: tuple[str, str]
    type: np.dtype[Any]
    width: Any
    texts: bool = False


def unequal_times(left: pa.DataType, right: pa.DataType) -> str | None:
    """Why Arrow's times of two sides cannot be compared; None where they can."""
    if left == right or (pa.types.is_integer(left) and pa.types.is_integer(right)):
        return None
    return f"the sides' times are {left} and {right}: cast one of them"


def unequal_units(a: str, left: pa.DataType, b: str, right: pa.DataType) -> str | None:
    """Why two columns cannot be compared, of which one counts a unit of time; None where they can."""
    if left == right or not (is_time(left) or is_time(right)):
        return None
    return f"{a} holds {left} and {b} holds {right}: cast one of them, so that the two are of one type"


def nulls_match_nothing(column: str, side: str) -> str:
    """Why a column with nulls is not compared."""
    return f"column {column} of the {side} side has nulls, which match nothing: leave their rows out or fill them."


def schemas_of(sides: Sequence[Any], times: tuple[str, str]) -> tuple[Schema, Schema]:
    """What each side emits. Raises UnfitDataError for sides that are none, or cannot be ordered by time."""
    if any(a is b for a in all_read(sides[0]) for b in all_read(sides[1])):
        raise UnfitOptionError("both sides are one source, or read one: a join reads each once")
    found, types = [], []
    for name, side, time in zip(SIDES, sides, times, strict=True):
        if not isinstance(side, Source):
            raise UnfitTypeError(f"the {name} side is of type {type(side).__name__}: give a Source")
        schema = side.bind(())
        if side.list_column >= 0:
            raise UnfitDataError(
                f"the {name} side has a column of lists, which a join cannot take: take them apart before"
            )
        _column(schema, name, time, TIMES, "its time is")
        meaning = meanings_of(side)[time]
        if meaning.texts is not None:
            raise UnfitDataError(
                f"column {time} of the {name} side holds {meaning.type}: its time is {' or '.join(TIMES)}"
            )
        found.append(schema)
        types.append(meaning.type)
    if problem := unequal_times(*types):
        raise UnfitDataError(problem)
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
    """The predicate's terms. Raises UnfitDataError for columns that cannot be compared, UnfitOptionError for widths."""
    terms = []
    meanings = [meanings_of(side) for side in sides]
    for a, b in entries(equal, 2, "an equality is (left column, right column)"):
        for schema, which, column in zip(schemas, SIDES, (a, b), strict=True):
            _column(schema, which, column, WHOLE, "equality is asked of")
        left, right = meanings[0][a], meanings[1][b]
        for which, column, own, other in ((SIDES[0], a, left, right), (SIDES[1], b, right, left)):
            if own.texts is not None and other.texts is None:
                raise UnfitDataError(
                    f"column {column} of the {which} side holds texts, whose codes are that stream's own: it is equal "
                    "to texts only"
                )
        if left.texts is not None and not left.agrees(right):
            raise UnfitDataError(f"{a} ({left.type}) and {b} ({right.type}) cannot be compared: cast one of them")
        _require_one_unit(a, left, b, right)
        terms.append(Compared((a, b), np.dtype("int64"), None, left.texts is not None))
    for a, b, width in entries(bands, 3, "a band is (left column, right column, width)"):
        types = [
            _column(schema, which, c, (*WHOLE, *REAL), "a band takes")
            for schema, which, c in zip(schemas, SIDES, (a, b), strict=True)
        ]
        for which, meaning, c in zip(SIDES, (meanings[0][a], meanings[1][b]), (a, b), strict=True):
            if meaning.texts is not None:
                raise UnfitDataError(
                    f"column {c} of the {which} side holds {meaning.type}: a band takes numbers and times"
                )
        _require_one_unit(a, meanings[0][a], b, meanings[1][b])
        whole = [each.name in WHOLE for each in types]
        if whole[0] != whole[1] or (not whole[0] and types[0] != types[1]):
            raise UnfitDataError(
                f"a band over {a} ({types[0].name}) and {b} ({types[1].name}) cannot be asked: cast one of them"
            )
        if meanings[0][a].is_time:
            width = whole_span("width", width, meanings[0][a])
        number = is_whole_number(width) or isinstance(width, float | np.floating)
        if not number or not 0 <= width <= (2**63 - 1 if whole[0] else 1e300):
            raise UnfitOptionError(
                f"the width of the band over {a} and {b} must be from 0 on, and no greater than its type, not {width!r}"
            )
        terms.append(
            Compared((a, b), np.dtype("int64") if whole[0] else types[0], int(width) if whole[0] else float(width))
        )
    return terms


def read_by(
    predicate: Predicate | None, sides: Sequence[Any], schemas: Sequence[Schema]
) -> tuple[list[str], list[str]]:
    """By side, which columns the predicate reads. Raises UnfitDataError where there is none of that name, and for texts
    and times, of which it would see codes and integers."""
    if predicate is None:
        return [], []
    left, right = ([name for name, _ in reads] for reads in predicate.reads)
    for which, names, side, schema in zip(SIDES, (left, right), sides, schemas, strict=True):
        for name in names:
            _there(schema, which, name)
            meaning = meanings_of(side)[name]
            if meaning.texts is not None or meaning.is_time:
                raise UnfitDataError(
                    f"column {name} of the {which} side holds {meaning.type}, which a predicate cannot read: cast it "
                    "to integers"
                )
    return left, right


def held_by(sides: Sequence[Any], times: tuple[str, str], names: Sequence[dict[str, str]]) -> Any:
    """What the pairs' columns mean, as ``HeldColumns`` with a dictionary of their own; None where no side knows it."""
    held = next((found for each in sides if (found := getattr(each, "held_columns", None)) is not None), None)
    if held is None:
        return None
    left, right = (meanings_of(side) for side in sides)
    first, second = left[times[0]].type, right[times[1]].type
    pairs = {times[0]: Meaning(first if first == second and is_time(first) else pa.int64())}
    for of, named in zip((left, right), names, strict=True):
        pairs |= {name: of[own] for name, own in named.items()}
    return held.of(pairs, wide=times[0])


def _require_one_unit(a: str, left: Meaning, b: str, right: Meaning) -> None:
    if problem := unequal_units(a, left.type, b, right.type):
        raise UnfitDataError(problem)


def times_of(time: Any) -> tuple[str, str]:
    """By side, what the column of time is called. Raises UnfitOptionError for what does not say it."""
    names = (time, time) if isinstance(time, str) else time
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(each, str) for each in names):
        raise UnfitOptionError(f"time is the name of a column, or one for each side, not {time!r}")
    return names[0], names[1]


def entries(terms: Iterable[Sequence[Any]], length: int, what: str) -> Iterator[Sequence[Any]]:
    """The terms, each of this length. Raises UnfitOptionError, which says ``what`` one is, for others."""
    if not isinstance(terms, Iterable) or isinstance(terms, str):
        raise UnfitOptionError(f"{what}, and several stand in a list, not {terms!r}")
    for term in terms:
        if not isinstance(term, Sequence) or isinstance(term, str) or len(term) != length:
            raise UnfitOptionError(f"{what}, not {term!r}")
        yield term


def _there(schema: Schema, side: str, name: str) -> np.dtype[Any]:
    found = dict(schema)
    if name not in list(found):
        raise UnfitDataError(f"the {side} side has no column {name}; it has {', '.join(found) or 'no columns'}")
    return found[name]


def _column(schema: Schema, side: str, name: str, taken: Sequence[str], what: str) -> np.dtype[Any]:
    found = _there(schema, side, name)
    if found.name not in taken:
        raise UnfitDataError(f"column {name} of the {side} side holds {found.name}: {what} {' or '.join(taken)}")
    return found
