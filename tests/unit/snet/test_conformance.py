"""What every construct does with records: conformance nets, run by every runtime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_labels import STRADDLING, many_labels
from random_nets import forward_networks, in_order
from sanitized import examples

from streambench.errors import DataError
from streambench.snet.boxes import BoxFunction
from streambench.snet.errors import SnetError
from streambench.snet.net import DiscardedRecordsWarning, Net
from streambench.snet.syntax import Net as NetSyntax
from streambench.snet.syntax import Network, Program

Dicts = list[dict[str, Any]]


@pytest.fixture(autouse=True, scope="module", params=["naive", "front", "front, many labels", "threads"])
def runtime(request: pytest.FixtureRequest) -> Iterator[str]:
    """What runs the nets of this file."""
    global chosen
    chosen, *many = request.param.split(", ")
    with many_labels(STRADDLING) if many else nullcontext():
        yield chosen


chosen = ""


class AnyOrder(list[dict[str, Any]]):
    """Equal to the same records in whatever order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and sorted(map(repr, self)) == sorted(map(repr, other))

    __hash__ = None  # type: ignore[assignment]


def run(source: str, records: Iterable[dict[str, Any]], **boxes: BoxFunction) -> Dicts:
    """What leaves the main net; ``source`` may be no more than its network. Threads keep the order only where it must
    be kept, as by the deterministic combinators."""
    program = source if source.lstrip().startswith(("net", "box", "type")) else f"net X connect {source};"
    made = list(Net.parse(program, "x.snet").run(records, boxes, runtime=chosen))
    return AnyOrder(made) if chosen == "threads" and not any(each in source for each in ("||", "**", "!!")) else made


def tags(name: str, values: Iterable[int]) -> Dicts:
    return [{f"<{name}>": value} for value in values]


def error(source: str, *records: dict[str, Any], **boxes: BoxFunction) -> str:
    """The sentence, without the file."""
    with pytest.raises(SnetError) as raised:
        run(source, records, **boxes)
    return str(raised.value).removeprefix("x.snet, ")


# Filters


def test_a_filter_takes_its_pattern_and_the_rest_is_inherited_by_each_output() -> None:
    made = run("[{a, b, <c>} -> {a, z = a, <t>}; {b, a = b, <c = c + 1>}]", [{"a": 1, "b": 2, "<c>": 3, "<x>": 9}])
    assert made == [{"a": 1, "z": 1, "<t>": 0, "<x>": 9}, {"a": 2, "b": 2, "<c>": 4, "<x>": 9}]


def test_values_are_those_of_the_input_whatever_the_order_of_items() -> None:
    assert run("[{<a>, <b>} -> {<a = b>, <b = a>}]", [{"<a>": 1, "<b>": 2}]) == [{"<a>": 2, "<b>": 1}]


def test_a_tag_that_the_pattern_does_not_ask_for_is_new_and_0_though_the_record_has_it() -> None:
    assert run("[{a} -> {<t>}]", [{"a": 1, "<t>": 7}]) == [{"<t>": 0}]


def test_the_outputs_of_a_filter_leave_in_the_order_in_which_they_are_written() -> None:
    made = run("[{<n>} -> {<a = n>}; {<a = n + 1>}; {<a = n + 2>}; {<a = n + 3>}]", tags("n", [0, 4]))
    assert made == tags("a", range(8))


def test_a_filter_without_outputs_drops_the_record_and_an_empty_one_keeps_the_rest() -> None:
    assert run("[{a} -> ]", [{"a": 1, "b": 2}]) == []
    assert run("[{a} -> {}]", [{"a": 1, "b": 2}]) == [{"b": 2}]
    assert run("[]", [{"a": 1, "<t>": 2}]) == [{"a": 1, "<t>": 2}]


