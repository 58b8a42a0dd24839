"""A flattened program as the tables of FRONT's property graph, and a run of it: by FRONT, or by threads (S-RTS)."""

from __future__ import annotations

import errno
import math
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from streambench.pyx.front.front_crew import FrontCrew
from streambench.pyx.front.property_graph import Code, Kind, PropertyGraph
from streambench.pyx.front.thread_crew import ThreadCrew
from streambench.snet import boxes as box_calls
from streambench.snet.boxes import BoxFunction, Concurrency, NativeCalls
from streambench.snet.errors import NOWHERE, SnetError
from streambench.snet.expressions import Expression, Number, Tag, Unary
from streambench.snet.infer import Signature, infer
from streambench.snet.labels import labels_of
from streambench.snet.naive import Interpreter, declared_outputs, undeclared
from streambench.snet.record import from_dict
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Choice,
    Feedback,
    Filter,
    Name,
    Net,
    Network,
    Parallel,
    Pattern,
    Program,
    Serial,
    Split,
    Star,
    Sync,
)
from streambench.snet.types import Variant, binds, is_tag, told

MOST_LABELS = 62
MOST_PATTERNS = 64  # of a cell
CREDIT = 1024  # records
GRACE = 1.0  # seconds that boxes have to return after Ctrl-C
GIVEN_OUT_AFTER = 0.05  # seconds that a record that has left may wait for others while boxes are busy
_Left = queue.SimpleQueue[list[dict[str, Any]] | None]
NOTHING = -1
LONGEST = 63
_FIELDS = {"slot": -1, "out": -1, "inner": -1, "size": 0, "label": -1, "first": 0, "count": 0, "labels": 0}
_KIND, _SLOT, _OUT, _INNER, _SIZE = range(5)
_CODES = {
    "+": Code.ADD,
    "-": Code.SUBTRACT,
    "*": Code.MULTIPLY,
    "/": Code.DIVIDE,
    "%": Code.REMAINDER,
    "==": Code.EQUAL,
    "!=": Code.UNEQUAL,
    "<": Code.LESS,
    "<=": Code.LESS_EQUAL,
    ">": Code.GREATER,
    ">=": Code.GREATER_EQUAL,
}


class _Frame:
    """The slots that the nodes of a replica need."""

    def __init__(self, slots: int = 0) -> None:
        self.slots = slots

    def slot(self) -> int:
        """One more."""
        self.slots += 1
        return self.slots - 1


