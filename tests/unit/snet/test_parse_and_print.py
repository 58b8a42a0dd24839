"""What is printed of a program is read as the same program; precedence, comments, and what is wrong with a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from random_nets import expressions, networks, programs

from streambench.snet import text
from streambench.snet.errors import SnetError
from streambench.snet.expressions import Binary, Expression, Number, Tag, Unary
from streambench.snet.parse import parse, read
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

A, B, C = Name("A"), Name("B"), Name("C")
STOP = (Pattern(("stop",)),)


def connected(source: str) -> Network:
    """The network of a net."""
    (net,) = parse(f"net X connect {source};").definitions
    assert isinstance(net, Net)
    assert net.body is not None
    return net.body


@given(programs())
def test_what_is_printed_is_read_as_the_same_tree(tree: Program) -> None:
    assert parse(text.program(tree)) == tree


@given(networks())
def test_a_network_that_is_printed_is_read_as_the_same_tree(tree: Network) -> None:
    assert connected(text.network(tree)) == tree


@given(expressions())
def test_expressions_need_no_more_parentheses_than_are_printed(tree: Expression) -> None:
    printed = text.expression(tree)
    assert connected(f"[{{}} -> {{<v = {printed}>}}]") == Filter((), Outputs(((Item("<v>", tree),),)))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("A | B .. C", Parallel((A, Serial((B, C))))),
        ("A .. B | C", Parallel((Serial((A, B)), C))),
        ("A .. B * {stop}", Serial((A, Star(B, STOP)))),
        ("A | B || C", Parallel((Parallel((A, B)), C), ordered=True)),
        ("A | B | C", Parallel((A, B, C))),
        ("(A | B) | C", Parallel((Parallel((A, B)), C))),
        ("A * {stop} | B || C", Parallel((Parallel((Star(A, STOP), B)), C), ordered=True)),
        ("A ! <t> ** {stop}", Star(Split(A, "<t>"), STOP, ordered=True)),
        ("A !! < t > @ 3", At(Split(A, "<t>", ordered=True), 3)),
        ("A @ 4294967295", At(A, 4294967295)),
        ("A !@ <t>", Split(A, "<t>", placed=True)),
        ("A \\ {stop} \\ {stop}", Feedback(Feedback(A, STOP), STOP)),
        ("[]", IDENTITY),
        ("[{} -> {}]", IDENTITY),
        ("[{} -> ]", Filter((), Outputs(()))),
        ("[{a} -> {}; {b = a}]", Filter(("a",), Outputs(((), (Item("b", "a"),))))),
        ("[| {a}, {<#t>} |]", Sync((Pattern(("a",)), Pattern(("<#t>",))))),
        (
            "A * {a}, {<t>} if <t > 1>",
            Star(A, (Pattern(("a",)), Pattern(("<t>",), Binary(">", Tag("<t>"), Number(1))))),
        ),
    ],
)
def test_postfix_binds_most_then_serial_then_parallel(source: str, tree: Network) -> None:
    assert connected(source) == tree


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("1 + 2 * 3", Binary("+", Number(1), Binary("*", Number(2), Number(3)))),
        ("1 - 2 - 3", Binary("-", Binary("-", Number(1), Number(2)), Number(3))),
        (
            "a == 1 && b || !c",
            Binary("||", Binary("&&", Binary("==", Tag("<a>"), Number(1)), Tag("<b>")), Unary("!", Tag("<c>"))),
        ),
        ("abs(a) % 0x1F", Binary("%", Unary("abs", Tag("<a>")), Number(31))),
        ("abs - 010", Binary("-", Tag("<abs>"), Number(8))),
        ("0xFFFFFFFF", Number(-1)),
        ("a < b == 1", Binary("==", Binary("<", Tag("<a>"), Tag("<b>")), Number(1))),
        ("#a + 1", Binary("+", Tag("<#a>"), Number(1))),
    ],
)
def test_expressions_have_the_precedence_of_c(source: str, tree: Expression) -> None:
    assert connected(f"[{{}} -> {{<v={source}>}}]") == Filter((), Outputs(((Item("<v>", tree),),)))


@pytest.mark.parametrize(
    ("source", "guard"),
    [
        ("A * {<a>} if <a> 1>", Binary(">", Tag("<a>"), Number(1))),
        ("A * {<a>} if <a>> ! <a>", None),
        ("A * {<a>} if <a > !b> ! <a>", Binary(">", Tag("<a>"), Unary("!", Tag("<b>")))),
        ("A * {<a>} if <a >= 1> !! <a>", Binary(">=", Tag("<a>"), Number(1))),
        ("A * {<a>} if <a> !@ <a>", Tag("<a>")),
        ("A * {<a>} if <a> .. B", Tag("<a>")),
    ],
)
def test_the_sign_that_ends_a_guard_is_told_from_greater(source: str, guard: Expression | None) -> None:
    if guard is None:
        with pytest.raises(SnetError):
            connected(source)
        return
    tree = connected(source)
    while not isinstance(tree, Star):
        tree = tree.parts[0] if isinstance(tree, Serial) else tree.operand  # type: ignore[union-attr]
    assert tree.exits == (Pattern(("<a>",), guard),)


def test_choices_nest_and_their_branches_may_be_empty() -> None:
    source = "[{<a>} -> if <a> then else if <a - 1> then {<a>}; {} else if <1> then {} else ]"
    first, second = Outputs(((Item("<a>"),), ())), Choice(Number(1), Outputs(((),)), Outputs(()))
    tree = Choice(Tag("<a>"), Outputs(()), Choice(Binary("-", Tag("<a>"), Number(1)), first, second))
    assert connected(source) == Filter(("<a>",), tree)


def test_definitions_of_all_kinds_are_read() -> None:
    source = """
        type T = {a} | {b, <t>};
        typesig S = T | {c} -> {d}, {e} -> ...;
        box f ((a, <t>) -> (b) | ());
        box start (-> (a));
        net outside ({a} -> {b});
        net X (S) { box g (() -> ()); } connect f;
    """
    signature = (Mapping(("T", ("c",)), (("d",),)), Mapping((("e",),), None))
    assert parse(source) == Program(
        (
            TypeName("T", (("a",), ("b", "<t>"))),
            SignatureName("S", signature),
            Box("f", ("a", "<t>"), (("b",), ())),
            Box("start", None, (("a",),)),
            Net("outside", (Mapping((("a",),), (("b",),)),), (), None),
            Net("X", "S", (Box("g", (), ((),)),), Name("f")),
        )
    )


def test_comments_and_metadata_are_blank_and_lines_keep_their_numbers() -> None:
    prologue = '<?xml version="1.0"?><metadata n="1"> <!-- // --> <x y="/*"/>\n</metadata>\n'
    source = prologue + "/* one\n two */ net X // the end\nconnect /**/ [];\n"
    (net,) = parse(source, "x.snet").definitions
    assert str(net.place) == "x.snet, line 4"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("net X connect A ..", "line 1: the program ends too early: here comes `(` or `[` or `[|` or a name."),
        ("net X\nconnect A;\n;", "line 3: `;` does not belong here."),
        ("box f (a)", "line 1: `a` does not belong here: here comes `(` or `->`."),
        ("net net connect A;", "line 1: `net` does not belong here: here comes a name."),
        ("net X connect\n[{<a>} -> {<a = 09>}];", "line 2: 09 is no octal number."),
        ("net X connect [{<a>} -> {<a = 4294967296>}];", "line 1: 4294967296 does not fit 32 bits."),
        (f"net X connect A @ {'9' * 5000};", f"line 1: {'9' * 200}[...] does not fit 32 bits."),
        (f"net X connect {'a' * 300} B;", "line 1: `B` does not belong here."),
        (f"net X connect A {'b' * 300};", f"line 1: `{'b' * 199}[...] does not belong here."),
        ("net X connect A;\n/* never", "line 2: this comment does not end."),
        ("net X connect A;\n<metadata>never", "line 2: <metadata> does not end."),
        ("net X connect A * {a} if <a ? 1>;", "line 1: `?` does not belong here."),
        ("net X connect [{<a>} -> {<a = -1>}];", "line 1: `-` does not belong here."),
        ("net X connect [{<a>} -> if <a> then {}];", "line 1: `]` does not belong here: here comes `else`."),
    ],
)
def test_what_is_wrong_is_told_with_its_line(source: str, sentence: str) -> None:
    with pytest.raises(SnetError) as raised:
        parse(source, "x.snet")
    assert str(raised.value) == f"x.snet, {sentence}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(tmp_path: Path, end: str) -> None:
    file = tmp_path / "x.snet"
    file.write_bytes(f"// one{end}net X{end}connect [];".encode())
    assert str(read(file).definitions[0].place) == f"{file}, line 2"


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.snet"
    file.write_bytes(b"net X\nconnect \xff;")
    with pytest.raises(SnetError, match=r"x\.snet, line 2: this is no UTF-8 text\."):
        read(file)