def test_the_first_guard_that_holds_chooses() -> None:
    source = "[{<n>} -> if <n < 2> then {<x = 1>} else if <n < 4> then {<x = 2>}; {<y>} else ]"
    assert run(source, tags("n", range(5))) == [{"<x>": 1}] * 2 + [{"<x>": 2}, {"<y>": 0}] * 2


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_arithmetic_is_that_of_c_in_32_bits(a: int, b: int) -> None:
    def c(value: int) -> int:
        return int.from_bytes((value & 0xFFFFFFFF).to_bytes(4, "little"), "little", signed=True)

    def quotient(left: int, right: int) -> int:
        return c(int(abs(left) // abs(right)) * (1 if (left >= 0) == (right >= 0) else -1))

    b = b or 1
    names = ("sum", "less", "times", "div", "mod", "abs", "not", "and", "or", "eq")
    values = (c(a + b), int(a < b), c(a * b), quotient(a, b), c(a - quotient(a, b) * b), c(abs(a)), int(a == 0))
    values += (int(a != 0 and b != 0), int(a != 0 or b != 0), int(a == b))
    items = "<sum = a + b>, <less = a < b>, <times = a * b>, <div = a / b>, <mod = a % b>, <abs = abs(a)>, <not = !a>"
    source = f"[{{<a>, <b>}} -> {{{items}, <and = a && b>, <or = a || b>, <eq = a == b>}}]"
    assert run(source, [{"<a>": a, "<b>": b}]) == [
        {f"<{name}>": value for name, value in sorted(zip(names, values, strict=True))}
    ]


def test_the_right_side_of_and_and_or_is_looked_at_only_where_it_decides() -> None:
    source = "[{<a>} -> {<x = a && 1 / a>, <y = !a || 1 / a>}]"
    assert run(source, [{"<a>": 0}]) == [{"<x>": 0, "<y>": 1}]


# Boxes


def test_a_box_gets_its_labels_in_order_and_gives_any_number_of_records() -> None:
    source = "box f ((a, <n>) -> (b) | (c, <m>)); net X connect f;"

    def f(a: str, n: int) -> Any:
        for k in range(n):
            yield {"b": a} if k % 2 else {"c": a, "<m>": k}

    assert run(source, [{"a": "x", "<n>": 3, "k": "kept"}], f=f) == [
        {"c": "x", "k": "kept", "<m>": 0},
        {"b": "x", "k": "kept"},
        {"c": "x", "k": "kept", "<m>": 2},
    ]


def test_what_a_box_gives_wins_over_what_is_inherited() -> None:
    source = "box f ((a) -> (b)); net X connect f;"
    assert run(source, [{"a": 1, "b": 2}], f=lambda a: {"b": 3}) == [{"b": 3}]


# Serial and parallel


def test_records_pass_one_part_after_the_other() -> None:
    assert run("[{<n>} -> {<n = n + 1>}] .. [{<n>} -> {<n = 2 * n>}]", tags("n", [1, 2])) == tags("n", [4, 6])


def test_the_branch_that_asks_for_most_gets_the_record_and_of_equals_the_first() -> None:
    source = "[{a} -> {<x = 1>}] | [{a, b} -> {<x = 2>}] | [{b, a} -> {<x = 3>}] | []"
    records = [{"a": 0}, {"a": 0, "b": 0}, {"b": 0}]
    assert run(source, records) == [{"<x>": 1}, {"<x>": 2}, {"b": 0}]


def test_a_branch_is_scored_by_its_inputs_with_those_that_a_later_part_asks_for() -> None:
    source = "[{a} -> {b = a}] .. [{b, c} -> {<x = 1>}] | [{a} -> {<x = 2>}]"
    assert run(source, [{"a": 0}, {"a": 0, "c": 0}]) == [{"<x>": 2}, {"<x>": 1}]


def test_an_initialiser_runs_once_in_each_instance_before_its_first_record_and_is_never_routed_to() -> None:
    source = """
        box start (-> (<s>));
        net X connect ((start | []) .. [| {<s>}, {<n>} |]) !! <n>;
    """
    calls: list[int] = []

    def start() -> dict[str, int]:
        calls.append(1)
        return {"<s>": len(calls)}

    made = run(source, [{"<n>": 1}, {"<n>": 2}, {"<n>": 1, "a": 0}], start=start)
    started = [each.pop("<s>", None) for each in made]  # of the instances, either may begin first
    assert made == [{"<n>": 1}, {"<n>": 2}, {"a": 0, "<n>": 1}]
    assert started in ([1, 2, None], [2, 1, None])
    assert len(calls) == 2


# Stars, splits, feedback


def test_a_star_tests_before_each_replica_and_at_the_entry() -> None:
    source = "[{<n>} -> {<n = n - 1>, <k>}] * {<n>} if <n <= 0>"
    assert run(source, tags("n", [3, 0])) == [{"<k>": 0, "<n>": 0}, {"<n>": 0}]


def test_a_star_has_an_instance_for_each_stage() -> None:
    source = "([| {a}, {b} |] .. [{<n>} -> {<n = n - 1>}]) * {a, b}, {<n>} if <n == 0>"
    records = [{"a": 1, "<n>": 9}, {"a": 2, "<n>": 9}, {"b": 1, "<n>": 9}, {"b": 2, "<n>": 9}]
    assert run(source, records) == [{"a": 1, "b": 1, "<n>": 8}, {"a": 2, "b": 2, "<n>": 7}]


def test_a_split_has_an_instance_for_each_value_negative_ones_too_and_keeps_the_tag() -> None:
    records = [{side: k, "<t>": k} for side in "ab" for k in (-1, 0, 1)]
    made = run("[| {a}, {b} |] !! <t>", records)
    assert made == [{"a": k, "b": k, "<t>": k} for k in (-1, 0, 1)]


def test_feedback_takes_every_record_in_and_sends_back_what_matches() -> None:
    source = "[{<n>} -> {<n = n - 1>}] \\ {<n>} if <n > 0>"
    assert run(source, tags("n", [3, 1, -4])) == tags("n", [0, 0, -5])


def test_alternatives_and_guards_hold_for_each_pattern_by_itself() -> None:
    source = "[{<n>} -> {<n = n + 1>}] * {<n>, a}, {<n>} if <n % 5 == 0>"
    assert run(source, [{"<n>": 1, "a": 0}, {"<n>": 1}]) == [{"a": 0, "<n>": 1}, {"<n>": 5}]


def test_a_placement_has_no_effect() -> None:
    assert run("[{<n>} -> {<n = n + 1>}] @ 3", tags("n", [1])) == tags("n", [2])


# Synchro-cells


@pytest.mark.parametrize("turned", [False, True])
def test_a_cell_joins_once_and_the_first_pattern_s_record_gives_its_excess(turned: bool) -> None:
    records = [{"a": 1, "<x>": 1, "b0": 1}, {"b": 2, "<x>": 2, "<y>": 2}]
    later = [{"a": 3}, {"b": 4}]
    made = run("[| {a}, {b} |]", [*(reversed(records) if turned else records), *later])
    assert made == [{"a": 1, "b": 2, "b0": 1, "<x>": 1}, *later]


def test_a_cell_passes_what_it_does_not_wait_for() -> None:
    with pytest.warns(DiscardedRecordsWarning, match="1 synchro-cell waits"):
        assert run("[| {a}, {b} |]", [{"c": 0}, {"a": 1}, {"a": 2}]) == [{"c": 0}, {"a": 2}]


def test_a_record_may_fill_several_slots() -> None:
    assert run("[| {a}, {a, b}, {c} |]", [{"a": 1, "b": 2}, {"c": 3}]) == [{"a": 1, "b": 2, "c": 3}]
    assert run("[| {a}, {b} |]", [{"a": 1, "b": 2}]) == [{"a": 1, "b": 2}]


def test_a_cell_s_guards_hold() -> None:
    source = "[| {<a>} if <a > 1>, {b} |]"
    assert run(source, [{"<a>": 1}, {"b": 0}, {"<a>": 2}]) == [{"<a>": 1}, {"b": 0, "<a>": 2}]


def test_of_labels_that_several_patterns_ask_for_the_first_record_s_value_stays() -> None:
    assert run("[| {a, <k>}, {b, <k>} |]", [{"b": 1, "<k>": 1}, {"a": 2, "<k>": 2}]) == [{"a": 2, "b": 1, "<k>": 2}]


# Nets with a signature


def test_a_net_hides_what_it_does_not_ask_for_and_gives_it_back() -> None:
    source = """
        net In ({a} -> {b}) connect [{a} -> {b = a, <c = 9>}] .. [{<c>} -> {}];
        net X connect In .. [{<c>} -> {<d = c>}];
    """
    assert run(source, [{"a": 1, "<c>": 4}]) == [{"b": 1, "<d>": 4}]


def test_inside_it_is_not_seen() -> None:
    source = """
        net In ({a} -> {a, <f>}) connect [{a, <c>} -> {a, <f = 1>}] | [{a} -> {a, <f = 2>}];
        net X connect In;
    """
    assert run(source, [{"a": 1, "<c>": 4}]) == [{"a": 1, "<c>": 4, "<f>": 2}]


def test_what_a_net_declares_wins_over_what_it_has_hidden() -> None:
    source = "net X ({a} -> {<c>}) connect [{a} -> {<c = 9>}];"
    assert run(source, [{"a": 1, "<c>": 4}]) == [{"<c>": 9}]


def test_hidden_labels_come_back_through_cells_stars_and_nets_within_nets() -> None:
    source = """
        net In ({a} -> {b}) connect [{a} -> {b = a}];
        net Out ({a} | {<k>} -> {b, <k>}) connect [| {a}, {<k>} |] * {a, <k>} .. In;
        net X connect Out;
    """
    records = [{"<k>": 5, "y": 1}, {"a": 1, "x": 1}, {"a": 2, "x": 2}, {"<k>": 6, "y": 2}]
    assert run(source, records) == [{"b": 1, "x": 1, "<k>": 5}, {"b": 2, "x": 2, "<k>": 6}]


def test_what_an_initialiser_inside_gives_has_nothing_hidden() -> None:
    source = """
        box start (-> (<s>));
        net In ({a} -> {<s>}, {a} -> {a}) connect start | [];
        net X connect In;
    """
    assert run(source, [{"a": 1, "x": 2}], start=lambda: {"<s>": 7}) == [{"<s>": 7}, {"a": 1, "x": 2}]


def test_dots_leave_the_output_open() -> None:
    assert run("net X ({a} -> ...) connect [{a} -> {<u>}; {}];", [{"a": 1, "x": 2}]) == [{"x": 2, "<u>": 0}, {"x": 2}]


# Binding tags


def test_who_takes_a_record_names_all_its_binding_tags() -> None:
    source = "[{a} -> {<x = 1>}] | [{<#b>} -> {<x = #b>}] | [{a, <#b>} -> {<x = 3>}]"
    assert run(source, [{"a": 0}, {"a": 0, "<#b>": 5}, {"c": 0, "<#b>": 5}]) == [
        {"<x>": 1},
        {"<x>": 3},
        {"c": 0, "<x>": 5},
    ]
    assert error("[{a} -> {}]", {"a": 1, "<#b>": 2}) == "line 1: the filter asks for {a}, and a record has {a, <#b>}."


# What cannot go on


@pytest.mark.parametrize(
    ("source", "record", "sentence"),
    [
        ("[{<a>} ->\n{<b = 4 / a>}]", {"<a>": 0}, "line 2: 4 / 0 is a division by zero."),
        ("[] * {<a>} if <1 % a>", {"<a>": 0}, "line 1: 1 % 0 is a division by zero."),
        ("[{a} -> {}] | [{b} -> {}]", {"<c>": 0}, "line 1: no branch takes a record with {<c>}."),
        ("[]\n.. [{a} -> {}]", {"b": 0}, "line 2: the filter asks for {a}, and a record has {b}."),
        ("[] ! <t>", {"b": 0}, "line 1: the split asks for <t>, and a record has {b}."),
        (
            "net In ({a} -> {b}) connect [];\nnet X connect In;",
            {"c": 0},
            "line 2: net In does not take a record with {c}.",
        ),
        ("net X ({a} -> {b}) connect [];", {"a": 0}, "line 1: net X gives {a}, which it does not declare."),
        (
            "net Out ({a} -> {b});\nnet X connect Out;",
            {"a": 0},
            "line 2: net Out has no body, so that it cannot be run.",
        ),
    ],
)
def test_a_record_that_cannot_go_on_is_told_with_its_place(source: str, record: dict[str, Any], sentence: str) -> None:
    assert error(source, record) == sentence


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda a: {"x": 1}, "line 1: box f gives {x}, which it does not declare."),
        (lambda a: (1,), "line 1: box f has several output variants: give dicts, not tuples."),
        (lambda a: 5, "line 1: box f gives 5: boxes give None, dicts, tuples or lists of them."),
        (lambda a: {"<t>": 1.5}, "line 1: box f gives tag <t> the value 1.5: tags have 32 bits."),
        (lambda a: {"<t>": 2**31}, "line 1: box f gives tag <t> the value 2147483648: tags have 32 bits."),
        (7, "line 1: f of the dict of boxes is no function."),
    ],
)
def test_what_a_box_may_not_give_is_told(function: Any, sentence: str) -> None:
    assert error("box f ((a) -> (b) | (<t>)); net X connect f;", {"a": 0}, f=function) == sentence