class Front:
    """A flattened program, ready to be run by FRONT, or with a thread for each entity (``threads``).

    ``network``: of its main net; ``signatures``: of boxes and nets by name; ``functions``: of boxes. Raises SnetError
    for a program with more labels, more patterns of a cell, or a longer expression than FRONT takes, and for a net
    without a body.
    """

    def __init__(
        self,
        program: Program,
        network: Network,
        signatures: Mapping[str, Signature],
        functions: Mapping[str, BoxFunction],
        *,
        threads: bool = False,
        concurrency: Concurrency | None = None,
    ) -> None:
        self._threads = threads
        self._concurrency = concurrency or Concurrency()
        named = labels_of(program)
        if len(named) > MOST_LABELS:
            raise SnetError(program.place, f"the program has {len(named)} labels: {_limit(MOST_LABELS)}")
        self._labels = ["", "", *named]  # what stands for labels that the program does not know
        self._numbers = {label: number for number, label in enumerate(self._labels)}
        self._boxes = [each for each in program.definitions if isinstance(each, Box)]
        calls = [functions[each.name] for each in self._boxes]
        self._natives = [each.native if isinstance(each, NativeCalls) else None for each in calls]
        self._nets = {each.name: each for each in program.definitions if isinstance(each, Net)}
        self._signatures, self._functions = signatures, functions
        self._nodes: list[list[int]] = []
        self._networks: list[Network] = []  # by node: what it is about
        self._bodies: list[tuple[int, int, int]] = []
        self._outputs: list[tuple[int, int, int]] = []
        self._items: list[tuple[int, int, int]] = []
        self._patterns: list[tuple[int, int]] = []
        self._branches: list[tuple[int, int]] = []
        self._expressions: list[list[tuple[int, int]]] = []
        self._places: list[list[int]] = []
        self._initial: dict[int, list[tuple[int, int]]] = {}
        root = _Frame()
        entry = self._node(Kind.FEEDBACK, network)  # without patterns it lets every record by
        end = self._node(Kind.OUT, network)
        self._nodes[entry][_OUT] = self._network(network, end, root)
        fields = self._mask(label for label in named if not is_tag(label)) | 1
        binding = self._mask(filter(binds, named)) | 2
        self._graph = PropertyGraph(
            list(map(tuple, self._nodes)),
            self._bodies,
            self._outputs,
            self._items,
            self._patterns,
            self._branches,
            self._expressions,
            self._places,
            labels=len(self._labels),
            fields=fields,
            binding=binding,
            slots=root.slots,
        )

    def run(self, records: Iterable[dict[str, Any]], workers: int, credit: int = CREDIT) -> Iterator[dict[str, Any]]:
        """The records that leave, as they come; ``waiting`` is then the number of cells that hold records.

        ``credit``: FRONT takes none in while so many records are on their way, those in cells not counted; and where so
        many have left and were not asked for, what runs the net waits.

        A run that is left early waits for boxes to return, and not for the source: a thread that waits there ends with
        the next record. After Ctrl-C boxes have a second, and what they give then is dropped. Raises SnetError for a
        record that cannot go on, what the source raises, and OSError where a thread cannot be started.
        """
        left: _Left = queue.SimpleQueue()
        kind, workers = (ThreadCrew, 1) if self._threads else (FrontCrew, workers)
        crew = kind(
            self._graph,
            workers,
            self._labels,
            iter(records),
            left.put,
            self._call,
            self._initial,
            self._natives,
            self._complain,
            credit,
        )
        problems: list[BaseException] = []

        def work() -> None:
            try:
                crew.run()
            except BaseException as problem:
                problems.append(problem)
            with suppress(MemoryError):  # `_next` sees by itself that the thread has ended
                left.put(None)

        thread = threading.Thread(target=work)
        patience = math.inf
        try:
            thread.start()
        except RuntimeError as problem:
            raise OSError(errno.EAGAIN, f"no thread could be started ({problem})") from None
        try:
            while (some := _next(left, crew, thread)) is not None:
                got = len(some)
                some.reverse()
                while some:
                    yield some.pop()  # it is not kept here
                crew.taken(got)
        except KeyboardInterrupt:
            patience = GRACE
            raise
        finally:
            crew.stop()
            while thread.is_alive() and not crew.reading and patience > 0:  # the source may wait for ever
                thread.join(GIVEN_OUT_AFTER)
                patience -= GIVEN_OUT_AFTER
        if problems:
            raise problems[0]
        if crew.error is not None:
            raise crew.error
        if crew.failure is not None:
            self._explain(*crew.failure)
        self.waiting = crew.waiting
        self.steps = crew.steps
        self.entities = crew.threads if isinstance(crew, ThreadCrew) else None
        self.moving = crew.moving if isinstance(crew, FrontCrew) else None

    def _call(self, box: int, values: dict[str, Any]) -> list[dict[str, Any]]:
        return box_calls.call(self._boxes[box], self._functions[self._boxes[box].name], values)

    def _complain(self, box: int, sentence: str) -> SnetError:
        return SnetError(self._boxes[box].place, f"box {self._boxes[box].name} {sentence}.")

    def _explain(self, node: int, values: dict[str, Any]) -> None:
        """Raise what the naive interpreter has to say of the record that a node could not take."""
        network, kind, record = self._networks[node], self._nodes[node][_KIND], from_dict(values)
        if kind == Kind.LEAVE:
            assert isinstance(network, Name)
            raise undeclared(self._nets[network.name], record)
        if isinstance(network, Star | Feedback):
            for pattern in network.exits if isinstance(network, Star) else network.back:
                record.matches(pattern)
            if kind == Kind.ZIPPER:
                for pattern in _cell(network.operand).patterns:  # type: ignore[union-attr]
                    record.matches(pattern)
            raise SnetError(network.place, f"a record with {told(values)} never leaves the star.")
        boxes = {each.name: each for each in self._boxes}
        interpreter = Interpreter(network, boxes, self._nets, self._signatures, self._functions)
        for _ in interpreter.run([record]):
            pass
        raise AssertionError(f"FRONT did not take {values} at {network.place}, which the naive interpreter does")

    # Nodes

    def _node(self, kind: Kind, network: Network, **fields: int) -> int:
        self._nodes.append([int(kind), *(fields.get(name, default) for name, default in _FIELDS.items())])
        self._networks.append(network)
        return len(self._nodes) - 1

    def _network(self, network: Network, out: int, frame: _Frame, *, cell_of_star: bool = False) -> int:
        """The node where records enter ``network``, whose own go on at ``out``; it is in ``frame``.

        ``cell_of_star``: it is a star's operand, so that a cell is alone in its replica.
        """
        if isinstance(network, Serial):
            for part in reversed(network.parts):
                out = self._network(part, out, frame)
            return out
        if isinstance(network, At):
            return self._network(network.operand, out, frame, cell_of_star=cell_of_star)
        if isinstance(network, Name):
            return self._box_or_net(network, out, frame)
        if isinstance(network, Filter):
            body = self._body(network.body, network)
            return self._node(Kind.FILTER, network, out=out, inner=body, labels=self._mask(network.labels))
        if isinstance(network, Sync):
            _check_cell(network)
            test = out if cell_of_star else NOTHING
            tests = self._tests(network.patterns)
            return self._node(Kind.SYNC, network, out=out, inner=test, slot=frame.slot(), **tests)
        if isinstance(network, Feedback):
            test = self._node(Kind.FEEDBACK, network, out=out, **self._tests(network.back))
            self._nodes[test][_INNER] = self._network(network.operand, test, frame)
            return self._nodes[test][_INNER]
        if isinstance(network, Star) and not self._threads and _is_zipper(network):
            cell = _cell(network.operand)
            assert cell is not None
            _check_cell(cell)
            asked = self._mask(network.exits[0].labels)
            tests = self._tests(cell.patterns)
            return self._node(Kind.ZIPPER, network, out=out, slot=frame.slot(), labels=asked, **tests)
        if not network.ordered:
            return self._combinator(network, out, frame)
        order = self._node(Kind.ORDER, network, out=out, slot=frame.slot())
        number = self._node(Kind.NUMBER, network, inner=order, slot=frame.slot())
        self._nodes[number][_OUT] = self._combinator(network, order, frame)
        return number

    def _box_or_net(self, name: Name, out: int, frame: _Frame) -> int:
        for number, box in enumerate(self._boxes):
            if box.name == name.name:
                return self._box(name, number, box, out, frame)
        net = self._nets[name.name]
        if net.body is None:
            raise SnetError(name.place, f"net {net.name} has no body, so that it cannot be run.")
        leave = self._node(Kind.LEAVE, name, out=out, **self._ways((each, 0) for each in declared_outputs(net)))
        inputs = self._signatures[net.name].inputs
        entry = self._network(net.body, leave, frame)
        return self._node(Kind.ENTER, name, out=entry, **self._ways(_best_first((each, 0) for each in inputs)))

    def _box(self, name: Name, number: int, box: Box, out: int, frame: _Frame) -> int:
        """A box; where several calls may be under way, numbers keep the order of what they give (section 4.7)."""
        limit = 1 if self._threads else self._concurrency.of(box.name)
        first = len(self._places)
        self._places += [[self._numbers[label] for label in each] for each in (box.inputs or (), *box.outputs)]
        order = self._node(Kind.ORDER, name, out=out, slot=frame.slot()) if limit > 1 else out
        asked = self._mask(box.inputs or ())
        at = {"out": order, "slot": frame.slot(), "label": number, "first": first, "count": limit, "labels": asked}
        entry = self._node(Kind.BOX, name, **at)
        return self._node(Kind.NUMBER, name, out=entry, inner=order, slot=frame.slot()) if limit > 1 else entry

    def _combinator(self, network: Parallel | Star | Split, out: int, frame: _Frame) -> int:
        if isinstance(network, Parallel):
            return self._dispatch(network, out, frame)
        keeps = self._threads or self._keeps(network.operand)
        if isinstance(network, Split):
            inner = _Frame(1 if self._threads else 0)
            tag = self._numbers[network.tag]
            home = self._node(Kind.HOME, network, out=out) if keeps else out
            entry = self._network(network.operand, home, inner if keeps else frame)
            slot = frame.slot() if keeps else NOTHING
            return self._node(Kind.SPLIT, network, inner=entry, slot=slot, size=inner.slots, label=tag)
        tests = self._tests(network.exits)
        star = self._node(Kind.STAR, network, out=out, **tests)
        if not keeps:  # its replicas are all the same
            self._nodes[star][_INNER] = self._network(network.operand, star, frame)
            return star
        inner = _Frame(1)  # the first slot is for the next replica
        stage = self._node(Kind.STAGE, network, out=out, slot=0, **tests)
        entry = self._network(network.operand, stage, inner, cell_of_star=True)
        self._nodes[star][_SLOT] = frame.slot()
        for node in (star, stage):
            self._nodes[node][_INNER], self._nodes[node][_SIZE] = entry, inner.slots
        return star

    def _dispatch(self, network: Parallel, out: int, frame: _Frame) -> int:
        ways: list[tuple[Variant, int]] = []
        initial = []
        for branch in network.branches:
            entry = self._network(branch, out, frame)
            box = self._initialiser(branch)
            if box is not None:
                initial.append((self._boxes.index(box), out))
            else:
                ways += [(asked, entry) for asked in infer(branch, self._signatures).inputs]
        slot = frame.slot() if initial else NOTHING
        node = self._node(Kind.DISPATCH, network, slot=slot, **self._ways(_best_first(ways)))
        if initial:
            self._initial[node] = initial
        return node

    def _initialiser(self, network: Network) -> Box | None:
        named = [box for box in self._boxes if isinstance(network, Name) and box.name == network.name]
        return named[0] if named and named[0].inputs is None else None

    def _keeps(self, network: Network) -> bool:
        """Whether a replica of the network keeps anything, so that replicas differ."""
        if isinstance(network, Filter):
            return False
        if isinstance(network, Sync):
            return True
        if isinstance(network, Name):
            body = self._nets[network.name].body if network.name in self._nets else None
            return body is None or self._keeps(body)
        if isinstance(network, Serial):
            return any(map(self._keeps, network.parts))
        if isinstance(network, Parallel):
            return network.ordered or any(map(self._keeps, network.branches))
        return (isinstance(network, Star | Split) and network.ordered) or self._keeps(network.operand)

    # Tables

    def _mask(self, labels: Iterable[str]) -> int:
        return sum(1 << self._numbers[label] for label in labels)

    def _tests(self, patterns: Iterable[Pattern]) -> dict[str, int]:
        made = [(self._mask(each.labels), self._expression(each.guard)) for each in patterns]
        self._patterns += made
        return {"first": len(self._patterns) - len(made), "count": len(made)}

    def _ways(self, ways: Iterable[tuple[Variant, int]]) -> dict[str, int]:
        made = [(self._mask(asked), node) for asked, node in ways]
        self._branches += made
        return {"first": len(self._branches) - len(made), "count": len(made)}

    def _body(self, body: Body, filter: Filter) -> int:
        if isinstance(body, Choice):
            inner = self._body(body.then, filter), self._body(body.otherwise, filter)
            self._bodies.append((self._expression(body.guard), *inner))
            return len(self._bodies) - 1
        first = len(self._outputs)
        for record in body.records:
            self._outputs.append((self._mask(item.label for item in record), len(self._items), len(record)))
            for item in record:
                label = self._numbers[item.label]
                if isinstance(item.value, str):
                    self._items.append((label, self._numbers[item.value], NOTHING))
                elif item.value is None:
                    source = label if item.label in filter.labels else NOTHING
                    self._items.append((label, source, NOTHING))
                else:
                    self._items.append((label, NOTHING, self._expression(item.value)))
        self._bodies.append((NOTHING, first, len(body.records)))
        return len(self._bodies) - 1

    def _expression(self, expression: Expression | None) -> int:
        if expression is None:
            return NOTHING
        code = list(self._code(expression))
        if len(code) > LONGEST:
            raise SnetError(NOWHERE, f"an expression has {len(code)} operands and operators: {_limit(LONGEST)}")
        self._expressions.append(code)
        return len(self._expressions) - 1

    def _code(self, expression: Expression) -> Iterator[tuple[int, int]]:
        if isinstance(expression, Number):
            yield Code.PUSH_NUMBER, expression.value
        elif isinstance(expression, Tag):
            yield Code.PUSH_LABEL, self._numbers[expression.label]
        elif isinstance(expression, Unary):
            yield from self._code(expression.operand)
            yield (Code.NOT if expression.operator == "!" else Code.ABSOLUTE), 0
        else:
            yield from self._code(expression.left)
            right = list(self._code(expression.right))
            if expression.operator in ("&&", "||"):
                yield (Code.AND_JUMP if expression.operator == "&&" else Code.OR_JUMP), len(right) + 1
                yield from right
                yield Code.BOOLEAN, 0
            else:
                yield from right
                yield _CODES[expression.operator], 0


