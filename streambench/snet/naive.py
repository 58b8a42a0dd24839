"""The naive interpreter: one record after the other, each until nothing of it moves any more.

So every combinator keeps the order of the records that caused its outputs, also those that need not. It is the oracle
of the runtimes: of a deterministic network they give this sequence, of others these records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from streambench.snet import boxes as box_calls
from streambench.snet.boxes import BoxFunction
from streambench.snet.demands import Demands
from streambench.snet.errors import Place, SnetError
from streambench.snet.expressions import evaluate
from streambench.snet.part import Part
from streambench.snet.record import Hidden, Record
from streambench.snet.signature import Signature, variants
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Choice,
    Feedback,
    Filter,
    Label,
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
)
from streambench.snet.trace import Step, Trace
from streambench.snet.types import Variant, best, label_text

Moves = list[tuple["Entity", Record]]
"""Which records go where next, in order."""


class Entity:
    """What takes records at one place of the unfolding network."""

    enters = False
    """Whether this is where records enter its part, which counts them."""

    def __init__(self, part: Part, place: Place) -> None:
        self.part = part
        self.place = place

    def take(self, record: Record) -> Moves:
        """What becomes of a record."""
        raise NotImplementedError


class Interpreter:
    """A network, unfolding as records come.

    ``signatures``: of boxes and nets by name; ``functions``: of boxes; ``trace``: called with each step, a
    part that takes a record; the replicas around it are not told.
    """

    def __init__(
        self,
        network: Network,
        boxes: Mapping[str, Box],
        nets: Mapping[str, Net],
        signatures: Mapping[str, Signature],
        functions: Mapping[str, BoxFunction],
        trace: Trace | None = None,
    ) -> None:
        self._boxes = boxes
        self._nets = nets
        self._signatures = signatures
        self._demands = Demands(signatures)
        self._functions = functions
        self._trace = trace
        self._syncs: list[_Sync] = []
        self._end = _End()
        self._entry, self.unfolded = self._build(network, self._end)

    def run(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records that leave. Raises SnetError for a record that cannot go on, with the place where it was."""
        for incoming in records:
            todo: Moves = [(self._entry, incoming)]
            while todo:
                entity, record = todo.pop()
                if entity is self._end:
                    yield record
                    continue
                if entity.enters:
                    self._count(entity.part, record)
                todo.extend(reversed(entity.take(record)))

    def waiting(self) -> int:
        """How many synchro-cells hold records that wait for others."""
        return sum(each.waits for each in self._syncs)

    def _count(self, part: Part, record: Record) -> None:
        part.records = (part.records or 0) + 1
        if self._trace is not None:
            self._trace(Step(0, "takes", part.network, (), record.values))

    def _build(self, network: Network, out: Entity) -> tuple[Entity, Part]:
        """A new instance of ``network`` whose records go on to ``out``: where they enter, and the tree of its parts."""
        part = Part(network, records=0)
        entry = self._entity(network, part, out)
        entry.enters = True
        return entry, part

    def _inside(self, part: Part, key: int, network: Network, out: Entity) -> Entity:
        entry, part.inner[key] = self._build(network, out)
        return entry

    def _entity(self, network: Network, part: Part, out: Entity) -> Entity:
        place = network.place
        if isinstance(network, Filter):
            return _Filter(part, place, network, out)
        if isinstance(network, Sync):
            self._syncs.append(_Sync(part, place, network, out))
            return self._syncs[-1]
        if isinstance(network, Name):
            if network.name in self._boxes:
                return _Box(part, self._boxes[network.name], self._functions[network.name], out)
            return self._scope(part, self._nets[network.name], network, out)
        if isinstance(network, Serial):
            for key in reversed(range(len(network.parts))):
                out = self._inside(part, key, network.parts[key], out)
            part.inner = dict(sorted(part.inner.items()))
            return _Pass(part, place, out)
        if isinstance(network, Parallel):
            return self._dispatcher(part, network, out)
        if isinstance(network, At):
            return _Pass(part, place, self._inside(part, 0, network.operand, out))
        if isinstance(network, Star):

            def stage(number: int) -> Entity:
                """The test before the replica of that number; the replica comes with the first record for it."""
                return _Star(
                    part, place, network, out, lambda: self._inside(part, number, network.operand, stage(number + 1))
                )

            return stage(0)
        if isinstance(network, Split):
            return _Split(part, place, network, lambda value: self._inside(part, value, network.operand, out))
        loop = _Feedback(part, place, network, out)
        loop.entry = self._inside(part, 0, network.operand, loop)
        return _Pass(part, place, loop.entry)

    def _dispatcher(self, part: Part, network: Parallel, out: Entity) -> Entity:
        entries, inputs, initial = [], [], []
        for key, branch in enumerate(network.branches):
            entry = self._inside(part, key, branch, out)
            box = entry
            while isinstance(box, _Pass):
                box = box.out
            if isinstance(box, _Box) and box.box.inputs is None:
                initial.append(box)
            else:
                entries.append(entry)
                inputs.append(self._demands.of(branch))
        return _Dispatcher(part, network.place, entries, inputs, initial)

    def _scope(self, part: Part, net: Net, used: Name, out: Entity) -> Entity:
        if net.body is None:
            raise SnetError(used.place, f"net {net.name} has no body, so that it cannot be run.")
        inputs = self._signatures[net.name].inputs
        leave = _Leave(part, net, declared_outputs(net), out)
        return _Enter(part, used.place, net, inputs, self._inside(part, 0, net.body, leave))