def test_what_a_box_raises_is_told_with_its_line() -> None:
    def f(a: int) -> None:
        raise KeyError("no such thing")

    told = error("box f ((a) -> (b)); net X connect f;", {"a": 0}, f=f)
    line = f.__code__.co_firstlineno + 1
    assert told == f"line 1: box f raised KeyError: 'no such thing' (test_conformance.py, line {line})."


def test_a_box_without_a_function_is_told() -> None:
    assert error("box f ((a) -> (b)); net X connect f;") == "line 1: the dict of boxes has no function for box f."


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"<t>": 1.5}, "tag <t> is 1.5: tags are integers of 32 bits."),
        ({"<t>": 2**31}, "tag <t> is 2147483648: tags are integers of 32 bits."),
        ({"a b": 1}, "'a b' is no label of a record: labels are fields `a`, tags `<t>` and binding tags `<#b>`."),
        ({"<t": 1}, "'<t' is no label of a record: labels are fields `a`, tags `<t>` and binding tags `<#b>`."),
    ],
)
def test_what_is_no_record_is_told(record: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError) as raised:
        run("[]", [record])
    assert str(raised.value) == sentence


# All together


@examples(100)
@given(forward_networks(), st.lists(st.integers(0, 3), max_size=4))
def test_one_record_after_the_other_is_what_a_stream_gives(network: Network, values: list[int]) -> None:
    """Nothing here waits in a cell, so the records do not know of each other: order is that of their causes."""
    net = Net(Program((NetSyntax("X", None, (), in_order(network)),)))
    records = [{"<n>": value % 3, "<s>": value, "<p>": value, "f": value} for value in values]
    try:
        alone = [made for record in records for made in net.run([record], runtime=chosen)]
    except SnetError:
        return
    assert list(net.run(records, runtime=chosen)) == alone


