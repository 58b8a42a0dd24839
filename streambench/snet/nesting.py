"""How deep a program is nested, and how large it is: beyond these limits it is refused before anything recurses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from streambench.snet.errors import Place, SnetError
from streambench.snet.expressions import Binary
from streambench.snet.syntax import Net, Network, Parallel, Serial

DEEPEST = 100
"""Levels of networks, expressions, `else if` and nets within each other; a chain of one operator is one level."""
MOST_PARTS = 100_000
"""Parts of a program in which every net stands where it is used."""


def check_nesting(tree: Any, place: Place) -> None:
    """Raise SnetError, at ``place``, for a part of a syntax tree that is nested deeper than `DEEPEST`."""
    todo = [(tree, 1)]
    while todo:
        node, depth = todo.pop()
        if depth > DEEPEST:
            raise too_deep(place)
        todo += [(inner, depth + deeper) for inner, deeper in _inner(node)]


def too_deep(place: Place) -> SnetError:
    """What is said of a program that is nested too deep."""
    return SnetError(place, f"the program is nested deeper than {DEEPEST} levels: write flatter networks.")


class Sizes:
    """The parts and the levels of networks that share what they are made of."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Network, int, int]] = {}

    def check(self, network: Network) -> None:
        """Raise SnetError for a network that is too large or too deep."""
        parts, levels = self.of(network)
        if parts > MOST_PARTS:
            raise too_large(network.place)
        if levels > DEEPEST:
            raise too_deep(network.place)

    def of(self, network: Network) -> tuple[int, int]:
        """The parts of a network, what stands in several places counted as often, and its levels."""
        if id(network) not in self._known:
            inner = [self.of(each) for each in operands(network)]
            parts = 1 + sum(each for each, _ in inner)
            levels = 1 + max((each for _, each in inner), default=0)
            self._known[id(network)] = network, parts, levels  # it is kept, so that no other has its identity
        return self._known[id(network)][1:]


def too_large(place: Place) -> SnetError:
    """What is said of a network with too many parts."""
    sentence = f"the network has more than {MOST_PARTS:,} parts, with each net in the place of its name"
    return SnetError(place, f"{sentence}: repeat by a star or a split.")


def operands(network: Network) -> tuple[Network, ...]:
    """The networks that a combinator combines."""
    if isinstance(network, Serial):
        return network.parts
    if isinstance(network, Parallel):
        return network.branches
    operand: Network | None = getattr(network, "operand", None)
    return () if operand is None else (operand,)


def _inner(node: Any) -> Iterator[tuple[Any, int]]:
    """What is directly inside, and by how many levels it is deeper."""
    if isinstance(node, Binary):
        yield node.left, int(not (isinstance(node.left, Binary)))
        yield node.right, 1
    elif isinstance(node, Net):
        yield from ((each, 1) for each in (*node.definitions, node.body))
    elif isinstance(node, tuple):
        yield from ((each, 0) for each in node)
    elif is_dataclass(node):
        yield from ((getattr(node, each.name), 1) for each in fields(node) if each.compare)