class _End(Entity):
    def __init__(self) -> None:
        """Where records leave the outermost network; they are counted by who takes them there."""


class _Pass(Entity):
    def __init__(self, part: Part, place: Place, out: Entity) -> None:
        super().__init__(part, place)
        self.out = out

    def take(self, record: Record) -> Moves:
        return [(self.out, record)]


class _Filter(Entity):
    def __init__(self, part: Part, place: Place, filter: Filter, out: Entity) -> None:
        super().__init__(part, place)
        self.filter, self.out = filter, out

    def take(self, record: Record) -> Moves:
        if not record.matches(Pattern(self.filter.labels)):
            raise SnetError(self.place, f"the filter asks for {label_text(self.filter.labels)}, {_has(record)}.")
        return [
            (self.out, record.giving(values, self.filter.labels)) for values in self._made(self.filter.body, record)
        ]

    def _made(self, body: Body, record: Record) -> Iterator[dict[Label, object]]:
        while isinstance(body, Choice):
            body = body.then if evaluate(body.guard, record.values) else body.otherwise
        assert isinstance(body, Outputs)
        for items in body.records:
            values: dict[Label, object] = {}
            for item in items:
                if item.value is None:  # a tag that the pattern does not ask for is new: 0
                    values[item.label] = record.values[item.label] if item.label in self.filter.labels else 0
                elif isinstance(item.value, str):
                    values[item.label] = record.values[item.value]
                else:
                    values[item.label] = evaluate(item.value, record.values)
            yield values


class _Box(Entity):
    def __init__(self, part: Part, box: Box, function: BoxFunction, out: Entity) -> None:
        super().__init__(part, part.network.place)
        self.box, self.function, self.out = box, function, out

    def take(self, record: Record) -> Moves:
        labels = self.box.inputs or ()
        if not record.matches(Pattern(labels)):
            raise SnetError(self.place, f"box {self.box.name} asks for {label_text(labels)}, {_has(record)}.")
        outputs = box_calls.call(self.box, self.function, record.values)
        return [(self.out, record.giving(each, labels)) for each in outputs]

    def start(self) -> Moves:
        """What an initialiser gives."""
        self.part.records = 1
        return [(self.out, Record(each)) for each in box_calls.call(self.box, self.function, {})]


class _Sync(Entity):
    def __init__(self, part: Part, place: Place, sync: Sync, out: Entity) -> None:
        super().__init__(part, place)
        self.patterns, self.out = sync.patterns, out
        self.slots: list[Record | None] = [None] * len(sync.patterns)
        self.done = False

    @property
    def waits(self) -> bool:
        """Whether it holds a record."""
        return not self.done and any(each is not None for each in self.slots)

    def take(self, record: Record) -> Moves:
        free = [k for k, each in enumerate(self.slots) if each is None and record.matches(self.patterns[k])]
        if self.done or not free:
            return [(self.out, record)]
        for k in free:
            self.slots[k] = record
        stored = [each for each in self.slots if each is not None]
        if len(stored) < len(self.slots):
            return []
        self.done = True
        return [(self.out, self._merged(stored))]

    def _merged(self, stored: list[Record]) -> Record:
        """The first pattern's record, and of the others what their patterns ask for and it does not have."""
        values = dict(stored[0].values)
        for pattern, record in zip(self.patterns[1:], stored[1:], strict=True):
            for label in pattern.labels:
                values.setdefault(label, record.values[label])
        return Record(values, stored[0].hidden)


