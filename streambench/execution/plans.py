"""Plans of the engine `ordered`, as one writes and reads them.

A plan names the operators that begin a segment by their places (the source is 0), divided by ``|``, each with a ``*``
where it runs by partition: ``2|3*|5`` cuts before operators 2, 3 and 5, and shares operator 3 out by partition. With
``**`` it runs by partition of what it makes, with those that it can be dealt with (``pyx.partition.dealt``): ``2**|5``.
Stateless operators behind the source belong to the source. The first keyed or stateful operator always begins a
segment, and so does the first one behind one that is shared out.

Named plans: ``whole`` is one segment, in which a worker takes a unit through the whole pipeline; ``cut`` has a segment
for each keyed or stateful operator, none by partition; ``sharded`` has the keyed ones by partition; ``auto`` is left to
the controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from streambench.errors import OptionError
from streambench.pyx.tuples.operator import PartitionedStateful, Stateless

NAMED = ("auto", "whole", "cut", "sharded")

Cuts = tuple[int, int]
"""Bits by an operator's place: those that begin a segment, and of these the ones that run by partition."""

WHOLE: Cuts = (0, 0)


def check(text: str) -> None:
    """Raise OptionError for what is no plan."""
    if not isinstance(text, str) or (text not in NAMED and not re.fullmatch(r"[0-9]+\*{0,2}(\|[0-9]+\*{0,2})*", text)):
        raise OptionError(
            f"`plan` must be {', '.join(NAMED)}, or places of operators such as 2|3*|5 (* runs by partition), "
            f"not {text!r}."
        )


def cuts(text: str, operators: Sequence[Any]) -> Cuts | None:
    """The bits of a plan for a pipeline; None for one that is chosen while it runs."""
    check(text)
    heads = [place for place, each in enumerate(operators) if place and not isinstance(each, Stateless)]
    keyed = [place for place in heads if isinstance(operators[place], PartitionedStateful)]
    if text == "auto":
        return None
    if text == "whole":
        return WHOLE
    if text in ("cut", "sharded"):
        return _bits(heads), _bits(keyed if text == "sharded" else [])
    named = [(int(each.rstrip("*")), each.count("*")) for each in text.split("|")]
    along: list[int] = []
    for place, sharded in named:
        if sum(each == place for each, _ in named) > 1:
            raise OptionError(f"`plan` {text}: operator {place} is named twice.")
        if place not in heads:
            raise OptionError(f"`plan` {text}: a segment can begin at operators {_places(heads)} here, not at {place}.")
        if sharded and place not in keyed:
            raise OptionError(
                f"`plan` {text}: only operators {_places(keyed) or '(none)'} can run by partition, not {place}."
            )
        if sharded > 1:
            along += range(place, place + _dealt(text, operators, place))
    if any(place in along and sharded < 2 for place, sharded in named):
        raise OptionError(f"`plan` {text}: operators {_places(along)} are one segment, which only the first begins.")
    return _bits([heads[0], *(place for place, _ in named)]), _bits(
        [*along, *(place for place, sharded in named if sharded)]
    )


def deals(text: str) -> bool:
    """Whether a plan by hand has operators that run by partition of what they make."""
    return "**" in text


def _dealt(text: str, operators: Sequence[Any], place: int) -> int:
    """How many operators run together by partition of what the first one makes."""
    count = int(operators[place].dealt_with(tuple(operators[place + 1 : -1]), False))
    if not count:
        raise OptionError(f"`plan` {text}: operator {place} cannot run by partition of what it makes.")
    return count


def describe(operators: Sequence[str], heads: Iterable[int], sharded: Iterable[int], partitions: int) -> str:
    """A plan in words: ``KnownClicks | Sessions x8 + SessionPairs | TopPairs + TableSink``, or ``whole``."""
    heads, sharded = set(heads), set(sharded)
    if not heads:
        return "whole"
    text = operators[0]
    for place, name in enumerate(operators[1:], start=1):
        text += (" | " if place in heads else " + ") + name + (f" x{partitions}" if place in sharded else "")
    return text


def choices(operators: Sequence[str], chosen: Iterable[Sequence[Any]], partitions: int) -> list[dict[str, Any]]:
    """What is kept of a controller's choices, in order: which, when, tuples to a unit, units in flight, the plan,
    workers that rest because somebody else is on their cores, and whether each worker is to stay on its core.

    ``chosen``: as the controller has them (``Controller.chosen``), but with seconds since the start.
    """
    return [
        {
            "number": number,
            "seconds": seconds,
            "unit": unit,
            "in_flight": in_flight,
            "plan": describe(operators, heads, sharded, partitions),
            "resting": resting,
            "bound": bound,
        }
        for number, seconds, unit, in_flight, heads, sharded, resting, bound in chosen
    ]


def _bits(places: Sequence[int]) -> int:
    return sum(1 << place for place in set(places))


def _places(places: Sequence[int]) -> str:
    return ", ".join(map(str, places))
