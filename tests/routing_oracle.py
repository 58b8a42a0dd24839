"""Where records go by what branches ask for, worked out by enumeration: the oracle of routing, for small networks.

It knows filters, serial and parallel networks, splits and stars. A network is followed from its start with a list of
what comes behind it; a star is unrolled, so that there is neither a table nor a fixed point. It shares no code with
the package but the syntax tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from streambench.snet.expressions import Number
from streambench.snet.syntax import Filter, Network, Outputs, Parallel, Serial, Split, Star

ROUNDS = 4
"""How often a star is unrolled."""
MOST_STEPS = 300
Labels = frozenset[str]


@dataclass(frozen=True)
class Again:
    """The test of a star that is unrolled as often more."""

    star: Star
    left: int
    first: bool = False


Step = Network | Again


class NowhereError(Exception):
    """A record cannot go on."""


class EndlessError(Exception):
    """Records go on for longer than the oracle looks."""


@lru_cache(10_000)
def asked(steps: tuple[Step, ...]) -> set[Labels]:
    """The sets of labels that networks one after the other ask for."""
    first, rest = steps[0], steps[1:]
    if isinstance(first, Serial):
        return asked((*first.parts, *rest))
    if isinstance(first, Parallel):
        return set(chain.from_iterable(asked((each, *rest)) for each in first.branches))
    if isinstance(first, Split):
        return {each | {first.tag} for each in asked((first.operand, *rest))}
    if isinstance(first, Star):
        return asked((Again(first, ROUNDS, first=True), *rest))
    if isinstance(first, Again):
        return _asked_by_star(first, rest)
    assert isinstance(first, Filter)
    return _with_missing(frozenset(first.labels), _gives(first), rest)


@lru_cache(10_000)
def takes(steps: tuple[Step, ...], labels: Labels) -> bool:
    """Whether networks one after the other take a record with these labels."""
    if not steps:
        return True
    first, rest = steps[0], steps[1:]
    if isinstance(first, Serial):
        return takes((*first.parts, *rest), labels)
    if isinstance(first, Parallel):
        branch = chosen(first, labels)
        return branch is not None and takes((branch, *rest), labels)
    if isinstance(first, Split):
        return first.tag in labels and takes((first.operand, *rest), labels)
    if isinstance(first, Star):
        return takes((Again(first, ROUNDS), *rest), labels)
    if isinstance(first, Again):
        if _leaves(first.star, labels):
            return takes(rest, labels)
        return first.left == 0 or any(each <= labels for each in _around(first, rest))
    return any(each <= labels for each in asked(steps))


def chosen(network: Parallel, labels: Labels) -> Network | None:
    """The branch that asks for most of what a record has, the first of equals."""
    best, most = None, -1
    for branch in network.branches:
        for variant in asked((branch,)):
            if variant <= labels and len(variant) > most:
                best, most = branch, len(variant)
    return best


def run(network: Network, record: dict[str, Any]) -> list[dict[str, Any]]:
    """The records that leave for one. Raises NowhereError, EndlessError."""
    left = []
    todo: list[tuple[tuple[Step, ...], dict[str, Any]]] = [((network,), record)]
    for _ in range(MOST_STEPS):
        if not todo:
            return left
        steps, record = todo.pop()
        if not steps:
            left.append(record)
            continue
        first, rest = steps[0], steps[1:]
        labels = frozenset(record)
        if isinstance(first, Serial):
            todo.append(((*first.parts, *rest), record))
        elif isinstance(first, Parallel):
            branch = chosen(first, labels)
            if branch is None:
                raise NowhereError
            todo.append(((branch, *rest), record))
        elif isinstance(first, Star):
            todo.append((rest if _leaves(first, labels) else (first.operand, first, *rest), record))
        elif isinstance(first, Split):
            if first.tag not in record:
                raise NowhereError
            todo.append(((first.operand, *rest), record))
        else:
            assert isinstance(first, Filter)
            if not set(first.labels) <= labels:
                raise NowhereError
            inherited = {label: value for label, value in record.items() if label not in first.labels}
            assert isinstance(first.body, Outputs)
            for items in first.body.records:
                made = {}
                for item in items:
                    if isinstance(item.value, str):
                        made[item.label] = record[item.value]
                    else:
                        assert isinstance(item.value, Number)
                        made[item.label] = item.value.value
                todo.append((rest, {**inherited, **made}))
    raise EndlessError


def _gives(filter: Filter) -> list[Labels]:
    assert isinstance(filter.body, Outputs)
    return [frozenset(item.label for item in record) for record in filter.body.records]


def _leaves(star: Star, labels: Labels) -> bool:
    return any(set(each.labels) <= labels for each in star.exits)


def _with_missing(own: Labels, given: list[Labels], rest: tuple[Step, ...]) -> set[Labels]:
    if not given or any(takes(rest, each) for each in given):
        return {own}
    ways = {
        own | (needed - each)
        for needed in wanted(rest)
        for each in given
        if not (needed - each) & own and takes(rest, each | needed)
    }
    return ways or {own}


def wanted(steps: tuple[Step, ...]) -> set[Labels]:
    """What might be missing where networks one after the other do not take a record."""
    return asked(steps) if steps else set()


def _asked_by_star(again: Again, rest: tuple[Step, ...]) -> set[Labels]:
    exits = [frozenset(each.labels) for each in again.star.exits]
    leaving = set(chain.from_iterable(_with_missing(each, [each], rest) for each in exits))
    entries = _around(again, rest) if again.left > 0 else set()
    if not again.first:  # what comes round asks for the least that will do
        entries = {each for each in entries if not any(other < each for other in entries)}
    return leaving | entries


@lru_cache(10_000)
def _around(again: Again, rest: tuple[Step, ...]) -> set[Labels]:
    """What a record must have that stays in the star."""
    star = again.star
    inside = asked((star.operand, Again(star, again.left - 1), *rest))
    entries = {each for each in inside if not _leaves(star, each)}
    alone = {each for each in asked((star.operand,)) if not _leaves(star, each)}
    return entries | {each for each in alone if not any(each <= entry for entry in entries)}
