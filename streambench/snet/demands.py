"""What a network asks for, from its end to its start: each part also asks for what those behind it need.

A part that gives something which the next one takes asks for no more than its own type. If nothing that it gives is
taken as it is, it asks also for the labels which are missing, in each of the ways that the next part leaves open, where
they can come through by flow inheritance. Nothing is listed but what is asked for, so that what parts give need not be
followed through the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from streambench.snet.errors import NOWHERE, Place, SnetError
from streambench.snet.signature import Signature, Variants, matches, of_filter, of_sync
from streambench.snet.syntax import At, Feedback, Filter, Name, Network, Parallel, Pattern, Serial, Split, Star, Sync
from streambench.snet.types import Dispatch, Variant, accepts, binds, label_text

MOST_VARIANTS = 1024
"""Types that a part may ask for because of those behind it."""
MOST_ROUNDS = 1024

Note = Callable[[Place, str], None]


class TooManyTypesError(SnetError):
    """A network would ask for more types of records than are followed."""

    def __init__(self, place: Place) -> None:
        limit = f"a network may ask for {MOST_VARIANTS:,} types of records at most"
        super().__init__(place, f"{limit}: put parts of it into nets whose signatures say what they take.")


@dataclass(frozen=True, eq=False)
class _Demand:
    """What is asked for at a place: ``variants`` might be needed; ``look`` says whether labels will do, or where else
    the answer is: calls of each other would be as deep as the network is long.
    """

    look: Callable[[Variant], bool | _Demand]
    variants: Variants
    place: Place
    known: dict[Variant, bool] = field(default_factory=dict)

    def takes(self, labels: Variant) -> bool:
        """Whether records with these labels are taken."""
        looked: list[_Demand] = []
        answer: bool | _Demand = self
        while isinstance(answer, _Demand):
            looked.append(answer)
            answer = answer.known[labels] if labels in answer.known else answer.look(labels)
        for each in looked:
            each.known[labels] = answer
        return answer


class Demands:
    """What networks ask for whose boxes and nets have the signatures of ``named``."""

    def __init__(self, named: Mapping[str, Signature]) -> None:
        self._named = named
        self._known: dict[int, tuple[Network, Variants]] = {}

    def of(self, network: Network, note: Note | None = None) -> Variants:
        """The types that the network takes, whatever comes behind it; in source order, each once.

        ``note`` is told, with the place, of what no record can pass as far as the types tell. Raises
        TooManyTypesError.
        """
        if id(network) not in self._known or note is not None:
            walk = _Walk(self, self._named)
            self._known[id(network)] = network, walk.through(network)  # kept, so that no other has its identity
            for place, sentence in walk.notes.values() if note is not None else ():
                assert note is not None
                note(place, sentence)
        return self._known[id(network)][1]


class _Walk:
    """From a network's end to its start, over and over, until what goes round in its loops is known.

    At first a loop takes whatever comes round, then what its operand asked for in the round before.
    """

    def __init__(self, demands: Demands, named: Mapping[str, Signature]) -> None:
        self._demands, self._named = demands, named
        self._round: dict[int, frozenset[Variant]] = {}
        """By loop, the types that come round in it."""
        self._stuck: set[tuple[int, Variant]] = set()
        """By part, its types of which nothing can go on; they are kept, and no longer asked for more."""
        self.notes: dict[tuple[int, Variant], tuple[Place, str]] = {}

    def through(self, network: Network) -> Variants:
        """What the network asks for."""
        for _ in range(MOST_ROUNDS):
            before = dict(self._round)
            self._numbers = count()
            demand = self._demand(network, _Demand(lambda labels: True, (), NOWHERE))
            if self._round == before:
                return demand.variants
        raise TooManyTypesError(network.place)

    def _demand(self, network: Network, after: _Demand) -> _Demand:
        """What the network asks for with ``after`` behind it."""
        number = next(self._numbers)
        if isinstance(network, Serial):
            for each in reversed(network.parts):
                after = self._demand(each, after)
            return after
        if isinstance(network, At):
            return self._demand(network.operand, after)
        if isinstance(network, Parallel):
            return self._dispatch(network, after)
        if isinstance(network, Split):
            return self._split(network, after)
        if isinstance(network, Star):
            return self._star(network, after, number)
        if isinstance(network, Feedback):
            return self._feedback(network, after, number)
        return _by_variants(self._needed(number, self._own(network), after, network.place), network.place)

    def _own(self, network: Filter | Sync | Name) -> Signature:
        if isinstance(network, Filter):
            return of_filter(network)
        return of_sync(network) if isinstance(network, Sync) else self._named[network.name]

    def _dispatch(self, network: Parallel, after: _Demand) -> _Demand:
        """A record goes to the branch that it matches best, whatever is behind."""
        types = Dispatch(self._demands.of(each) for each in network.branches)
        branches = [self._demand(each, after) for each in network.branches]

        def look(labels: Variant) -> bool | _Demand:
            place = types.best(labels)
            return False if place is None else branches[place]

        return _Demand(look, _once(variant for each in branches for variant in each.variants), network.place)

    def _split(self, network: Split, after: _Demand) -> _Demand:
        inner = self._demand(network.operand, after)
        tag = frozenset({network.tag})

        def look(labels: Variant) -> bool | _Demand:
            return inner if tag <= labels else False

        return _Demand(look, _once(each | tag for each in inner.variants), network.place)

    def _star(self, network: Star, after: _Demand, number: int) -> _Demand:
        """Before each replica a record that matches an exit leaves."""
        exits = network.exits
        types = Signature({frozenset(each.labels): (frozenset(each.labels),) for each in exits})
        leaving = self._needed(number, types, after, network.place)
        inner = self._demand(network.operand, self._test(number, exits, leaving, after, network.place, leaves=True))
        entries = [each for each in inner.variants if True not in matches(each, exits)]
        for each in self._demands.of(network.operand):  # what goes on with an exit's labels only is stuck inside
            if True in matches(each, exits):
                continue
            if not any(each <= entry for entry in entries):
                self._stuck.add((-1 - number, each))
            if (-1 - number, each) in self._stuck and each not in entries:
                entries.append(each)
        self._round[number] = frozenset(_least(entries))
        return self._test(number, exits, _once((*leaving, *entries)), after, network.place, leaves=True)

    def _feedback(self, network: Feedback, after: _Demand, number: int) -> _Demand:
        """All records enter; what matches then goes round."""
        test = self._test(number, network.back, after.variants, after, network.place, leaves=False)
        inner = self._demand(network.operand, test)
        self._round[number] = frozenset(_least(inner.variants))
        return inner

    def _test(
        self, number: int, patterns: tuple[Pattern, ...], variants: Variants, after: _Demand, place: Place, leaves: bool
    ) -> _Demand:
        """The test of a loop: what matches the ``patterns`` leaves, or goes round; with a guard it may do either."""
        comes_round = self._round.get(number)

        def look(labels: Variant) -> bool | _Demand:
            outcomes = matches(labels, patterns)
            may_match, may_not = bool(outcomes), True not in outcomes
            goes_round = may_not if leaves else may_match
            if goes_round and (comes_round is None or any(accepts(each, labels) for each in comes_round)):
                return True
            return after if (may_match if leaves else may_not) else False

        inner = sorted(comes_round or (), key=sorted)
        return _Demand(look, _once((*variants, *inner)), place)

    def _needed(self, number: int, own: Signature, after: _Demand, place: Place) -> Variants:
        """The types of a part, with what they lack for ``after``."""
        needed_types: dict[Variant, None] = {}
        for labels, outputs in own.mappings.items():
            passes = not outputs or labels in own.open or any(map(after.takes, outputs))
            if passes or (number, labels) in self._stuck:
                needed_types[labels] = None
                continue
            missing = [
                labels | lacking
                for output in outputs
                for needed in after.variants
                if accepts(needed, output | needed)
                and not _cannot_come(lacking := needed - output, labels)
                and after.takes(output | lacking)
            ]
            if not missing:
                self._stuck.add((number, labels))
                sentence = (
                    f"what comes here for {label_text(labels)}, {' | '.join(map(label_text, outputs))}, is not taken."
                )
                self.notes[number, labels] = after.place, sentence
            needed_types.update(dict.fromkeys(missing or [labels]))
            if len(needed_types) > MOST_VARIANTS:
                raise TooManyTypesError(place)
        return tuple(needed_types)


def _by_variants(variants: Variants, place: Place) -> _Demand:
    return _Demand(lambda labels: any(accepts(each, labels) for each in variants), variants, place)


def _cannot_come(missing: Variant, consumed: Variant) -> bool:
    """Whether some label cannot be inherited: it is consumed on the way, or binds."""
    return bool(missing & consumed) or any(map(binds, missing))


def _least(variants: Sequence[Variant]) -> list[Variant]:
    """Those that no other one is a part of."""
    return [each for each in variants if not any(other < each for other in variants)]


def _once(variants: Iterable[Variant]) -> Variants:
    return tuple(dict.fromkeys(variants))
