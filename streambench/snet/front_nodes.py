"""A flattened program as the nodes of FRONT's property graph, and which part of the network each of them is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from streambench.pyx.front.property_graph import Kind
from streambench.snet.boxes import Concurrency
from streambench.snet.demands import Demands
from streambench.snet.errors import SnetError
from streambench.snet.front_tables import INNER, NOTHING, OUT, SIZE, SLOT, Tables
from streambench.snet.naive import declared_outputs
from streambench.snet.signature import Signature
from streambench.snet.syntax import (
    At,
    Box,
    Feedback,
    Filter,
    Name,
    Net,
    Network,
    Parallel,
    Program,
    Serial,
    Split,
    Star,
    Sync,
    placed,
)
from streambench.snet.types import Variant, binds

Position = tuple[int | None, ...]
"""Where a part is in the network: the number of the part, branch or operand at each level; None for a replica."""


class Spot(NamedTuple):
    """What a node is about."""

    network: Network
    position: Position


class _Frame:
    """The slots that the nodes of a replica need."""

    def __init__(self, slots: int = 0) -> None:
        self.slots = slots

    def slot(self) -> int:
        """One more."""
        self.slots += 1
        return self.slots - 1


class Nodes:
    """The nodes of a program whose main net's network is ``network``, for FRONT or for ``threads``.

    ``signatures``: of boxes and nets by name. Raises SnetError for a net without a body.
    """

    def __init__(
        self,
        program: Program,
        network: Network,
        signatures: Mapping[str, Signature],
        *,
        threads: bool,
        concurrency: Concurrency | None,
    ) -> None:
        self._threads = threads
        self._concurrency = concurrency or Concurrency()
        self._signatures = signatures
        self._demands = Demands(signatures)
        self.boxes = [each for each in program.definitions if isinstance(each, Box)]
        self.nets = {each.name: each for each in program.definitions if isinstance(each, Net)}
        self.tables = Tables(program)
        self.spots: list[Spot] = []
        """By node."""
        self.together: set[Position] = set()
        """Stars and splits whose replicas are all the same, and one."""
        self.fused: set[Position] = set()
        """Of these those that are one entity (the zipper)."""
        self.initial: dict[int, list[tuple[int, int, int]]] = {}
        """By dispatcher the number of each initialiser's box, its node, and where what it gives goes."""
        self._position: Position = ()
        root = _Frame()
        entry = self._node(Kind.FEEDBACK, network)  # without patterns it lets every record by
        end = self._node(Kind.OUT, network)
        self.tables.nodes[entry][OUT] = self._network(network, end, root)
        self.graph = self.tables.graph(root.slots)

    def _node(self, kind: Kind, network: Network, **fields: int) -> int:
        self.spots.append(Spot(network, self._position))
        return self.tables.node(kind, **fields)

    def _inside(self, key: int | None, network: Network, out: int, frame: _Frame, *, cell_of_star: bool = False) -> int:
        """The same of the part with this key."""
        outside = self._position
        self._position = (*outside, key)
        entry = self._network(network, out, frame, cell_of_star=cell_of_star)
        self._position = outside
        return entry

    def _network(self, network: Network, out: int, frame: _Frame, *, cell_of_star: bool = False) -> int:
        """The node where records enter ``network``, whose own go on at ``out``; it is in ``frame``.

        ``cell_of_star``: it is a star's operand, so that a cell is alone in its replica.
        """
        if isinstance(network, Serial):
            for key in reversed(range(len(network.parts))):
                out = self._inside(key, network.parts[key], out, frame)
            return out
        if isinstance(network, At):
            return self._inside(0, network.operand, out, frame, cell_of_star=cell_of_star)
        if isinstance(network, Name):
            return self._box_or_net(network, out, frame)
        if isinstance(network, Filter):
            body = self.tables.body(network.body, network)
            return self._node(Kind.FILTER, network, out=out, inner=body, labels=self.tables.mask(network.labels))
        if isinstance(network, Sync):
            test = out if cell_of_star else NOTHING
            tests = self.tables.tests(network.patterns)
            return self._node(Kind.SYNC, network, out=out, inner=test, slot=frame.slot(), **tests)
        if isinstance(network, Feedback):
            test = self._node(Kind.FEEDBACK, network, out=out, **self.tables.tests(network.back))
            self.tables.nodes[test][INNER] = self._inside(0, network.operand, test, frame)
            return self.tables.nodes[test][INNER]
        if isinstance(network, Star) and not self._threads and _is_zipper(network):
            cell = cell_of(network.operand)
            assert cell is not None
            self.together.add(self._position)
            self.fused.add(self._position)
            mask = self.tables.mask(network.exits[0].labels)
            tests = self.tables.tests(cell.patterns)
            return self._node(Kind.ZIPPER, network, out=out, slot=frame.slot(), labels=mask, **tests)
        if not network.ordered:
            return self._combinator(network, out, frame)
        order = self._node(Kind.ORDER, network, out=out, slot=frame.slot())
        number = self._node(Kind.NUMBER, network, inner=order, slot=frame.slot())
        self.tables.nodes[number][OUT] = self._combinator(network, order, frame)
        return number

    def _box_or_net(self, name: Name, out: int, frame: _Frame) -> int:
        for number, box in enumerate(self.boxes):
            if box.name == name.name:
                return self._box(name, number, box, out, frame)
        net = self.nets[name.name]
        if net.body is None:
            raise SnetError(name.place, f"net {net.name} has no body, so that it cannot be run.")
        leave = self._node(Kind.LEAVE, name, out=out, **self.tables.ways((each, 0) for each in declared_outputs(net)))
        inputs = self._signatures[net.name].inputs
        entry = self._inside(0, net.body, leave, frame)
        return self._node(Kind.ENTER, name, out=entry, **self.tables.ways(_best_first((each, 0) for each in inputs)))

    def _box(self, name: Name, number: int, box: Box, out: int, frame: _Frame) -> int:
        """A box; where several calls may be under way, numbers keep the order of what they give (section 4.7)."""
        limit = 1 if self._threads else self._concurrency.of(box.name)
        first = self.tables.placed([box.inputs or (), *box.outputs])
        order = self._node(Kind.ORDER, name, out=out, slot=frame.slot()) if limit > 1 else out
        mask = self.tables.mask(box.inputs or ())
        at = {"out": order, "slot": frame.slot(), "label": number, "first": first, "count": limit, "labels": mask}
        entry = self._node(Kind.BOX, name, **at)
        return self._node(Kind.NUMBER, name, out=entry, inner=order, slot=frame.slot()) if limit > 1 else entry

    def _combinator(self, network: Parallel | Star | Split, out: int, frame: _Frame) -> int:
        if isinstance(network, Parallel):
            return self._dispatch(network, out, frame)
        keeps = self._threads or self._keeps(network.operand)
        if not keeps:
            self.together.add(self._position)
        if isinstance(network, Split):
            inner = _Frame(1 if self._threads else 0)
            tag = self.tables.numbers[network.tag]
            home = self._node(Kind.HOME, network, out=out) if keeps else out
            entry = self._inside(None if keeps else 0, network.operand, home, inner if keeps else frame)
            slot = frame.slot() if keeps else NOTHING
            return self._node(Kind.SPLIT, network, inner=entry, slot=slot, size=inner.slots, label=tag)
        tests = self.tables.tests(network.exits)
        star = self._node(Kind.STAR, network, out=out, **tests)
        if not keeps:  # its replicas are all the same
            self.tables.nodes[star][INNER] = self._inside(0, network.operand, star, frame)
            return star
        inner = _Frame(1)  # the first slot is for the next replica
        stage = self._node(Kind.STAGE, network, out=out, slot=0, **tests)
        entry = self._inside(None, network.operand, stage, inner, cell_of_star=True)
        self.tables.nodes[star][SLOT] = frame.slot()
        for node in (star, stage):
            self.tables.nodes[node][INNER], self.tables.nodes[node][SIZE] = entry, inner.slots
        return star

    def _dispatch(self, network: Parallel, out: int, frame: _Frame) -> int:
        ways: list[tuple[Variant, int]] = []
        initial = []
        for key, branch in enumerate(network.branches):
            entry = self._inside(key, branch, out, frame)
            box = self._initialiser(branch)
            if box is not None:
                initial.append((self.boxes.index(box), entry, out))
            else:
                ways += [(mask, entry) for mask in self._demands.of(branch)]
        slot = frame.slot() if initial else NOTHING
        node = self._node(Kind.DISPATCH, network, slot=slot, **self.tables.ways(_best_first(ways)))
        if initial:
            self.initial[node] = initial
        return node

    def _initialiser(self, network: Network) -> Box | None:
        name = placed(network)
        named = [box for box in self.boxes if isinstance(name, Name) and box.name == name.name]
        return named[0] if named and named[0].inputs is None else None

    def _keeps(self, network: Network) -> bool:
        """Whether a replica of the network keeps anything, so that replicas differ."""
        if isinstance(network, Filter):
            return False
        if isinstance(network, Sync):
            return True
        if isinstance(network, Name):
            body = self.nets[network.name].body if network.name in self.nets else None
            return body is None or self._keeps(body)
        if isinstance(network, Serial):
            return any(map(self._keeps, network.parts))
        if isinstance(network, Parallel):
            return network.ordered or any(map(self._keeps, network.branches))
        return (isinstance(network, Star | Split) and network.ordered) or self._keeps(network.operand)


def _best_first(ways: Iterable[tuple[Variant, int]]) -> list[tuple[Variant, int]]:
    """Those that ask for most first, of equals the first: the first that takes a record is its best match."""
    return sorted(ways, key=lambda way: -len(way[0]))


def cell_of(network: Network) -> Sync | None:
    """The cell that a star is around, if it is."""
    cell = placed(network)
    return cell if isinstance(cell, Sync) else None


def _is_zipper(star: Star) -> bool:
    """Whether all that a star around a cell joins leaves it at once, so that nothing but partial matches is in it."""
    cell = cell_of(star.operand)
    if cell is None or len(star.exits) != 1 or star.exits[0].guard is not None:
        return False
    joined = {label for pattern in cell.patterns for label in pattern.labels}
    exit = set(star.exits[0].labels)
    return exit <= joined and {label for label in joined if binds(label)} <= exit
