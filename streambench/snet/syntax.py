"""The syntax tree of a program. Two trees are equal whatever places they were read from.

Labels are texts as the source spells them: a field ``a``, a tag ``<t>``, a binding tag ``<#b>``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from streambench.snet.errors import NOWHERE, Place
from streambench.snet.expressions import Expression

Label = str
Labels = tuple[Label, ...]


@dataclass(frozen=True)
class Pattern:
    """Labels that a record must have, and a guard that must then hold of its tags."""

    labels: Labels
    guard: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Item:
    """A label of a filter's output and where its value comes from: a field, an expression, or None, the same label."""

    label: Label
    value: Label | Expression | None = None


@dataclass(frozen=True)
class Outputs:
    """The records that a filter makes, in order; none drops the record."""

    records: tuple[tuple[Item, ...], ...]


@dataclass(frozen=True)
class Choice:
    """``if <guard> then … else …`` in a filter."""

    guard: Expression
    then: Body
    otherwise: Body


Body = Outputs | Choice


@dataclass(frozen=True)
class Name:
    """A box or a net by its name."""

    name: str
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Filter:
    """``[{labels} -> body]``; ``[]`` is that of no labels, which makes one record of none."""

    labels: Labels
    body: Body
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Sync:
    """A synchro-cell, ``[| pattern, … |]``."""

    patterns: tuple[Pattern, ...]
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Serial:
    """``A .. B .. C``."""

    parts: tuple[Network, ...]
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Parallel:
    """``A | B | C``; ``||`` keeps the order of the records that caused the outputs."""

    branches: tuple[Network, ...]
    ordered: bool = False
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Star:
    """``A * exits``; ``**`` keeps the order."""

    operand: Network
    exits: tuple[Pattern, ...]
    ordered: bool = False
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Feedback:
    r"""``A \ back``."""

    operand: Network
    back: tuple[Pattern, ...]
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Split:
    """``A ! <tag>``; ``!!`` keeps the order; ``!@``, ``!!@`` (``placed``) also say where the replicas are to be."""

    operand: Network
    tag: Label
    ordered: bool = False
    placed: bool = False
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class At:
    """``A @ node``: kept and told, and of no effect within one process."""

    operand: Network
    node: int
    place: Place = field(default=NOWHERE, compare=False)


Network = Name | Filter | Sync | Serial | Parallel | Star | Feedback | Split | At


def placed(network: Network) -> Network:
    """The network without what says where it is to be."""
    while isinstance(network, At):
        network = network.operand
    return network


IDENTITY = Filter((), Outputs(((),)))

Type = tuple[Labels | str, ...]
"""Variants, each its labels or the name of a type."""


@dataclass(frozen=True)
class Mapping:
    """A line of a net's signature; its output is None where it is left to be inferred, ``...``."""

    input: Type
    output: Type | None


NetType = tuple[Mapping | str, ...] | str
"""The lines of a signature, among them names of signatures that have them; or one such name."""


@dataclass(frozen=True)
class TypeName:
    """``type name = {…} | …;``"""

    name: str
    type: Type
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class SignatureName:
    """``typesig name = {…} -> {…}, …;``"""

    name: str
    signature: NetType
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Box:
    """``box name ((inputs) -> (outputs) | …);``: the order of labels is that of arguments. One without inputs (None)
    is an initialiser."""

    name: str
    inputs: Labels | None
    outputs: tuple[Labels, ...]
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Net:
    """A net; one without a ``body`` is declared here and defined elsewhere."""

    name: str
    signature: NetType | None
    definitions: tuple[Definition, ...]
    body: Network | None
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def mappings(self) -> list[Mapping]:
        """The lines of its signature, names of others left out: a flattened program has none."""
        return [each for each in self.signature or () if isinstance(each, Mapping)]


Definition = TypeName | SignatureName | Box | Net


@dataclass(frozen=True)
class Program:
    """All definitions of a file."""

    definitions: tuple[Definition, ...]
    place: Place = field(default=NOWHERE, compare=False)