def test_an_image_pipeline_as_in_the_paper() -> None:
    source = """
        net Example ({Img} -> {Img})
        {
            box Pre ((Img) -> (R, G, B));
            box fR ((R) -> (R)); box fG ((G) -> (G)); box fB ((B) -> (B));
            box Test ((R, G, B) -> (R, G, B) | (R, G, B, <done>));
            box Post ((R, G, B, <done>) -> (Img));
            net Split connect [{R, G, B} -> {R}; {G}; {B}];
            net Sync connect [| {R}, {G}, {B} |] * {R, G, B};
            net Pipe connect (Split .. (fR | fG | fB) .. Sync .. Test) * {<done>};
        } connect Pre .. Pipe .. Post;
    """

    def test(r: int, g: int, b: int) -> dict[str, int]:
        return {"R": r, "G": g, "B": b} | ({"<done>": 1} if min(r, g, b) >= 10 else {})

    boxes: dict[str, BoxFunction] = {
        "Pre": lambda image: image,
        "fR": lambda value: (value + 1,),
        "fG": lambda value: (value + 2,),
        "fB": lambda value: (value + 3,),
        "Test": test,
        "Post": lambda r, g, b, done: ((r, g, b),),
    }
    images = [(0, 1, 2), (9, 9, 9), (3, 0, 4)]
    made = AnyOrder(Net.parse(source).run([{"Img": image} for image in images], boxes, runtime=chosen))
    assert made == [{"Img": naive(*image)} for image in images]


def naive(r: int, g: int, b: int) -> tuple[int, int, int]:
    while True:
        r, g, b = r + 1, g + 2, b + 3
        if min(r, g, b) >= 10:
            return r, g, b
