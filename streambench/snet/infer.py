"""The signature of every network, inferred from its parts.

A signature says which record types a network takes and what it gives for each. Inference is what routes records: the
score of a branch is that of its inferred inputs. A record may have more labels than its type tells, so what comes out
may, too, and may then take another way than the types say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from streambench.snet.errors import Place
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Filter,
    Item,
    Name,
    Net,
    Network,
    Outputs,
    Parallel,
    Pattern,
    Serial,
    Split,
    Star,
    Sync,
    Type,
)
from streambench.snet.types import Variant, accepts, best, binds, inherited, told

Variants = tuple[Variant, ...]
Note = Callable[[Place, str], None]


@dataclass(frozen=True)
class Signature:
    """What a network gives for each type that it takes, in source order; ``initial``: what it gives unasked, once."""

    mappings: Mapping[Variant, Variants]
    initial: Variants = ()

    @property
    def inputs(self) -> Variants:
        """The types that it takes."""
        return tuple(self.mappings)

    def outputs(self, labels: Variant) -> Variants | None:
        """What comes of a record with these labels, flow inheritance included; None: it is not taken."""
        place = best([(asked,) for asked in self.mappings], labels)
        if place is None:
            return None
        asked = self.inputs[place]
        return tuple(inherited(each, labels, asked) for each in self.mappings[asked])


def infer(network: Network, named: Mapping[str, Signature], note: Note = lambda place, sentence: None) -> Signature:
    """The signature of a network whose boxes and nets have those of ``named``.

    ``note`` is told, with the place, of what no record can pass as far as the types tell.
    """
    if isinstance(network, Name):
        return named[network.name]
    if isinstance(network, Filter):
        made = tuple(frozenset(item.label for item in record) for record in _records(network.body))
        return _signature([(frozenset(network.labels), made)])
    if isinstance(network, Sync):
        merged = frozenset().union(*(each.labels for each in network.patterns))
        return _signature((frozenset(each.labels), (frozenset(each.labels), merged)) for each in network.patterns)
    if isinstance(network, At):
        return infer(network.operand, named, note)
    if isinstance(network, Serial):
        first, *others = (infer(each, named, note) for each in network.parts)
        for place, other in zip((each.place for each in network.parts[1:]), others, strict=True):
            first = _serial(first, other, lambda sentence, place=place: note(place, sentence))  # type: ignore[misc]
        return first
    if isinstance(network, Parallel):
        branches = [infer(each, named, note) for each in network.branches]
        pairs = [pair for each in branches for pair in each.mappings.items()]
        return _signature(pairs, (variant for each in branches for variant in each.initial))
    operand = infer(network.operand, named, note)
    if isinstance(network, Split):
        tag = frozenset({network.tag})
        pairs = [
            (asked | tag, outputs if tag <= asked else tuple(each | tag for each in outputs))
            for asked, outputs in operand.mappings.items()
        ]
        return _signature(pairs, operand.initial)
    if isinstance(network, Star):
        exits = [(frozenset(each.labels), (frozenset(each.labels),)) for each in network.exits]
        entries = [
            (asked, _around(operand, outputs, network.exits, leaves=True))
            for asked, outputs in operand.mappings.items()
            if True not in _matches(asked, network.exits)
        ]
        return _signature([*exits, *entries], _around(operand, operand.initial, network.exits, leaves=True))
    pairs = [
        (asked, _around(operand, outputs, network.back, leaves=False)) for asked, outputs in operand.mappings.items()
    ]
    return _signature(pairs, _around(operand, operand.initial, network.back, leaves=False))


def of_box(box: Box) -> Signature:
    """As it is declared."""
    outputs = tuple(map(frozenset, box.outputs))
    return Signature({}, outputs) if box.inputs is None else _signature([(frozenset(box.inputs), outputs)])


def of_net(net: Net, body: Signature | None) -> Signature:
    """As it is declared, the outputs ``...`` as the ``body`` has them; undeclared, as the body has it all."""
    if net.signature is None or isinstance(net.signature, str):
        assert body is not None
        return body
    pairs = []
    for mapping in net.signature:
        for asked in variants(mapping.input):
            left_open = (body.outputs(asked) if body else None) or ()
            pairs.append((asked, left_open if mapping.output is None else variants(mapping.output)))
    return _signature(pairs)


def variants(type: Type) -> Variants:
    """The variants of a type without names in it."""
    return tuple(frozenset(each) for each in type)


def _records(body: Body) -> Iterator[tuple[Item, ...]]:
    if isinstance(body, Outputs):
        yield from body.records
    else:
        yield from _records(body.then)
        yield from _records(body.otherwise)


def _signature(pairs: Iterable[tuple[Variant, Variants]], initial: Iterable[Variant] = ()) -> Signature:
    merged: dict[Variant, dict[Variant, None]] = {}
    for asked, outputs in pairs:
        merged.setdefault(asked, {}).update(dict.fromkeys(outputs))
    return Signature({asked: tuple(outputs) for asked, outputs in merged.items()}, tuple(dict.fromkeys(initial)))


def _serial(left: Signature, right: Signature, note: Callable[[str], None]) -> Signature:
    """``left .. right``; labels that only the right side needs are asked of the input, where they can come through."""
    pairs = []
    for asked, outputs in left.mappings.items():
        lifted: Variant = frozenset()
        if outputs and all(right.outputs(each) is None for each in outputs):
            missing = [
                needed - output
                for output in outputs
                for needed in right.inputs
                if accepts(needed, output | needed) and not _stuck(needed - output, asked)
            ]
            if not missing:
                note(f"what comes here for {told(asked)}, {' | '.join(map(told, outputs))}, is not taken.")
            lifted = min(missing, key=len, default=lifted)
        taken = (right.outputs(each | lifted) for each in outputs)
        pairs.append((asked | lifted, tuple(each for made in taken if made for each in made)))
    initial = (each for output in left.initial for each in right.outputs(output) or ())
    return _signature(pairs, (*right.initial, *initial))


def _stuck(missing: Variant, consumed: Variant) -> bool:
    """Whether some label cannot be inherited: it is consumed on the way, or binds."""
    return bool(missing & consumed) or any(map(binds, missing))


def _around(operand: Signature, outputs: Variants, patterns: tuple[Pattern, ...], *, leaves: bool) -> Variants:
    """What leaves a loop around ``operand`` when ``outputs`` have come out of it once.

    What matches the ``patterns`` leaves (a star), or goes round (a feedback); with a guard it may do either.
    """
    left: dict[Variant, None] = {}
    seen: set[Variant] = set()
    todo = list(reversed(outputs))
    while todo:
        labels = todo.pop()
        if labels in seen:
            continue
        seen.add(labels)
        matches = _matches(labels, patterns)
        may_leave = bool(matches) if leaves else True not in matches
        goes_round = True not in matches if leaves else bool(matches)
        if may_leave:
            left[labels] = None
        if goes_round:
            todo.extend(reversed(operand.outputs(labels) or ()))
    return tuple(left)


def _matches(labels: Variant, patterns: tuple[Pattern, ...]) -> set[bool]:
    """Of the patterns that fit the labels, whether they fit for certain: True without a guard, False with one."""
    return {each.guard is None for each in patterns if accepts(frozenset(each.labels), labels)}
