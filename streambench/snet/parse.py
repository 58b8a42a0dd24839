"""From the text of a program to its syntax tree; the grammar is in ``grammar.lark``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.exceptions import VisitError
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from streambench.snet.errors import Place, SnetError, unreadable
from streambench.snet.expressions import Binary, Expression, Number, Tag, Unary, wrapped
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Choice,
    Definition,
    Feedback,
    Filter,
    Item,
    Label,
    Labels,
    Mapping,
    Name,
    Net,
    NetType,
    Network,
    Outputs,
    Parallel,
    Pattern,
    Program,
    Serial,
    SignatureName,
    Split,
    Star,
    Sync,
    Type,
    TypeName,
)

BLANKED = re.compile(
    r"/\*.*?(?P<end>\*/|\Z)|//[^\n]*|<\?xml\b[^<>]*\?>|<metadata\b[^<>]*>.*?(?P<last></metadata>|\Z)", re.DOTALL
)
MOST_DIGITS = 11  # of what may fit 32 bits, octal ones
MOST_EXPECTED = 4  # tokens that an error message names
WORDS = {"ID": "a name", "INTEGER": "a number", "STAR": "`*`", "SPLIT": "`!`", "$END": "the end"}


def read(path: Path) -> Program:
    """The program in a file. Raises DataError where it cannot be read, SnetError for what is wrong in it."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise unreadable(path, problem, "an S-NET program") from None
    try:
        return parse(re.sub("\r\n?", "\n", content.decode("utf-8-sig")), str(path))
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise SnetError(Place(str(path), line), "this is no UTF-8 text.") from None


def parse(text: str, file: str = "<text>") -> Program:
    """The program in a text; ``file`` is what error messages call it. Raises SnetError."""
    try:
        tree = _parser().parse(BLANKED.sub(lambda blanked: _blank(blanked, text, file), text))
        return Program(tuple(_Builder(file).transform(tree)), Place(file, 1))
    except UnexpectedInput as problem:
        raise SnetError(Place(file, _line(problem, text)), _unexpected(problem, text)) from None
    except VisitError as problem:
        raise problem.orig_exc from None


@cache
def _parser() -> Lark:
    grammar = resources.files("streambench.snet").joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def _blank(blanked: re.Match[str], text: str, file: str) -> str:
    """Blanks in place of a comment or the metadata, so that every line keeps its number."""
    if "" in (blanked["end"], blanked["last"]):
        what = "this comment does not end" if blanked["last"] is None else "<metadata> does not end"
        raise SnetError(Place(file, text.count("\n", 0, blanked.start()) + 1), f"{what}.")
    return re.sub(r"[^\n]", " ", blanked[0])


def _line(problem: UnexpectedInput, text: str) -> int:
    ended = isinstance(problem, UnexpectedToken) and problem.token.type == "$END"
    return text.rstrip().count("\n") + 1 if ended else int(problem.line)


def _unexpected(problem: UnexpectedInput, text: str) -> str:
    expected = getattr(problem, "accepts", None) or getattr(problem, "expected", None) or set()
    named = sorted(dict.fromkeys(_named(each) for each in expected))
    only = f": here comes {' or '.join(named)}" if 0 < len(named) <= MOST_EXPECTED else ""
    if isinstance(problem, UnexpectedToken) and problem.token.type != "$END":
        return f"`{problem.token}` does not belong here{only}."
    if isinstance(problem, UnexpectedCharacters):
        character = text[problem.pos_in_stream or 0]
        return f"`{character if character.isprintable() else ascii(character)[1:-1]}` does not belong here{only}."
    return f"the program ends too early{only}."


def _named(terminal: str) -> str:
    if terminal in WORDS:
        return WORDS[terminal]
    pattern = next((each.pattern for each in _parser().terminals if each.name == terminal), None)
    if pattern is None or pattern.type == "re":
        return f"`{terminal.strip('_').lower()}`"
    return f"`{pattern.value}`"


@dataclass(frozen=True)
class _Group:
    """What stands in parentheses: ``(A | B) | C`` has two combinators, ``A | B | C`` one."""

    network: Network


def _bare(network: Any) -> Network:
    return network.network if isinstance(network, _Group) else network


