"""Large programs run on all three runtimes, and what is beyond the limits is refused in one sentence."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from streambench.snet import demands, signature, types
from streambench.snet.errors import SnetError
from streambench.snet.net import Net

RUNTIMES = ["naive", "front", "threads"]
TAGS = [f"<t{k}>" for k in range(33)]
ALTERNATIVES = " || ".join(f"a == {k} && a + 1 == {k + 1}" for k in range(14))
LARGE: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "a sum of 33 tags": (
        f"[{{{', '.join(TAGS)}}} -> {{<s = {' + '.join(each[1:-1] for each in TAGS)}>}}]",
        dict.fromkeys(TAGS, 2),
        [{"<s>": 66}],
    ),
    "a sum of 2,000": (f"[{{<a>}} -> {{<s = {' + '.join(['a'] * 2000)}>}}]", {"<a>": 2}, [{"<s>": 4000}]),
    "a guard of 14 alternatives": (f"[{{<a>}} -> if <{ALTERNATIVES}> then {{<y>}} else]", {"<a>": 13}, [{"<y>": 0}]),
    "operands that wait for each other": (
        f"[{{<a>}} -> {{<s = {'a + (' * 80}a{')' * 80}>}}]",
        {"<a>": 2},
        [{"<s>": 162}],
    ),
    "500 branches": (
        " | ".join(f"[{{a{k}}} -> {{<b{k}>}}]" for k in range(500)),
        {"a499": 1},
        [{"<b499>": 0}],
    ),
    "600 parentheses around a network": ("(" * 600 + "[]" + ")" * 600, {"a": 1}, [{"a": 1}]),
    "600 parentheses around an operand": (f"[{{<a>}} -> {{<b={'(' * 600}a{')' * 600}>}}]", {"<a>": 1}, [{"<b>": 1}]),
    "80 networks in each other": (
        "(" * 80 + "[{a} -> {<y>}]" + "".join(f" | [{{a{k}}} -> {{}}])" for k in range(80)),
        {"a": 1},
        [{"<y>": 0}],
    ),
    "80 stars in each other": (
        "[{<n>} -> {<n = n + 1>}]" + " * {<n>} if <n > 3>" * 80,
        {"<n>": 0},
        [{"<n>": 4}],
    ),
    "80 alternatives of a filter": (
        f"[{{<a>}} -> {' '.join(f'if <a == {k}> then {{<b = {k}>}} else' for k in range(80))} {{}}]",
        {"<a>": 79},
        [{"<b>": 79}],
    ),
}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", LARGE)
def test_large_programs_run(name: str, runtime: Any) -> None:
    source, record, made = LARGE[name]
    assert list(Net.parse(f"net X connect {source};").run([record], runtime=runtime)) == made


DEEP = "the program is nested deeper than 100 levels: write flatter networks"
REFUSED = {
    "operands": (f"net X connect [{{<a>}} -> {{<s = {'a + (' * 600}a{')' * 600}>}}];", DEEP),
    "negations": (f"net X connect [{{<a>}} -> {{<s = {'!' * 600}a>}}];", DEEP),
    "networks": ("net X connect " + "(" * 600 + "[]" + " | [])" * 600 + ";", DEEP),
    "splits": ("net X connect []" + " ! <a>" * 600 + ";", DEEP),
    "alternatives": (f"net X connect [{{<a>}} -> {'if <a> then else ' * 600}{{}}];", DEEP),
    "scopes": ("net X { " * 600 + "net X connect [];" + "} connect X;" * 600, DEEP),
    "names": ("net A0 connect [];" + "".join(f"net A{k + 1} connect A{k} ! <a>;" for k in range(600)), DEEP),
    "scoping nets": (
        "net A0 ({} -> {}) connect [];" + "".join(f"net A{k + 1} ({{}} -> {{}}) connect A{k};" for k in range(600)),
        DEEP,
    ),
    "types": (
        "type T0 = {a};" + "".join(f"type T{k + 1} = T{k};" for k in range(600)) + "net X (T600 -> T600) connect [];",
        DEEP,
    ),
    "a net that doubles": (
        "net A0 connect [];" + "".join(f"net A{k + 1} connect A{k} .. A{k};" for k in range(40)),
        "the network has more than 100,000 parts",
    ),
    "branches that double": (
        "net A0 connect [];" + "".join(f"net A{k + 1} connect A{k} | A{k};" for k in range(40)),
        "the network has more than 100,000 parts",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_nested_too_deep_or_too_large_is_refused(name: str) -> None:
    source, sentence = REFUSED[name]
    with pytest.raises(SnetError, match=rf"^t\.snet, line 1: {sentence}.*\.$"):
        Net.parse(source, "t.snet")


def test_types_that_double_are_the_same_types() -> None:
    names = "".join(f"type T{k + 1} = T{k} | T{k}; typesig S{k + 1} = S{k}, S{k};" for k in range(40))
    net = Net.parse(f"type T0 = {{a}}; typesig S0 = {{b}} -> {{b}}; {names} net X (S40, T40 -> T40) connect [];")
    assert net.signatures["X"].inputs == (frozenset("b"), frozenset("a"))


def test_a_chain_of_stars_may_be_longer_than_calls_are_deep() -> None:
    stars = " .. ".join(["[] * {a}"] * sys.getrecursionlimit())
    assert list(Net.parse(f"net X connect {stars};").run([{"a": 0}], runtime="front")) == [{"a": 0}]


WIDE = {
    "branches": lambda n: f"({' | '.join(f'[{{a{k}}} -> {{<b>}}]' for k in range(n))}) .. [{{<b>}} -> {{}}]",
    "stars": lambda n: " .. ".join(["([{<a>} -> {<a>}] * {<a>} if <a>)"] * n),
    "places of a cell": lambda n: f"[| {', '.join(f'{{a{k}}}' for k in range(n))} |]",
}


@pytest.mark.parametrize("name", WIDE)
def test_types_are_compared_in_proportion_to_a_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons = []
    accepts = types.accepts

    def counted(*sets: Any) -> bool:
        comparisons.append(sets)
        return accepts(*sets)

    for module in (types, demands, signature):
        monkeypatch.setattr(module, "accepts", counted)
    counts = []
    for n in (50, 200):
        comparisons.clear()
        Net.parse(f"net X connect {WIDE[name](n)};")
        counts.append(len(comparisons))
    assert counts[1] <= 5 * counts[0] + 200
