"""The signature of every network, inferred from its parts.

Inference is what routes records: the score of a branch is that of the types that it asks for (``demands``). A record
may have more labels than its type tells, so what comes out may, too, and may then take another way than the types say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from streambench.snet.demands import Demands, Note
from streambench.snet.signature import Signature, Variants, joined, matches, of_filter, of_sync
from streambench.snet.syntax import At, Feedback, Filter, Name, Network, Parallel, Serial, Split, Star, Sync
from streambench.snet.types import Dispatch, Variant

MOST_OUTPUTS = 256
"""Types that a signature lists for one that it takes."""
MOST_STEPS = 50_000
"""Parts, each with a type that comes there, that are looked at for the outputs of a network."""


def infer(network: Network, named: Mapping[str, Signature], note: Note | None = None) -> Signature:
    """The signature of a network whose boxes and nets have those of ``named``.

    ``note`` is told, with the place, of what no record can pass as far as the types tell. Raises SnetError for a
    network that asks for too many types.
    """
    demands = Demands(named)
    pairs = []
    opened = []
    outcomes = _Outcomes(demands, named)
    for labels in demands.of(network, note):
        try:
            outputs = outcomes.of(network, labels)
        except _ManyError:
            outputs = ()
            opened.append(labels)
        pairs.append((labels, outputs))
    try:
        initial = outcomes.initial(network)
    except _ManyError:
        initial = ()
    return joined(pairs, initial, opened)


class _ManyError(Exception):
    """What a network gives are too many types to be listed."""


class _Outcomes:
    """What networks give for the types that come to them."""

    def __init__(self, demands: Demands, named: Mapping[str, Signature]) -> None:
        self._demands, self._named = demands, named
        self._known: dict[tuple[int, Variant], Variants] = {}
        self._dispatches: dict[int, Dispatch] = {}
        self._signatures: dict[int, Signature] = {}

    def of(self, network: Network, labels: Variant) -> Variants:
        """What comes of a record with these labels, flow inheritance included; nothing if it is not taken."""
        key = id(network), labels
        if key not in self._known:
            if len(self._known) > MOST_STEPS:
                raise _ManyError
            self._known[key] = self._computed(network, labels)
        return self._known[key]

    def initial(self, network: Network) -> Variants:
        """What comes unasked."""
        if isinstance(network, Name):
            return self._named[network.name].initial
        if isinstance(network, Serial):
            variants: Variants = ()
            for part in network.parts:
                variants = _union((self.initial(part), self._all(part, variants)))
            return variants
        if isinstance(network, Parallel):
            return _union(map(self.initial, network.branches))
        if isinstance(network, Star | Feedback):
            return self._around(network, self.initial(network.operand))
        return self.initial(network.operand) if isinstance(network, Split | At) else ()

    def _computed(self, network: Network, labels: Variant) -> Variants:
        if isinstance(network, Name):
            signature = self._named[network.name]
            if signature.taking(labels) in signature.open:
                raise _ManyError
            return signature.outputs(labels) or ()
        if isinstance(network, Filter | Sync):
            return self._own(network).outputs(labels) or ()
        if isinstance(network, Serial):
            variants: Variants = (labels,)
            for part in network.parts:
                variants = self._all(part, variants)
            return variants
        if isinstance(network, Parallel):
            place = self._dispatch(network).best(labels)
            return () if place is None else self.of(network.branches[place], labels)
        if isinstance(network, Star):
            return self._around(network, (labels,))
        if isinstance(network, Feedback):
            return self._around(network, self.of(network.operand, labels))
        if isinstance(network, Split) and network.tag not in labels:
            return ()
        return self.of(network.operand, labels)

    def _own(self, network: Filter | Sync) -> Signature:
        if id(network) not in self._signatures:
            signature = of_filter(network) if isinstance(network, Filter) else of_sync(network)
            self._signatures[id(network)] = signature
        return self._signatures[id(network)]

    def _dispatch(self, network: Parallel) -> Dispatch:
        if id(network) not in self._dispatches:
            self._dispatches[id(network)] = Dispatch(map(self._demands.of, network.branches))
        return self._dispatches[id(network)]

    def _all(self, network: Network, variants: Variants) -> Variants:
        return _union(self.of(network, each) for each in variants)

    def _around(self, loop: Star | Feedback, variants: Variants) -> Variants:
        """What leaves a loop when ``variants`` have come to its test.

        What matches its patterns leaves (a star), or goes round (a feedback); with a guard it may do either.
        """
        leaves = isinstance(loop, Star)
        patterns = loop.exits if isinstance(loop, Star) else loop.back
        left: dict[Variant, None] = {}
        seen: set[Variant] = set()
        todo = list(reversed(variants))
        while todo:
            labels = todo.pop()
            if labels in seen:
                continue
            seen.add(labels)
            outcomes = matches(labels, patterns)
            may_match, may_not = bool(outcomes), True not in outcomes
            if may_match if leaves else may_not:
                left[labels] = None
            if may_not if leaves else may_match:
                todo.extend(reversed(self.of(loop.operand, labels)))
        return _union((left,))


def _union(some: Iterable[Iterable[Variant]]) -> Variants:
    union: dict[Variant, None] = {}
    for each in some:
        union.update(dict.fromkeys(each))
        if len(union) > MOST_OUTPUTS:
            raise _ManyError
    return tuple(union)
