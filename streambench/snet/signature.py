"""Signatures: which record types a network takes, and what it gives for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from streambench.snet.syntax import Body, Box, Filter, Item, Net, Outputs, Pattern, Sync, Type
from streambench.snet.types import Variant, accepts, best, inherited

Variants = tuple[Variant, ...]


@dataclass(frozen=True)
class Signature:
    """What a network gives for each type that it takes, in source order.

    ``initial``: what it gives unasked, once. ``open``: the types for which it may give anything, or too much to be
    listed.
    """

    mappings: Mapping[Variant, Variants]
    initial: Variants = ()
    open: frozenset[Variant] = frozenset()

    @property
    def inputs(self) -> Variants:
        """The types that it takes."""
        return tuple(self.mappings)

    def taking(self, labels: Variant) -> Variant | None:
        """The type by which a record with these labels is taken; None: it is not."""
        if labels in self.mappings:
            return labels
        place = best([(needed,) for needed in self.mappings], labels)
        return None if place is None else self.inputs[place]

    def outputs(self, labels: Variant) -> Variants | None:
        """What comes of a record with these labels, flow inheritance included; None: it is not taken."""
        needed = self.taking(labels)
        if needed is None:
            return None
        return tuple(inherited(each, labels, needed) for each in self.mappings[needed])


def of_box(box: Box) -> Signature:
    """As it is declared."""
    outputs = tuple(map(frozenset, box.outputs))
    return Signature({}, outputs) if box.inputs is None else joined([(frozenset(box.inputs), outputs)])


def of_filter(filter: Filter) -> Signature:
    """The filter's pattern, and a type for each record that it may make."""
    outputs = tuple(frozenset(item.label for item in record) for record in _records(filter.body))
    return joined([(frozenset(filter.labels), outputs)])


def of_sync(sync: Sync) -> Signature:
    """What fits a place of the cell passes by, or leaves with all others."""
    merged = frozenset().union(*(each.labels for each in sync.patterns))
    return joined((frozenset(each.labels), (frozenset(each.labels), merged)) for each in sync.patterns)


def of_net(net: Net, body: Signature | None) -> Signature:
    """As it is declared, the outputs ``...`` as the ``body`` has them; undeclared, as the body has it all."""
    if net.signature is None:
        assert body is not None
        return body
    pairs = []
    opened = set()
    for mapping in net.mappings:
        for needed in variants(mapping.input):
            outputs = variants(mapping.output or ())
            if mapping.output is None:
                taking = None if body is None else body.taking(needed)
                outputs = () if body is None else body.outputs(needed) or ()
                if body is None or taking in body.open:
                    opened.add(needed)
            pairs.append((needed, outputs))
    return joined(pairs, opened=opened)


def joined(
    pairs: Iterable[tuple[Variant, Variants]], initial: Iterable[Variant] = (), opened: Iterable[Variant] = ()
) -> Signature:
    """The signature of such pairs of a type and what is given for it; equal types become one."""
    merged: dict[Variant, dict[Variant, None]] = {}
    for needed, outputs in pairs:
        merged.setdefault(needed, {}).update(dict.fromkeys(outputs))
    mappings = {needed: tuple(outputs) for needed, outputs in merged.items()}
    return Signature(mappings, tuple(dict.fromkeys(initial)), frozenset(opened))


def variants(type: Type) -> Variants:
    """The variants of a type without names in it."""
    return tuple(frozenset(each) for each in type)


def matches(labels: Variant, patterns: tuple[Pattern, ...]) -> set[bool]:
    """Of the patterns that fit the labels, whether they fit for certain: True without a guard, False with one."""
    return {each.guard is None for each in patterns if accepts(frozenset(each.labels), labels)}


def _records(body: Body) -> Iterator[tuple[Item, ...]]:
    if isinstance(body, Outputs):
        yield from body.records
    else:
        yield from _records(body.then)
        yield from _records(body.otherwise)