def _next(left: _Left, crew: FrontCrew | ThreadCrew, thread: threading.Thread) -> list[dict[str, Any]] | None:
    """What has left; None at the end, or when something went wrong and the source goes on giving nothing.

    Workers give out when they have many records, or nothing to do, so not amid a box. The ``thread`` that runs them
    says that it has ended, unless it was refused the memory for that.
    """
    while True:
        try:
            return left.get(timeout=GIVEN_OUT_AFTER)
        except queue.Empty:
            if crew.reading and (crew.error is not None or crew.failure is not None):
                return None
            if not thread.is_alive() and left.empty():
                return None
            crew.give_out_now()


def _limit(most: int) -> str:
    return f"FRONT takes {most}, the naive interpreter any number."


def _check_cell(cell: Sync) -> None:
    if len(cell.patterns) > MOST_PATTERNS:
        raise SnetError(cell.place, f"the synchro-cell has {len(cell.patterns)} patterns: {_limit(MOST_PATTERNS)}")


def _best_first(ways: Iterable[tuple[Variant, int]]) -> list[tuple[Variant, int]]:
    """Those that ask for most first, of equals the first: the first that takes a record is its best match."""
    return sorted(ways, key=lambda way: -len(way[0]))


def _cell(network: Network) -> Sync | None:
    while isinstance(network, At):
        network = network.operand
    return network if isinstance(network, Sync) else None


def _is_zipper(star: Star) -> bool:
    """Whether all that a star around a cell joins leaves it at once, so that nothing but partial matches is in it."""
    cell = _cell(star.operand)
    if cell is None or len(star.exits) != 1 or star.exits[0].guard is not None:
        return False
    joined = {label for pattern in cell.patterns for label in pattern.labels}
    exit = set(star.exits[0].labels)
    return exit <= joined and {label for label in joined if binds(label)} <= exit
