"""Record types: sets of labels, structural subtyping, best match by score, flow inheritance (paper 004, section 2.2).

A binding tag binds: it has no part in subtyping. Who takes a record must name all of its binding tags, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from streambench.snet.syntax import Label

Variant = frozenset[Label]
"""The labels of a record, or those that somebody asks of one."""


def is_tag(label: Label) -> bool:
    """Whether the label has an integer's value, that of a tag or a binding tag."""
    return label.startswith("<")


def binds(label: Label) -> bool:
    """Whether the label is a binding tag."""
    return label.startswith("<#")


def ordered(labels: Iterable[Label]) -> list[Label]:
    """Fields, then tags, each by name."""
    return sorted(labels, key=lambda label: (is_tag(label), label))


def label_text(labels: Iterable[Label]) -> str:
    """The labels as messages have them: ``{a, <t>}``."""
    return f"{{{', '.join(ordered(labels))}}}"


def accepts(needed: Set[Label], labels: Set[Label]) -> bool:
    """Whether a record with these ``labels`` has what is ``needed``: it is of a subtype."""
    return needed <= labels and not any(binds(label) for label in labels - needed)


def subtype(type: Iterable[Variant], of: Iterable[Variant]) -> bool:
    """Whether every variant of ``type`` is a subtype of one of ``of``."""
    above = list(of)
    return all(any(accepts(needed, variant) for needed in above) for variant in type)


def score(inputs: Iterable[Variant], labels: Set[Label]) -> int:
    """How well a record matches an input type: the most labels of a variant that it has them all of; -1: not at all."""
    return max((len(needed) for needed in inputs if accepts(needed, labels)), default=-1)


def best(types: Sequence[Iterable[Variant]], labels: Set[Label]) -> int | None:
    """The place of the input type that a record matches best, the first of equals; None: it matches none."""
    scores = [score(inputs, labels) for inputs in types]
    highest = max(scores, default=-1)
    return None if highest < 0 else scores.index(highest)


class Dispatch:
    """`best` for types that many records are looked up in: labels that are asked for as they are need no search."""

    def __init__(self, types: Iterable[Iterable[Variant]]) -> None:
        self._types = [tuple(inputs) for inputs in types]
        self._exact: dict[Variant, int] = {}
        for place, inputs in enumerate(self._types):
            for needed in inputs:
                self._exact.setdefault(needed, place)

    def best(self, labels: Variant) -> int | None:
        """The place of the best match."""
        place = self._exact.get(labels)
        return best(self._types, labels) if place is None else place


def inherited(output: Variant, labels: Set[Label], consumed: Set[Label]) -> Variant:
    """The labels of an output: its own, and by flow inheritance those of the input that were not consumed."""
    return output | (frozenset(labels) - consumed)
