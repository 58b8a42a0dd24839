"""A network as a tree of parts: as written (the property graph), or as a run has unfolded it (the entity graph)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from streambench.snet.syntax import Name, Net, Network, Parallel, Serial


@dataclass
class Part:
    """A network and what is inside: parts, branches, replicas of a star by their place, those of a split by tag.

    ``records``: how many it has taken; None where it is not about a run.
    """

    network: Network
    inner: dict[int, Part] = field(default_factory=dict)
    records: int | None = None


def as_written(network: Network, nets: Mapping[str, Net]) -> Part:
    """The property graph: of what repeats, one replica. ``nets``: those with a signature, by name."""
    if isinstance(network, Serial):
        inside = network.parts
    elif isinstance(network, Parallel):
        inside = network.branches
    elif isinstance(network, Name):
        body = nets[network.name].body if network.name in nets else None
        inside = (body,) if body is not None else ()
    else:
        operand: Network | None = getattr(network, "operand", None)
        inside = () if operand is None else (operand,)
    return Part(network, dict(enumerate(as_written(each, nets) for each in inside)))
