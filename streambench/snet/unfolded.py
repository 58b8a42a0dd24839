"""FRONT's entity graph: what the nodes of a run took, put where they are in the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streambench.snet.front_nodes import Nodes, Position
from streambench.snet.part import Part, inside
from streambench.snet.syntax import Network, Split, Star


@dataclass
class Unfolded:
    """The parts of a run, replicas as they were first needed; those that FRONT makes one of are one here, too."""

    nodes: Nodes

    def __post_init__(self) -> None:
        self.root = self._made(self.nodes.spots[0].network, ())

    def take(self, node: int, keys: Sequence[int]) -> None:
        """A node has taken a record, in the replicas with these ``keys``."""
        position = self.nodes.spots[node].position
        part, left = self.root, iter(keys)
        for depth, step in enumerate(position):
            key = next(left) if step is None else step
            if key not in part.inner:
                (operand,) = inside(part.network, self.nodes.nets).values()
                part.inner[key] = self._made(operand, position[: depth + 1])
                part.inner = dict(sorted(part.inner.items()))
            part = part.inner[key]
        part.records = (part.records or 0) + 1

    def _made(self, network: Network, position: Position) -> Part:
        together = position in self.nodes.together
        part = Part(network, records=0, together=together)
        if isinstance(network, Star | Split) and (not together or position in self.nodes.fused):
            return part  # its replicas come with their first record, and what is fused is one entity
        for key, each in inside(network, self.nodes.nets).items():
            part.inner[key] = self._made(each, (*position, key))
        return part
