"""A network as a tree of parts: as written (the property graph), or as a run has unfolded it (the entity graph)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from streambench.snet.syntax import Name, Net, Network, Parallel, Serial


@dataclass
class Part:
    """A network and what is inside: parts, branches, replicas of a star by their place, those of a split by tag.

    ``records``: how many it has taken; None where it is not about a run. ``together``: its replicas are one; where
    there is none inside, they and what is around them are one entity.
    """

    network: Network
    inner: dict[int, Part] = field(default_factory=dict)
    records: int | None = None
    together: bool = False


def as_written(network: Network, nets: Mapping[str, Net]) -> Part:
    """The property graph: of what repeats, one replica. ``nets``: those with a signature, by name."""
    return Part(network, {key: as_written(each, nets) for key, each in inside(network, nets).items()})


def inside(network: Network, nets: Mapping[str, Net]) -> dict[int, Network]:
    """The parts of a network, as it is written."""
    if isinstance(network, Serial):
        return dict(enumerate(network.parts))
    if isinstance(network, Parallel):
        return dict(enumerate(network.branches))
    if isinstance(network, Name):
        body = nets[network.name].body if network.name in nets else None
        return {} if body is None else {0: body}
    operand: Network | None = getattr(network, "operand", None)
    return {} if operand is None else {0: operand}
