"""Subtyping, best match, and signatures inferred from parts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_nets import OWN_FIELDS, OWN_TAGS, forward_networks

from streambench.snet.errors import Place, SnetError
from streambench.snet.infer import infer
from streambench.snet.net import Net
from streambench.snet.signature import Signature
from streambench.snet.syntax import Net as NetSyntax
from streambench.snet.syntax import Network, Program
from streambench.snet.types import Variant, accepts, best, inherited, subtype

LABELS = st.sampled_from(("a", "b", "<t>", "<u>", "<#b>"))
VARIANTS = st.frozensets(LABELS)
TYPES = st.lists(VARIANTS, max_size=3)


@given(TYPES, TYPES, TYPES)
def test_subtyping_is_reflexive_and_transitive(
    first: list[Variant], second: list[Variant], third: list[Variant]
) -> None:
    assert subtype(first, first)
    if subtype(first, second) and subtype(second, third):
        assert subtype(first, third)


@given(TYPES, TYPES)
def test_a_union_is_above_both_of_its_parts(left: list[Variant], right: list[Variant]) -> None:
    assert subtype(left, left + right)
    assert subtype(right, left + right)


@given(VARIANTS, VARIANTS)
def test_a_record_is_taken_where_it_has_more_but_no_more_binding_tags(asked: Variant, more: Variant) -> None:
    labels = asked | more
    assert accepts(asked, labels) == all(label[:2] != "<#" for label in more - asked)
    assert inherited(asked, labels, asked) == labels


@given(st.lists(TYPES, max_size=4), VARIANTS)
def test_the_best_match_is_the_first_of_those_with_most_labels(types: list[list[Variant]], labels: Variant) -> None:
    counts = [[len(asked) for asked in inputs if accepts(asked, labels)] for inputs in types]
    naive = sorted((-max(each), place) for place, each in enumerate(counts) if each)
    assert best(types, labels) == (naive[0][1] if naive else None)


def signature(source: str, declared: str = "") -> dict[str, str]:
    """The inferred signature of what stands after ``connect``, as texts."""
    net = Net.parse(f"{declared} net X connect {source};")
    found = net.signatures["X"]
    return {shown(asked): " | ".join(map(shown, made)) for asked, made in found.mappings.items()}


def shown(labels: Variant) -> str:
    return " ".join(sorted(labels))


BOXES = "box f ((a) -> (b) | (c)); box g ((b, d) -> (e)); box h ((a, d) -> (b)); box start (-> (<s>));"


@pytest.mark.parametrize(
    ("source", "types"),
    [
        ("[]", {"": ""}),
        ("[{a, <t>} -> {a}; {<t>}]", {"<t> a": "a | <t>"}),
        ("[{<t>} -> if <t> then {} else {<t>}]", {"<t>": " | <t>"}),
        ("[| {a}, {b} |]", {"a": "a | a b", "b": "b | a b"}),
        ("f", {"a": "b | c"}),
        ("f .. [{b} -> {x = b}]", {"a": "x"}),  # {c} is not taken
        ("[{a} -> {b = a}] .. g", {"a d": "e"}),  # d is lifted: it comes through by inheritance
        ("[| {b}, {d} |] .. g", {"b": "e", "d": "e"}),  # a cell's two inputs come together
        ("f | g", {"a": "b | c", "b d": "e"}),
        ("f | h", {"a": "b | c", "a d": "b"}),
        ("(start | f)", {"a": "b | c"}),
        ("f ! <t>", {"<t> a": "<t> b | <t> c"}),
        ("[{<t>} -> {}] ! <t>", {"<t>": ""}),
        ("f * {b}", {"b": "b", "a": "b"}),
        ("[{<t>} -> if <t> then {<t>} else {<x>}] * {<x>}", {"<x>": "<x>", "<t>": "<x>"}),
        ("[{<t>} -> {<t>}] * {<t>} if <t > 3>", {"<t>": "<t>"}),
        ("(f | [{b} -> {e = b}]) \\ {b}", {"a": "e | c", "b": "e"}),
        ("f @ 3", {"a": "b | c"}),
    ],
)
def test_signatures_are_inferred(source: str, types: dict[str, str]) -> None:
    assert signature(source, BOXES) == types


def test_a_declared_signature_is_taken_as_it_is_and_dots_are_inferred() -> None:
    declared = "net In ({a} -> {b, c}, {a, d} -> ...) connect [{a} -> {<x>}; {}];"
    assert signature("In", declared) == {"a": "b c", "a d": "<x> d | d"}


def test_an_initialiser_is_routed_to_by_nothing_and_its_output_goes_on() -> None:
    net = Net.parse(f"{BOXES} net X connect (start | f) .. ([{{<s>}} -> {{<z>}}] | [{{b}} -> {{}}]);")
    assert net.signatures["X"] == Signature({frozenset("a"): (frozenset(),)}, (frozenset(["<z>"]),))


def test_what_can_reach_nothing_is_noted_with_its_place() -> None:
    notes: list[tuple[Place, str]] = Net.parse(f"{BOXES}\nnet X connect h\n.. [{{a}} -> {{}}];", "x.snet").notes
    assert [f"{place}: {sentence}" for place, sentence in notes] == [
        "x.snet, line 3: what comes here for {a, d}, {b}, is not taken."
    ]


@given(forward_networks(), st.data())
def test_what_comes_out_has_an_inferred_type(network: Network, data: st.DataObject) -> None:
    found = infer(network, {})
    asked = data.draw(st.sampled_from(found.inputs))
    record = {label: data.draw(st.integers(0, 3)) if label[0] == "<" else label for label in sorted(asked)}
    net = Net(Program((NetSyntax("X", None, (), network),)))
    try:
        made = list(net.run([record]))
    except SnetError:
        assume(False)
    types = found.outputs(asked)
    assert types is not None
    assert {frozenset(each) for each in made} <= set(types)


@given(forward_networks(), st.frozensets(st.sampled_from((*OWN_TAGS, *OWN_FIELDS, "<n>", "<s>"))))
def test_who_has_no_type_for_a_record_does_not_take_it(network: Network, labels: Variant) -> None:
    found = infer(network, {})
    assert (found.outputs(labels) is None) == (not any(accepts(asked, labels) for asked in found.inputs))
