"""Flattening resolves names, keeps the meaning, and finds what is not well formed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_nets import OWN_FIELDS, OWN_TAGS, forward_networks

from streambench.snet import text
from streambench.snet.errors import SnetError
from streambench.snet.flatten import flatten
from streambench.snet.net import Net
from streambench.snet.parse import parse
from streambench.snet.syntax import Name, Network, Program, Serial
from streambench.snet.syntax import Net as NetSyntax

RECORDS = st.lists(
    st.fixed_dictionaries(
        {"<n>": st.integers(0, 2), "<s>": st.integers(0, 2)},
        optional={label: st.integers(0, 3) for label in OWN_TAGS} | {label: st.just(label) for label in OWN_FIELDS},
    ),
    max_size=4,
)


def flat(source: str) -> str:
    return text.program(flatten(parse(source, "x.snet")))


def test_nets_without_a_signature_stand_where_they_are_used() -> None:
    source = """
        box f ((a) -> (a)); box unused (() -> ());
        net X { net Twice connect f .. f; net Also connect Twice | f; } connect Twice .. Also ! <t>;
    """
    assert flat(source) == "box f ((a) -> (a));\nnet X\nconnect f .. f .. (f .. f | f) ! <t>;\n"


def test_nets_with_a_signature_come_first_under_names_of_their_own() -> None:
    source = """
        type T = {a} | {b}; typesig S = T -> T;
        net In (S) connect [];
        net X { net In ({c} -> {c}) { type T = {d}; net Deep (T -> T) connect []; } connect Deep; } connect In .. In;
    """
    assert flat(source) == (
        "net Deep ({d} -> {d})\nconnect [];\nnet X_In ({c} -> {c})\nconnect Deep;\nnet X\nconnect X_In .. X_In;\n"
    )


def test_inner_names_hide_outer_ones() -> None:
    source = "net A connect [{a} -> {}]; net X { net A connect [{b} -> {}]; net B connect A; } connect B .. A;"
    assert flat(source) == "net X\nconnect [{b} -> {}] .. [{b} -> {}];\n"


@given(forward_networks(), RECORDS)
def test_a_flattened_program_is_flat_and_means_the_same(network: Network, records: list[dict[str, Any]]) -> None:
    inner = NetSyntax("In", None, (), network)
    program = Program((NetSyntax("X", None, (inner,), Serial((Name("In"), Name("In")))),))
    once = flatten(program)
    assert flatten(once) == once
    assert flatten(parse(text.program(once))) == once
    assert run(program, records) == run(once, records)


def run(program: Program, records: list[dict[str, Any]]) -> object:
    """What comes out, or that it cannot go on."""
    try:
        return list(Net(program).run(records))
    except SnetError:
        return None


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("box f ((a) -> (b));", "line 1: the program has no net."),
        ("net X ({a} -> {b});", "line 1: the main net, X, has no body."),
        ("net X\nconnect f;", "line 2: f is neither a box nor a net that is declared here."),
        ("type f = {a};\nnet X connect f;", "line 2: f is neither a box nor a net that is declared here."),
        (
            "net X { net Y connect []; } connect [];\nnet Z connect Y;",
            "line 2: Y is neither a box nor a net that is declared here.",
        ),
        ("net X { box f ((a) -> ());\nbox f ((b) -> ()); } connect f;", "line 2: f is declared twice."),
        (
            "net A { box f ((a) -> ()); } connect f;\nnet X { box f ((b) -> ()); } connect f .. A;",
            "line 1: box f is declared otherwise before, at x.snet, line 2.",
        ),
        ("net A connect B; net B connect A;", "line 1: net B is part of itself; a star or a feedback repeats."),
        ("net f connect []; net X { box f ((a) -> ()); } connect f;", "line 1: f is the name of a box and of a net."),
        ("net X (S) connect [];", "line 1: S is no typesig that is declared here."),
        ("net X (T -> {a}) connect [];", "line 1: T is no type that is declared here."),
        ("type T = T; net X (T -> {a}) connect [];", "line 1: T is no type that is declared here."),
        (
            "box s (-> (a)); net X connect s .. [];",
            "line 1: box s takes no records: an initialiser is a branch of `|` or `||`.",
        ),
        ("box s (-> (a)); net X connect s | s;", "line 1: no branch takes records: all are initialiser boxes."),
        ("box f ((a, a) -> ()); net X connect f;", "line 1: label a is named twice."),
        ("net X connect [{a} -> {b = a, b = a}];", "line 1: label b is named twice."),
        ("net X connect\n[{a} -> {b}];", "line 2: the filter gives field b, which its pattern does not ask for."),
        ("net X connect [{a} -> {b = c}];", "line 1: the filter gives field c, which its pattern does not ask for."),
        (
            "net X connect [{a} -> {<b = c + 1>}];",
            "line 1: the expression takes <c>, which its pattern does not ask for.",
        ),
        (
            "net X connect [{a} -> if <c> then {} else {}];",
            "line 1: the expression takes <c>, which its pattern does not ask for.",
        ),
        ("net X connect [] * {a} if <t>;", "line 1: the expression takes <t>, which its pattern does not ask for."),
        ("net X connect [] \\ {a, a};", "line 1: label a is named twice."),
        ("net X connect [| {a} |];", "line 1: a synchro-cell needs two patterns or more."),
    ],
)
def test_what_is_not_well_formed_is_told_with_its_line(source: str, sentence: str) -> None:
    with pytest.raises(SnetError) as raised:
        flat(source)
    assert str(raised.value) == f"x.snet, {sentence}"