class _Dispatcher(Entity):
    def __init__(
        self, part: Part, place: Place, entries: list[Entity], inputs: list[tuple[Variant, ...]], initial: list[_Box]
    ) -> None:
        super().__init__(part, place)
        self.entries, self.inputs, self.initial = entries, inputs, initial

    def take(self, record: Record) -> Moves:
        moves = [move for each in self.initial for move in each.start()]
        self.initial = []
        place = best(self.inputs, record.values.keys())
        if place is None:
            raise SnetError(self.place, f"no branch takes a record with {label_text(record.values)}.")
        return [*moves, (self.entries[place], record)]


class _Star(Entity):
    def __init__(self, part: Part, place: Place, star: Star, out: Entity, replica: Callable[[], Entity]) -> None:
        super().__init__(part, place)
        self.exits, self.out, self.replica = star.exits, out, replica
        self.next: Entity | None = None

    def take(self, record: Record) -> Moves:
        if any(map(record.matches, self.exits)):
            return [(self.out, record)]
        if self.next is None:
            self.next = self.replica()
        return [(self.next, record)]


class _Split(Entity):
    def __init__(self, part: Part, place: Place, split: Split, replica: Callable[[int], Entity]) -> None:
        super().__init__(part, place)
        self.tag, self.replica = split.tag, replica
        self.replicas: dict[int, Entity] = {}

    def take(self, record: Record) -> Moves:
        if self.tag not in record.values:
            raise SnetError(self.place, f"the split asks for {self.tag}, {_has(record)}.")
        value = record.values[self.tag]
        if value not in self.replicas:
            self.replicas[value] = self.replica(value)
        return [(self.replicas[value], record)]


class _Feedback(Entity):
    """The end of the loop: records enter the operand without a test, as in the paper."""

    entry: Entity

    def __init__(self, part: Part, place: Place, feedback: Feedback, out: Entity) -> None:
        super().__init__(part, place)
        self.back, self.out = feedback.back, out

    def take(self, record: Record) -> Moves:
        return [(self.entry if any(map(record.matches, self.back)) else self.out, record)]


class _Enter(Entity):
    """A net with a signature hides what it does not ask for."""

    def __init__(self, part: Part, place: Place, net: Net, inputs: tuple[Variant, ...], out: Entity) -> None:
        super().__init__(part, place)
        self.net, self.inputs, self.out = net, inputs, out

    def take(self, record: Record) -> Moves:
        place = best([(labels,) for labels in self.inputs], record.values.keys())
        if place is None:
            raise SnetError(self.place, f"net {self.net.name} does not take a record with {label_text(record.values)}.")
        labels = self.inputs[place]
        seen = {label: value for label, value in record.values.items() if label in labels}
        hidden = {label: value for label, value in record.values.items() if label not in labels}
        return [(self.out, Record(seen, Hidden(hidden, record.hidden)))]


class _Leave(Entity):
    """And gives it back to what leaves, which must be declared (``declared`` is empty where that is left open)."""

    def __init__(self, part: Part, net: Net, declared: list[Variant], out: Entity) -> None:
        super().__init__(part, net.place)
        self.net, self.declared, self.out = net, declared, out

    def take(self, record: Record) -> Moves:
        if self.declared and record.values.keys() not in self.declared:
            raise undeclared(self.net, record)
        hidden = record.hidden or Hidden({}, None)  # what an initialiser gives has nothing hidden
        return [(self.out, Record({**hidden.values, **record.values}, hidden.outer))]


def declared_outputs(net: Net) -> list[Variant]:
    """What a net with a signature may give; none where that is left open."""
    if any(mapping.output is None for mapping in net.mappings):
        return []
    return [variant for mapping in net.mappings for variant in variants(mapping.output or ())]


def undeclared(net: Net, record: Record) -> SnetError:
    """What is to be said of a record that may not leave a net."""
    return SnetError(net.place, f"net {net.name} gives {label_text(record.values)}, which it does not declare.")


def _has(record: Record) -> str:
    return f"and a record has {label_text(record.values)}"
