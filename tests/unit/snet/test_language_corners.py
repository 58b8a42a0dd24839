"""The corners of the language, by hand, and the same in all three runtimes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from streambench.snet.errors import SnetError
from streambench.snet.net import Net

RUNTIMES = [("naive", 1), ("front", 1), ("front", 3), ("threads", 1)]
LEAST = "(0 - 2147483647 - 1)"


def run(
    source: str, given: list[dict[str, Any]], runtime: Any, workers: int, boxes: Any = None
) -> list[dict[str, Any]]:
    return list(Net.parse(source, "t.snet").run(given, boxes, runtime=runtime, workers=workers))


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 - 3 - 4", -5),
        ("7 / 2 * 2", 6),
        ("(0 - 7) / 2", -3),
        ("(0 - 7) % 3", -1),
        ("1 || 0 && 0", 1),
        ("3 > 2 > 1", 0),
        ("1 != 2 != 0", 1),
        ("a < b == c > 1", 1),
        ("!a == 0", 1),
        ("0x1F + 010", 39),
        ("2147483647 + 1", -(2**31)),
        (f"{LEAST} / (0 - 1)", -(2**31)),
        (f"{LEAST} % (0 - 1)", 0),
        (f"abs{LEAST}", -(2**31)),
        ("a == 2 || 1 / (a - a)", 1),
        ("a != 2 && 1 / (a - a)", 0),
        ("a> 1", 1),
    ],
)
def test_expressions_are_c_expressions(expression: str, value: int, runtime: str, workers: int) -> None:
    source = f"net X connect [{{<a>, <b>, <c>}} -> {{<r = {expression}>}}];"
    assert run(source, [{"<a>": 2, "<b>": 3, "<c>": 4}], runtime, workers) == [{"<r>": value}]


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
@pytest.mark.parametrize(
    "network",
    [
        "[{<a>} -> {<r = 5 / a>}]",
        "[{<a>} -> if <5 % a> then {<a>} else]",
        "[] * {<a>} if <1 / a>",
        "[| {<a>} if <1 / a>, {b} |]",
        "[| {<a>} if <1 / a>, {b} |] * {<a>, b}",
        "[] \\ {<a>} if <1 / a>",
    ],
)
def test_a_division_by_zero_is_told_with_its_line(network: str, runtime: str, workers: int) -> None:
    with pytest.raises(SnetError, match=r"^t\.snet, line 2: .*zero"):
        run(f"net X connect\n{network};", [{"<a>": 0}], runtime, workers)


CASES: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    (  # `..` binds more than `|`, postfix more than both
        "net X connect [] | [{a} -> {}] .. [{<k>} -> {<k = k * 2>}] * {<k>} if <k > 9>;",
        [{"a": 1, "<k>": 2}, {"b": 1, "<k>": 2}],
        [{"<k>": 16}, {"b": 1, "<k>": 2}],
    ),
    (  # of equals the first branch; what a branch lacks is asked of its input
        "net X connect [{a} -> {z = a}] .. [{z, q} -> {<w = 1>}] | [{a} -> {<w = 2>}];",
        [{"a": 1, "q": 2}, {"a": 1}],
        [{"<w>": 1}, {"<w>": 2}],
    ),
    (
        "net X connect ([| {a}, {b} |]) ! <k>;",
        [{"a": 1, "<k>": -1}, {"b": 2, "<k>": 1}, {"b": 3, "<k>": -1}, {"a": 4, "<k>": 1}],
        [{"a": 1, "b": 3, "<k>": -1}, {"a": 4, "b": 2, "<k>": 1}],
    ),
    (  # once in each replica's dispatcher
        "box g (-> (<c>)); net Down connect [{<n>} -> {<n = n - 1>}] | [{<c>} -> {<c>}];"
        "net X connect ((g | []) .. Down) * {<n>} if <n == 0>, {<c>};",
        [{"<n>": 3}, {"<n>": 2}],
        [{"<c>": 7}] * 3 + [{"<n>": 0}] * 2,
    ),
    (
        "net I ({a} -> {b}) connect [{a} -> {b = a}]; net O ({a, c} -> {b, c}) connect I; net X connect O;",
        [{"a": 1, "c": 2, "d": 3}],
        [{"b": 1, "c": 2, "d": 3}],
    ),
    (
        "net N ({<A>} -> {<B>}) connect [{<A>} -> {<C = 9>}] .. [{<C>} -> {<B = C>}]; net X connect N;",
        [{"<A>": 1, "<C>": 4}],
        [{"<B>": 9, "<C>": 4}],
    ),
    (
        "net X connect [| {<a>} if <a < 5>, {b} |] * {<a>, b};",
        [{"<a>": 1}, {"<a>": 2}, {"b": 3}, {"b": 4}],
        [{"<a>": 1, "b": 3}, {"<a>": 2, "b": 4}],
    ),
    ("net X connect [{<k>} -> {<k = k + 1>}] !!@ <k>;", [{"<k>": 1}], [{"<k>": 2}]),
    ("box g (-> (<s>)); net X connect (g@0 | []);", [{"<k>": 1}], [{"<s>": 7}, {"<k>": 1}]),
    (  # a signature made of signatures
        "typesig S = {a} -> {b}; typesig T = S, {c} -> {d};"
        "net X (T, {e} -> ...) connect [{a} -> {b=a}] | [{c} -> {d=c}] | [{e} -> {f=e}];",
        [{"a": 1}, {"c": 2}, {"e": 3}],
        [{"b": 1}, {"d": 2}, {"f": 3}],
    ),
    (
        "net X connect [{a, <#b>} -> {<#b = #b + 1>}] | [{a} -> {<r>}];",
        [{"a": 1, "<#b>": 1, "z": 5}, {"a": 1}],
        [{"<#b>": 2, "z": 5}, {"<r>": 0}],
    ),
]


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
@pytest.mark.parametrize(("source", "given", "made"), CASES)
def test_small_networks_give_what_the_language_says(
    source: str, given: list[dict[str, Any]], made: list[dict[str, Any]], runtime: str, workers: int
) -> None:
    found = run(source, given, runtime, workers, {"g": lambda: (7,)} if "box" in source else None)
    assert Counter(str(sorted(each.items())) for each in found) == Counter(str(sorted(each.items())) for each in made)