@v_args(inline=True, meta=True)
class _Builder(Transformer_NonRecursive[Token, Any]):
    """A method for each rule of the grammar, called with what its parts became."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file

    def _place(self, meta: Meta) -> Place:
        return Place(self._file, meta.line)

    def start(self, _: Meta, *definitions: Definition) -> tuple[Definition, ...]:
        return definitions

    def type_name(self, meta: Meta, name: Token, type: Type) -> TypeName:
        return TypeName(str(name), type, self._place(meta))

    def signature_name(self, meta: Meta, name: Token, signature: NetType) -> SignatureName:
        return SignatureName(str(name), signature, self._place(meta))

    def box(self, meta: Meta, name: Token, inputs: Labels | None, *outputs: Labels) -> Box:
        return Box(str(name), inputs, outputs, self._place(meta))

    def net(self, meta: Meta, name: Token, signature: Any, scope: Any, body: Any) -> Net:
        return Net(str(name), signature, scope or (), _bare(body), self._place(meta))

    def external(self, meta: Meta, name: Token, signature: Any) -> Net:
        return Net(str(name), signature, (), None, self._place(meta))

    def scope(self, _: Meta, *definitions: Definition) -> tuple[Definition, ...]:
        return definitions

    def arguments(self, _: Meta, *labels: Label | None) -> Labels:
        return tuple(label for label in labels if label is not None)

    variant = arguments

    def field(self, _: Meta, name: Token) -> Label:
        return str(name)

    def tag(self, _: Meta, name: Token) -> Label:
        return f"<{name}>"

    def binding_tag(self, _: Meta, name: Token) -> Label:
        return f"<#{name}>"

    def signature(self, _: Meta, *parts: Mapping | Token) -> NetType:
        named = tuple(str(each) if isinstance(each, Token) else each for each in parts)
        return named[0] if len(named) == 1 and isinstance(named[0], str) else named

    def mapping(self, _: Meta, input: Type, output: Type | None = None) -> Mapping:
        return Mapping(input, output)

    def variants(self, _: Meta, *parts: Labels | Token) -> Type:
        return tuple(str(each) if isinstance(each, Token) else each for each in parts)

    def network(self, meta: Meta, left: Any, *others: Any) -> Parallel:
        for operator, right in zip(others[::2], others[1::2], strict=True):
            ordered = operator == "||"
            same = isinstance(left, Parallel) and left.ordered == ordered
            branches = left.branches if same else (_bare(left),)
            left = Parallel((*branches, _bare(right)), ordered, self._place(meta))
        joined: Parallel = left
        return joined

    def serial(self, meta: Meta, *parts: Any) -> Serial:
        return Serial(tuple(map(_bare, parts)), self._place(meta))

    def star(self, meta: Meta, operand: Any, operator: Token, exits: tuple[Pattern, ...]) -> Star:
        return Star(_bare(operand), exits, operator == "**", self._place(meta))

    def feedback(self, meta: Meta, operand: Any, back: tuple[Pattern, ...]) -> Feedback:
        return Feedback(_bare(operand), back, self._place(meta))

    def split(self, meta: Meta, operand: Any, operator: Token, tag: Token) -> Split:
        return Split(_bare(operand), f"<{tag}>", operator[1:2] == "!", operator[-1] == "@", self._place(meta))

    def at(self, meta: Meta, operand: Any, node: Token) -> At:
        return At(_bare(operand), self.number(meta, node).value % 2**32, self._place(meta))

    def name(self, meta: Meta, name: Token) -> Name:
        return Name(str(name), self._place(meta))

    def group(self, _: Meta, network: Any) -> _Group:
        return _Group(_bare(network))

    def sync(self, meta: Meta, patterns: tuple[Pattern, ...]) -> Sync:
        return Sync(patterns, self._place(meta))

    def patterns(self, _: Meta, *patterns: Pattern) -> tuple[Pattern, ...]:
        return patterns

    def pattern(self, meta: Meta, labels: Labels, guard: Expression | None = None) -> Pattern:
        return Pattern(labels, guard, self._place(meta))

    def filter(self, meta: Meta, labels: Labels | None, body: Body | None) -> Filter:
        return Filter(labels or (), body if body is not None else Outputs(((),)), self._place(meta))

    def outputs(self, _: Meta, *records: tuple[Item, ...] | None) -> Outputs:
        return Outputs(tuple(each for each in records if each is not None))

    def choice(self, _: Meta, guard: Expression, then: Body, otherwise: Body) -> Choice:
        return Choice(guard, then, otherwise)

    def record(self, _: Meta, *items: Item | None) -> tuple[Item, ...]:
        return tuple(item for item in items if item is not None)

    def same_field(self, _: Meta, name: Token) -> Item:
        return Item(str(name))

    def field_of(self, _: Meta, name: Token, source: Token) -> Item:
        return Item(str(name), str(source))

    def same_tag(self, _: Meta, name: Token) -> Item:
        return Item(f"<{name}>")

    def tag_of(self, _: Meta, name: Token, value: Expression) -> Item:
        return Item(f"<{name}>", value)

    def same_binding_tag(self, _: Meta, name: Token) -> Item:
        return Item(f"<#{name}>")

    def binding_tag_of(self, _: Meta, name: Token, value: Expression) -> Item:
        return Item(f"<#{name}>", value)

    def expression(self, meta: Meta, left: Expression, operator: Token, right: Expression) -> Binary:
        return Binary(str(operator), left, right, self._place(meta))

    conjunction = equality = comparison = sum = product = expression

    def negation(self, _: Meta, operand: Expression) -> Unary:
        return Unary("!", operand)

    def magnitude(self, _: Meta, name: Token, operand: Expression) -> Unary:
        return Unary(str(name), operand)

    def number(self, meta: Meta, digits: Token) -> Number:
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        if octal and not set(digits) <= set("01234567"):
            raise SnetError(self._place(meta), f"{digits} is no octal number.")
        base = 8 if octal else 10 if digits.isdigit() else 16
        if len(digits.lower().lstrip("0x")) > MOST_DIGITS or (value := int(digits, base)) >= 2**32:
            raise SnetError(self._place(meta), f"{digits} does not fit 32 bits.")
        return Number(wrapped(value))

    def tag_value(self, meta: Meta, name: Token) -> Tag:
        return Tag(f"<{name}>", self._place(meta))

    def binding_tag_value(self, meta: Meta, name: Token) -> Tag:
        return Tag(f"<#{name}>", self._place(meta))
