"""From a syntax tree to the text of the program: what is read from that text is the same tree again."""

from __future__ import annotations

from collections.abc import Iterable

from streambench.snet.expressions import LEVELS, Expression, Number, Tag, Unary, chain
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Definition,
    Feedback,
    Filter,
    Item,
    Labels,
    Mapping,
    Name,
    NetType,
    Network,
    Outputs,
    Parallel,
    Pattern,
    Program,
    Serial,
    SignatureName,
    Star,
    Sync,
    Type,
    TypeName,
)

INDENT = "    "
_LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
_TIGHT = len(LEVELS)  # of what is no binary expression


def program(tree: Program) -> str:
    """All definitions, one below the other."""
    return "".join(f"{definition(each)}\n" for each in tree.definitions)


def definition(tree: Definition, indent: str = "") -> str:
    """A definition; a net's own definitions are indented."""
    if isinstance(tree, TypeName):
        return f"{indent}type {tree.name} = {type_(tree.type)};"
    if isinstance(tree, SignatureName):
        return f"{indent}typesig {tree.name} = {signature(tree.signature)};"
    if isinstance(tree, Box):
        inputs = "" if tree.inputs is None else f"{_tuple(tree.inputs)} "
        return f"{indent}box {tree.name} ({inputs}-> {' | '.join(map(_tuple, tree.outputs))});"
    types = signature(tree.signature or ())
    head = f"{indent}net {tree.name}" + (f" ({types})" if types else "")
    if tree.body is None:
        return f"{head};"
    inner = "".join(f"{definition(each, indent + INDENT)}\n" for each in tree.definitions)
    scope = f"{indent}{{\n{inner}{indent}}}\n" if inner else ""
    return f"{head}\n{scope}{indent}connect {network(tree.body)};"


def signature(parts: NetType) -> str:
    """The lines of a signature, and the names of others in it."""
    if isinstance(parts, str):
        return parts
    return ", ".join(each if isinstance(each, str) else _mapping(each) for each in parts)


def _mapping(tree: Mapping) -> str:
    return f"{type_(tree.input)} -> {'...' if tree.output is None else type_(tree.output)}"


def type_(variants: Type) -> str:
    """Variants, as in ``{a} | {b, <t>}``."""
    return " | ".join(each if isinstance(each, str) else labels(each) for each in variants)


def labels(names: Iterable[str]) -> str:
    """As in ``{a, <t>}``."""
    return f"{{{', '.join(names)}}}"


def network(tree: Network) -> str:
    """What stands after ``connect``."""
    if isinstance(tree, Parallel):
        operator = " || " if tree.ordered else " | "
        return operator.join(
            f"({network(each)})" if isinstance(each, Parallel) else network(each) for each in tree.branches
        )
    if isinstance(tree, Serial):
        return " .. ".join(_operand(each, Parallel | Serial) for each in tree.parts)
    if isinstance(tree, Name):
        return tree.name
    if isinstance(tree, Sync):
        return f"[| {patterns(tree.patterns)} |]"
    if isinstance(tree, Filter):
        inner = body(tree.body)
        return "[]" if not tree.labels and tree.body == Outputs(((),)) else f"[{labels(tree.labels)} -> {inner}]"
    operand = _operand(tree.operand, Parallel | Serial)
    if isinstance(tree, Star):
        return f"{operand} {'**' if tree.ordered else '*'} {patterns(tree.exits)}"
    if isinstance(tree, Feedback):
        return f"{operand} \\ {patterns(tree.back)}"
    if isinstance(tree, At):
        return f"{operand} @ {tree.node}"
    return f"{operand} !{'!' if tree.ordered else ''}{'@' if tree.placed else ''} {tree.tag}"


def patterns(trees: Iterable[Pattern]) -> str:
    """Patterns with their guards."""
    return ", ".join(labels(each.labels) + (f" if <{expression(each.guard)}>" if each.guard else "") for each in trees)


def body(tree: Body) -> str:
    """What a filter makes."""
    if isinstance(tree, Outputs):
        return "; ".join(labels(map(_item, record)) for record in tree.records)
    return f"if <{expression(tree.guard)}> then {body(tree.then)} else {body(tree.otherwise)}"


def expression(tree: Expression, level: int = 0) -> str:
    """With the parentheses that C's precedence asks for; operators of a level bind from the left."""
    first, operators = chain(tree)
    if isinstance(first, Number):
        text = str(first.value) if first.value >= 0 else hex(first.value + 2**32)
    elif isinstance(first, Tag):
        text = first.label[1:-1]
    else:
        assert isinstance(first, Unary)
        tight = f"!{expression(first.operand, _TIGHT)}"
        text = f"abs({expression(first.operand)})" if first.operator == "abs" else tight
    inner = _TIGHT
    for each in operators:
        own = _LEVEL[each.operator]
        left = f"({text})" if inner < own else text
        text, inner = f"{left} {each.operator} {expression(each.right, own + 1)}", own
    return f"({text})" if inner < level else text


def _operand(tree: Network, loose: object) -> str:
    return f"({network(tree)})" if isinstance(tree, loose) else network(tree)  # type: ignore[arg-type]


def _tuple(names: Labels) -> str:
    return f"({', '.join(names)})"


def _item(item: Item) -> str:
    if item.value is None:
        return item.label
    if isinstance(item.value, str):
        return f"{item.label}={item.value}"
    return f"{item.label[:-1]}={expression(item.value)}>"
