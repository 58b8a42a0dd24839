"""Strategies for S-NET programs: any syntax tree, and networks that take the records that they get."""

from __future__ import annotations

from hypothesis import strategies as st

from streambench.snet.expressions import LEVELS, Binary, Expression, Number, Tag, Unary
from streambench.snet.syntax import (
    IDENTITY,
    At,
    Box,
    Choice,
    Feedback,
    Filter,
    Item,
    Mapping,
    Name,
    Net,
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
    TypeName,
)

NAMES = st.sampled_from(("a", "b", "Box_1", "ifs", "nets", "x9"))
FIELDS = NAMES
TAGS = NAMES.map("<{}>".format)
BINDING_TAGS = NAMES.map("<#{}>".format)
LABELS = FIELDS | TAGS | BINDING_TAGS
TUPLES = st.lists(LABELS, max_size=3).map(tuple)
OPERATORS = st.sampled_from([each for level in LEVELS for each in level])


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression."""
    leaves = st.builds(Number, st.integers(-(2**31), 2**31 - 1)) | st.builds(Tag, TAGS | BINDING_TAGS)
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(Unary, st.sampled_from(("!", "abs")), inner) | st.builds(Binary, OPERATORS, inner, inner)
        ),
        max_leaves=8,
    )


PATTERNS = st.builds(Pattern, TUPLES, st.none() | expressions())
SEVERAL_PATTERNS = st.lists(PATTERNS, min_size=1, max_size=3).map(tuple)
ITEMS = st.builds(Item, LABELS) | st.builds(Item, FIELDS, FIELDS) | st.builds(Item, TAGS | BINDING_TAGS, expressions())
OUTPUTS = st.builds(Outputs, st.lists(st.lists(ITEMS, max_size=3).map(tuple), max_size=3).map(tuple))
BODIES = st.recursive(OUTPUTS, lambda inner: st.builds(Choice, expressions(), inner, inner), max_leaves=3)
FILTERS = st.builds(Filter, TUPLES, BODIES)


def networks() -> st.SearchStrategy[Network]:
    """Any network."""

    def around(inner: st.SearchStrategy[Network]) -> st.SearchStrategy[Network]:
        some = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return (
            st.builds(Serial, some)
            | st.builds(Parallel, some, st.booleans())
            | st.builds(Star, inner, SEVERAL_PATTERNS, st.booleans())
            | st.builds(Feedback, inner, SEVERAL_PATTERNS)
            | st.builds(Split, inner, TAGS, st.booleans())
            | st.builds(Split, inner, TAGS, st.booleans(), st.just(True))
            | st.builds(At, inner, st.integers(0, 2**31 - 1))
        )

    return st.recursive(st.builds(Name, NAMES) | FILTERS | st.builds(Sync, SEVERAL_PATTERNS), around, max_leaves=8)


def programs() -> st.SearchStrategy[Program]:
    """Any program."""
    types = st.lists(TUPLES | NAMES, min_size=1, max_size=3).map(tuple)
    mappings = st.lists(st.builds(Mapping, types, types | st.none()) | NAMES, min_size=1, max_size=2).map(
        lambda some: some[0] if len(some) == 1 and isinstance(some[0], str) else tuple(some)
    )
    outputs = st.lists(TUPLES, min_size=1, max_size=3).map(tuple)
    leaves = (
        st.builds(TypeName, NAMES, types)
        | st.builds(SignatureName, NAMES, mappings)
        | st.builds(Box, NAMES, TUPLES | st.none(), outputs)
        | st.builds(Net, NAMES, mappings, st.just(()), st.none())
    )
    definitions = st.recursive(
        leaves,
        lambda inner: st.builds(Net, NAMES, mappings | st.none(), st.lists(inner, max_size=2).map(tuple), networks()),
        max_leaves=6,
    )
    return st.builds(Program, st.lists(definitions, max_size=4).map(tuple))


OWN_TAGS = ("<p>", "<q>", "<r>")
OWN_FIELDS = ("f", "g")


@st.composite
def steps(draw: st.DrawFn) -> Filter:
    """A filter over a few labels that asks for what it gives, with or without a guard."""
    asked = tuple(draw(st.lists(st.sampled_from(OWN_TAGS + OWN_FIELDS), unique=True, max_size=2)))

    def outputs() -> Outputs:
        records = []
        for _ in range(draw(st.integers(0, 2))):
            given = draw(st.lists(st.sampled_from(OWN_TAGS + asked), unique=True, max_size=3))
            records.append(tuple(Item(label, draw(values())) if label[0] == "<" else Item(label) for label in given))
        return Outputs(tuple(records))

    def values() -> st.SearchStrategy[Expression | None]:
        numbers: st.SearchStrategy[Expression] = st.builds(Number, st.integers(0, 5))
        tags = [label for label in asked if label[0] == "<"]
        if not tags:
            return numbers
        one = st.sampled_from(tags).map(Tag)
        return st.none() | numbers | one | st.builds(Binary, st.sampled_from(("+", "-", "*", "<")), one, numbers)

    tags = [label for label in asked if label[0] == "<"]
    if tags and draw(st.booleans()):
        guard = Binary("<", Tag(draw(st.sampled_from(tags))), Number(draw(st.integers(0, 5))))
        return Filter(asked, Choice(guard, outputs(), outputs()))
    return Filter(asked, outputs())


def forward_networks() -> st.SearchStrategy[Network]:
    """Networks in which every record comes to an end: stars and loops count down the tag <n>, and no cell waits.

    A record that fits nothing of a parallel passes by.
    """
    count_down = Filter(("<n>",), Outputs(((Item("<n>", Binary("-", Tag("<n>"), Number(1))),),)))
    done = Pattern(("<n>",), Binary("<=", Tag("<n>"), Number(0)))
    again = Pattern(("<n>",), Binary(">", Tag("<n>"), Number(0)))

    def around(inner: st.SearchStrategy[Network]) -> st.SearchStrategy[Network]:
        return (
            st.builds(lambda left, right: Serial((left, right)), inner, inner)
            | st.builds(
                lambda some, ordered: Parallel((*some, IDENTITY), ordered),
                st.lists(inner, min_size=1, max_size=3),
                st.booleans(),
            )
            | st.builds(lambda each, ordered: Star(Serial((count_down, each)), (done,), ordered), inner, st.booleans())
            | st.builds(lambda each: Feedback(Serial((count_down, each)), (again,)), inner)
            | st.builds(lambda each, ordered: Split(each, "<s>", ordered), inner, st.booleans())
        )

    return st.recursive(steps().map(lambda step: Parallel((step, IDENTITY))), around, max_leaves=6)


def in_order(network: Network) -> Network:
    """The same network, with the deterministic variant of every combinator; a star for a loop, which has none."""
    if isinstance(network, Serial):
        return Serial(tuple(map(in_order, network.parts)))
    if isinstance(network, Parallel):
        return Parallel(tuple(map(in_order, network.branches)), ordered=True)
    if isinstance(network, Star):
        return Star(in_order(network.operand), network.exits, ordered=True)
    if isinstance(network, Feedback):
        (again,) = network.back
        assert again.guard is not None
        return Star(in_order(network.operand), (Pattern(again.labels, Unary("!", again.guard)),), ordered=True)
    if isinstance(network, Split):
        return Split(in_order(network.operand), network.tag, ordered=True)
    return network


MARKS = ("a", "b", "c", "<k>")


@st.composite
def markers(draw: st.DrawFn) -> Filter:
    """A filter that takes some of a few labels and gives some."""
    asked = tuple(draw(st.lists(st.sampled_from(MARKS), unique=True, max_size=2)))
    fields = [label for label in asked if label[0] != "<"]
    items = [st.builds(Item, st.sampled_from(("<k>", "<r>")), st.builds(Number, st.integers(0, 3)))]
    if fields:
        items.append(st.builds(Item, st.sampled_from(("a", "b", "c")), st.sampled_from(fields)))
    records = st.lists(st.one_of(items), unique_by=lambda item: item.label, max_size=2).map(tuple)
    return Filter(asked, Outputs(tuple(draw(st.lists(records, max_size=2)))))


def routed_networks() -> st.SearchStrategy[Network]:
    """Networks whose parts ask for labels, so that records may find no way, or no end."""

    def around(inner: st.SearchStrategy[Network]) -> st.SearchStrategy[Network]:
        return (
            st.builds(lambda some: Serial(tuple(some)), st.lists(inner, min_size=2, max_size=3))
            | st.builds(lambda some: Parallel(tuple(some)), st.lists(inner, min_size=2, max_size=3))
            | st.builds(lambda each, exits: Star(each, exits), inner, EXITS)
            | st.builds(lambda each: Split(each, "<k>"), inner)
        )

    return st.recursive(markers(), around, max_leaves=6)


EXITS = st.sampled_from(((Pattern(("<r>",)),), (Pattern(("a", "b")),), (Pattern(("<r>",)), Pattern(("c",)))))
