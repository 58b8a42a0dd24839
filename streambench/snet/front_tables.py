"""The tables of FRONT's property graph: labels as bits, patterns, outputs of filters, expressions as code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from streambench.pyx.front.property_graph import Code, Kind, PropertyGraph
from streambench.snet.expressions import Expression, Number, Tag, Unary, chain
from streambench.snet.labels import labels_of
from streambench.snet.syntax import Body, Choice, Filter, Labels, Pattern, Program
from streambench.snet.types import Variant, binds, is_tag

WORD = 64  # labels
UNKNOWN = 2  # labels that stand for those that the program does not know
NOTHING = -1
_FIELDS = {"slot": -1, "out": -1, "inner": -1, "size": 0, "label": -1, "first": 0, "count": 0, "labels": 0}
KIND, SLOT, OUT, INNER, SIZE = range(5)
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


class Tables:
    """Filled by who builds a network's nodes; then they are the property graph's."""

    def __init__(self, program: Program) -> None:
        named = labels_of(program)
        # Labels that take further words have these where the first labels' values would be (record_layout.pxd).
        self._further = max(0, -(-(len(named) + UNKNOWN - WORD) // (WORD - 1)))
        self._before = self._further + UNKNOWN
        self.labels = [""] * self._before + named
        self.numbers = {label: number for number, label in enumerate(self.labels)}
        self.nodes: list[list[int]] = []
        self.places: list[list[int]] = []
        """Labels in the order of a box's signature: of its input, then of each variant."""
        self._bodies: list[tuple[int, int, int]] = []
        self._outputs: list[tuple[int, int, int]] = []
        self._items: list[tuple[int, int, int]] = []
        self._patterns: list[tuple[int, int]] = []
        self._branches: list[tuple[int, int]] = []
        self._expressions: list[list[tuple[int, int]]] = []

    def graph(self, slots: int) -> PropertyGraph:
        """The property graph; ``slots``: of its outermost frame."""
        return PropertyGraph(
            list(map(tuple, self.nodes)),
            self._bodies,
            self._outputs,
            self._items,
            self._patterns,
            self._branches,
            self._expressions,
            self.places,
            labels=len(self.labels),
            fields=self.mask(label for label in self.labels[self._before :] if not is_tag(label)) | 1 << self._further,
            binding=self.mask(filter(binds, self.labels[self._before :])) | 2 << self._further,
            slots=slots,
            further=self._further,
        )

    def node(self, kind: Kind, **fields: int) -> int:
        """One more node: its number."""
        self.nodes.append([int(kind), *(fields.get(name, default) for name, default in _FIELDS.items())])
        return len(self.nodes) - 1

    def placed(self, tuples: Sequence[Labels]) -> int:
        """The labels of a box's tuples: where they begin among the places."""
        self.places += [[self.numbers[label] for label in each] for each in tuples]
        return len(self.places) - len(tuples)

    def mask(self, labels: Iterable[str]) -> int:
        """The labels as bits."""
        return sum(1 << self.numbers[label] for label in labels)

    def tests(self, patterns: Iterable[Pattern]) -> dict[str, int]:
        """Patterns, as fields of the node that looks at them."""
        tests = [(self.mask(each.labels), self._expression(each.guard)) for each in patterns]
        self._patterns += tests
        return {"first": len(self._patterns) - len(tests), "count": len(tests)}

    def ways(self, ways: Iterable[tuple[Variant, int]]) -> dict[str, int]:
        """Which variant goes to which node, as fields of the node that looks at them."""
        branches = [(self.mask(labels), node) for labels, node in ways]
        self._branches += branches
        return {"first": len(self._branches) - len(branches), "count": len(branches)}

    def body(self, body: Body, filter: Filter) -> int:
        """A filter's choices and outputs: the number of the first."""
        if isinstance(body, Choice):
            inner = self.body(body.then, filter), self.body(body.otherwise, filter)
            self._bodies.append((self._expression(body.guard), *inner))
            return len(self._bodies) - 1
        first = len(self._outputs)
        for record in body.records:
            self._outputs.append((self.mask(item.label for item in record), len(self._items), len(record)))
            for item in record:
                label = self.numbers[item.label]
                if isinstance(item.value, str):
                    self._items.append((label, self.numbers[item.value], NOTHING))
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
        self._expressions.append(list(self._code(expression)))
        return len(self._expressions) - 1

    def _code(self, expression: Expression) -> Iterator[tuple[int, int]]:
        first, operators = chain(expression)
        if isinstance(first, Number):
            yield Code.PUSH_NUMBER, first.value
        elif isinstance(first, Tag):
            yield Code.PUSH_LABEL, self.numbers[first.label]
        elif isinstance(first, Unary):
            yield from self._code(first.operand)
            yield (Code.NOT if first.operator == "!" else Code.ABSOLUTE), 0
        for each in operators:
            right = list(self._code(each.right))
            if each.operator in ("&&", "||"):
                yield (Code.AND_JUMP if each.operator == "&&" else Code.OR_JUMP), len(right) + 1
                yield from right
                yield Code.BOOLEAN, 0
            else:
                yield from right
                yield _CODES[each.operator], 0
